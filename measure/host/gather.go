package host

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
)

// Seat is what every rank says of itself: little, since there may be thousands.
type Seat struct {
	Host string `json:"h"`
	CPUs Ranges `json:"c"`
	// Same is equal for ranks with the same variables, library and program.
	Same uint32 `json:"s"`
}

// View is what one rank of every node says of it.
type View struct {
	Kind NodeKind `json:"kind"`
	Node Node     `json:"node"`
}

// See reads a host for the rank that runs on these CPUs.
func See(root fs.FS, seat Seat, environ []string, library, program string) View {
	v := View{Kind: Kind(root), Node: Node{Host: seat.Host}}
	v.Kind.Env, v.Kind.Library, v.Kind.Program = Env(environ), library, program
	v.Node.MemTotal, v.Node.MemAvailable = Memory(root)
	if len(seat.CPUs) > 0 {
		v.Node.MHz = MHz(root, seat.CPUs[0])
	}
	if load := Load(root); load >= 0 {
		v.Node.Load = &load
	}
	return v
}

// Sit makes the Seat of the calling rank.
func Sit(host string, environ []string, library, program string) (Seat, error) {
	text, err := json.Marshal([]any{Env(environ), library, program})
	return Seat{Host: host, CPUs: Affinity(), Same: crc32.ChecksumIEEE(text)}, err
}

// Leaders returns the first rank of every host, in the order of ranks.
func Leaders(seats []Seat) []int {
	var leaders []int
	seen := map[string]bool{}
	for r, s := range seats {
		if !seen[s.Host] {
			seen[s.Host] = true
			leaders = append(leaders, r)
		}
	}
	return leaders
}

// Lay puts a Layout together from the seats of all ranks and the views of the
// leaders, in their order.
func Lay(seats []Seat, views []View) (*Layout, error) {
	leaders := Leaders(seats)
	if len(views) != len(leaders) {
		return nil, fmt.Errorf("%d views of %d nodes", len(views), len(leaders))
	}
	l := &Layout{}
	ranks := map[string]Ranges{}
	same := map[string]uint32{}
	for r, s := range seats {
		if ranks[s.Host] == nil {
			same[s.Host] = s.Same
		}
		ranks[s.Host] = append(ranks[s.Host], r)
		if s.Same != same[s.Host] {
			l.OtherEnv = append(l.OtherEnv, r)
		}
	}
	kinds, pinnings := map[string]int{}, map[string]int{}
	for i, v := range views {
		n := v.Node
		n.Ranks = ranks[seats[leaders[i]].Host]
		pins := pinsOf(seats, n.Ranks)
		var err error
		if n.Kind, err = place(kinds, &l.Kinds, v.Kind); err != nil {
			return nil, err
		}
		if n.Pinning, err = place(pinnings, &l.Pinnings, pins); err != nil {
			return nil, err
		}
		l.Nodes = append(l.Nodes, n)
	}
	return l, nil
}

// pinsOf joins neighbours with equal masks.
func pinsOf(seats []Seat, ranks Ranges) []Pin {
	var pins []Pin
	for _, r := range ranks {
		if n := len(pins); n > 0 && slices.Equal(pins[n-1].CPUs, seats[r].CPUs) {
			pins[n-1].Ranks++
			continue
		}
		pins = append(pins, Pin{CPUs: seats[r].CPUs, Ranks: 1})
	}
	return pins
}

// place returns the index of v in the table, which gets it if it is new.
func place[T any](known map[string]int, table *[]T, v T) (int, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	at, ok := known[string(text)]
	if !ok {
		at = len(*table)
		known[string(text)] = at
		*table = append(*table, v)
	}
	return at, nil
}
