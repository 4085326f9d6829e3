package mockups

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// Rule cuts the data of a call with a count for every process into parts. Under every
// rule, the p parts have p·count elements together, as many as p blocks of the regular call.
type Rule string

// Parts are in proportion to a weight, apart from rounding, so that k calls on a
// k-th of the data move the same as one.
const (
	Equal    Rule = "equal"     // 1
	Linear   Rule = "linear"    // part i: i + 1
	OneLarge Rule = "one_large" // the last part: p; the others: 1
	OneEmpty Rule = "one_empty" // part 0: nothing; the others: 1
	Random   Rule = "random"    // 1 to 65536, drawn by the seed
)

var Unequal = []Rule{Linear, OneLarge, OneEmpty, Random}

var rules = map[Rule]string{
	Linear:   "counts that grow with the rank",
	OneLarge: "one count that is p times the others",
	OneEmpty: "one count of 0",
	Random:   "counts drawn by the seed",
}

func (r Rule) weight(i, p int, seed uint64) uint64 {
	switch r {
	case Linear:
		return uint64(i) + 1
	case OneLarge:
		if i == p-1 {
			return uint64(p)
		}
	case OneEmpty:
		if i == 0 && p > 1 {
			return 0
		}
	case Random:
		return rand.NewPCG(seed, uint64(i)).Uint64()>>48 + 1
	case Equal:
	}
	return 1
}

func (r Rule) starts(count int64, p int, seed uint64) []int64 {
	before := make([]uint64, p+1) // the weights of the parts before
	for i := range p {
		before[i+1] = before[i] + r.weight(i, p, seed)
	}
	at := make([]int64, p+1)
	for i := range at {
		high, low := bits.Mul64(uint64(count)*uint64(p), before[i])
		of, _ := bits.Div64(high, low, before[p])
		at[i] = int64(of)
	}
	return at
}

// Stretch is a part of a buffer, in elements.
type Stretch struct{ At, N int64 }

// Layout tells where the blocks of a call are in the ranks' buffers.
type Layout struct {
	f       Function
	count   int64 // elements that a block takes, with its gaps
	p, root int
	starts  []int64 // of the parts; nil if each block has count elements
}

// Layout describes a call with blocks of count elements on p processes. The seed is for Random.
func (f Function) Layout(count int64, p, root int, seed uint64) Layout {
	l := Layout{f: f, count: f.Span(count), p: p, root: root}
	if f.Rule != "" {
		l.starts = f.Rule.starts(count, p, seed)
	}
	return l
}

// sum returns the length of n parts from part `first` on; after the last comes part 0.
func (l Layout) sum(first, n int) int64 {
	if end := first + n; end > l.p {
		return l.starts[l.p] - l.starts[first] + l.starts[end-l.p]
	}
	return l.starts[first+n] - l.starts[first]
}

func (l Layout) part(i int) int64 { return l.starts[i+1] - l.starts[i] }

// Sent returns the place of a block in a rank's send buffer. In an exchange rank r sends part
// (i − r) mod p to rank i: every rank sends and gets each part once.
func (l Layout) Sent(rank, block int) Stretch {
	switch {
	case l.starts == nil:
		return Stretch{int64(block) * l.count, l.count}
	case l.f.Exchange:
		first := (l.p - rank) % l.p
		return Stretch{l.sum(first, block), l.part((first + block) % l.p)}
	case l.f.Send.Blocks == PerRank:
		return Stretch{l.starts[block], l.part(block)}
	}
	return Stretch{0, l.part(rank)}
}

func (l Layout) Received(rank, block int) Stretch {
	switch {
	case l.starts == nil:
		return Stretch{int64(block) * l.count, l.count}
	case l.f.Exchange: // parts rank, rank − 1, …
		last := (rank - block + l.p) % l.p
		return Stretch{l.sum((last+1)%l.p, block), l.part(last)}
	case l.f.Recv.Blocks == PerRank:
		return Stretch{l.starts[block], l.part(block)}
	}
	return Stretch{0, l.part(rank)}
}

func (l Layout) SendBlocks(rank int) int { return l.blocks(l.f.Send, rank) }
func (l Layout) RecvBlocks(rank int) int { return l.blocks(l.f.Recv, rank) }

func (l Layout) blocks(b Buffer, rank int) int { return int(b.Elements(1, l.p, rank == l.root)) }

func (l Layout) SendElements(rank int) int64 {
	return l.elements(l.SendBlocks(rank), func(last int) Stretch { return l.Sent(rank, last) })
}

func (l Layout) RecvElements(rank int) int64 {
	return l.elements(l.RecvBlocks(rank), func(last int) Stretch { return l.Received(rank, last) })
}

func (l Layout) elements(blocks int, at func(last int) Stretch) int64 {
	if blocks == 0 {
		return 0
	}
	last := at(blocks - 1)
	return last.At + last.N
}

// Counts returns a rank's arguments for unequal parts: in an exchange for sending and
// receiving, else the one vector of the call, which is the same at every rank.
func (l Layout) Counts(rank int) (parts, from []Stretch) {
	for i := range l.p {
		switch {
		case l.f.Exchange:
			parts, from = append(parts, l.Sent(rank, i)), append(from, l.Received(rank, i))
		default:
			parts = append(parts, Stretch{l.starts[i], l.part(i)})
		}
	}
	return parts, from
}

// Calls with a count for every process, beside calls of a Rule alone, such as MPI_Gatherv/linear.
const (
	Wide      Call = "w"             // MPI_Alltoallw, with the counts of MPI_Alltoallv
	ByGatherv Call = "gatherv+bcast" // what MPI_Allgatherv is compared with
)

// WideCall returns MPI_Alltoallw with counts by a rule: MPI_Alltoallw/linear.
func WideCall(r Rule) Call {
	if r == Equal {
		return Wide
	}
	return Wide + "/" + Call(r)
}

// GathervCall returns the mock-up of MPI_Allgatherv with counts by a rule.
func GathervCall(r Rule) Call {
	if r == Equal {
		return ByGatherv
	}
	return Call(r) + "/" + ByGatherv
}

func irregularCalls() (calls []Call) {
	for _, r := range Unequal {
		calls = append(calls, Call(r))
	}
	for _, call := range []func(Rule) Call{WideCall, GathervCall} {
		calls = append(calls, call(Equal))
		for _, r := range Unequal {
			calls = append(calls, call(r))
		}
	}
	return calls
}

func makeIrregular(f *Function) bool {
	hasCounts := slices.Contains([]string{"MPI_Allgatherv", "MPI_Alltoallv", "MPI_Gatherv", "MPI_Reduce_scatter", "MPI_Scatterv"}, f.Of)
	for _, r := range append([]Rule{Equal}, Unequal...) {
		behind, with := ", "+string(r)+")", "with "+rules[r]
		if r == Equal {
			behind, with = ")", "with equal counts"
		}
		switch f.Call {
		case Call(r):
			f.Rule, f.Formula, f.What = r, strings.TrimPrefix(f.Of, "MPI_")+"(n"+behind, with
			return hasCounts
		case WideCall(r):
			f.Rule, f.InBytes, f.Formula, f.What = r, true, "Alltoallw(n"+behind, "Alltoallw "+with
			return f.Of == "MPI_Alltoallv"
		case GathervCall(r):
			f.Rule, f.Formula, f.What = r, "Gatherv(n"+behind+" + Bcast(n)", "Gatherv at rank 0 "+with+", Bcast of all parts"
			return f.Of == "MPI_Allgatherv"
		default:
		}
	}
	return false
}
