package host

import (
	"testing"

	"pgmpi/testkit/should"
)

// onSockets has two nodes of two sockets with two CPUs each, and ranks pinned to these CPUs, node by node.
func onSockets(cpus ...[]Ranges) *Layout {
	l := &Layout{Shape: "p", Kinds: []NodeKind{{Packages: []Ranges{{0, 1}, {2, 3}}}}}
	rank := 0
	for i, of := range cpus {
		n := Node{Host: string(rune('a' + i)), Pinning: i}
		var pins []Pin
		for _, mask := range of {
			pins = append(pins, Pin{CPUs: mask, Ranks: 1})
			n.Ranks = append(n.Ranks, rank)
			rank++
		}
		l.Pinnings, l.Nodes = append(l.Pinnings, pins), append(l.Nodes, n)
	}
	return l
}

func TestOnePairOfEachDistanceIsChosenBySeed(t *testing.T) {
	apart := func(l *Layout, seed uint64) (out []Apart) {
		f := Factors{Layouts: []Layout{*l}}
		for _, p := range l.Pairs(seed) {
			should.Hold(t, p[0] < p[1], "%v", p)
			out = append(out, f.Apart("p", p))
		}
		return out
	}
	full := []Ranges{{0}, {1}, {2}, {3}}
	for name, c := range map[string]struct {
		l    *Layout
		want []Apart
	}{
		"one rank":             {onSockets([]Ranges{{0}}), nil},
		"two ranks":            {onSockets([]Ranges{{0}, {1}}), []Apart{SameSocket}},
		"a socket each":        {onSockets([]Ranges{{0}, {2}}), []Apart{OtherSocket}},
		"a node each":          {onSockets([]Ranges{{0}}, []Ranges{{0}}), []Apart{OtherNode}},
		"one socket":           {onSockets([]Ranges{{0}, {1}, {0}}), []Apart{SameSocket}},
		"bound to no socket":   {onSockets([]Ranges{{0, 1, 2, 3}, {0}, {1}}), []Apart{SameNode, SameSocket}},
		"masks are not known":  {onSockets([]Ranges{nil, nil, nil}), []Apart{SameNode}},
		"two sockets":          {onSockets(full), []Apart{SameSocket, OtherSocket}},
		"one rank of the last": {onSockets(full[:2], full[:1]), []Apart{SameSocket, OtherNode}},
	} {
		should.Equal(t, apart(c.l, 1), c.want, "%s", name)
	}
	both := onSockets(full, full)
	chosen := map[[2]int]bool{}
	for seed := range uint64(20) {
		should.Equal(t, len(apart(both, seed)), 3, "same socket, other socket, other node")
		should.Equal(t, both.Pairs(seed), both.Pairs(seed), "of one seed")
		for _, p := range both.Pairs(seed)[1:] {
			chosen[p] = true
		}
	}
	should.Hold(t, len(chosen) > 4, "seeds choose %v alone", chosen)
	should.Equal(t, (&Factors{}).Apart("p", [2]int{0, 1}), "", "without a layout")
	should.Equal(t, (&Factors{Layouts: []Layout{*both}}).Apart("p", [2]int{0, 99}), "", "of no rank")
}
