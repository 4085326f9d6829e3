package host

import (
	"math/rand/v2"
	"slices"
)

// Apart says how far two ranks are from each other.
type Apart string

const (
	SameSocket  Apart = "same socket"
	OtherSocket Apart = "other socket"
	SameNode    Apart = "same node" // whose sockets they are on is not known, or may change
	OtherNode   Apart = "other node"
)

// place holds the node and the socket of a rank, as indices; socket -1 is not known.
type place struct{ node, socket int }

func (p place) apart(o place) Apart {
	switch {
	case p.node != o.node:
		return OtherNode
	case p.socket < 0 || o.socket < 0:
		return SameNode
	case p.socket != o.socket:
		return OtherSocket
	}
	return SameSocket
}

// places returns the place of each rank.
func (l *Layout) places() map[int]place {
	out := map[int]place{}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		masks := l.masks(n)
		for k, rank := range n.Ranks {
			within := func(socket Ranges) bool { return len(masks[k]) > 0 && masks[k].Within(socket) }
			out[rank] = place{i, slices.IndexFunc(l.Kinds[n.Kind].Packages, within)}
		}
	}
	return out
}

// Apart tells how far two ranks of a shape are from each other, or "" if that is not known.
func (f *Factors) Apart(shape string, ranks [2]int) Apart {
	i := slices.IndexFunc(f.Layouts, func(l Layout) bool { return l.Shape == shape })
	if i < 0 {
		return ""
	}
	at := f.Layouts[i].places()
	a, knownA := at[ranks[0]]
	b, knownB := at[ranks[1]]
	if !knownA || !knownB {
		return ""
	}
	return a.apart(b)
}

// Pairs returns ranks 0 and 1, and of each other distance that there is a pair which the seed chooses.
func (l *Layout) Pairs(seed uint64) (pairs [][2]int) {
	at := l.places()
	if len(at) < 2 {
		return nil
	}
	pairs = append(pairs, [2]int{0, 1})
	seen := map[Apart]bool{at[0].apart(at[1]): true}
	var few []int // two ranks of each place show all distances
	of := map[place]int{}
	for _, rank := range rand.New(rand.NewPCG(seed, 0)).Perm(len(at)) {
		if of[at[rank]]++; of[at[rank]] <= 2 {
			few = append(few, rank)
		}
	}
	for i, b := range few {
		for _, a := range few[:i] {
			if d := at[a].apart(at[b]); !seen[d] {
				seen[d] = true
				pairs = append(pairs, [2]int{min(a, b), max(a, b)})
			}
		}
	}
	return pairs
}
