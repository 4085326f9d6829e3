package mockups

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// Rule cuts the data of a call with a count for every process into parts. Under every
// rule, the p parts have p·count elements together, as many as p blocks of the regular call.
type Rule string

// Parts are in proportion to a weight, apart from rounding. So k calls on a k-th of the data move the
// same as one.
const (
	Equal    Rule = "equal"     // 1
	Linear   Rule = "linear"    // part i: i + 1
	OneLarge Rule = "one_large" // the last part: p; the others: 1
	OneEmpty Rule = "one_empty" // part 0: nothing; the others: 1
	Random   Rule = "random"    // 1 to 65536, drawn by the seed
	Sparse   Rule = "sparse"    // parts 1 and p − 1: 1; the others: nothing
	Lopsided Rule = "lopsided"  // the last part: 4; the others: 1. In an exchange each rank gets its part from all
)

var (
	Unequal = []Rule{Linear, OneLarge, OneEmpty, Random, Sparse, Lopsided}
	Rules   = append([]Rule{Equal}, Unequal...)
	// mild rules leave no part above maxMild blocks, so that padding to the largest may pay.
	mild = []Rule{Equal, Linear, OneEmpty, Lopsided}
)

const maxMild = 4

var rules = map[Rule]string{
	Equal:    "equal counts",
	Linear:   "counts that grow with the rank",
	OneLarge: "one count that is p times the others",
	OneEmpty: "one count of 0",
	Random:   "counts drawn by the seed",
	Sparse:   "two counts above 0",
	Lopsided: "one receiver of four times the others' counts",
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
	case Sparse:
		if p > 1 && i != 1 && i != p-1 {
			return 0
		}
	case Lopsided:
		if i == p-1 {
			return maxMild
		}
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
// (i − r) mod p to rank i: every rank sends and gets each part once; or part i, under Lopsided.
func (l Layout) Sent(rank, block int) Stretch {
	switch {
	case l.starts == nil:
		return Stretch{int64(block) * l.count, l.count}
	case l.f.Exchange && l.f.Rule != Lopsided:
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
	case l.f.Exchange && l.f.Rule == Lopsided:
		return Stretch{int64(block) * l.part(rank), l.part(rank)}
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

// These calls have a count for every process, like calls by a Rule alone (MPI_Gatherv/linear).
const (
	Wide Call = "w" // MPI_Alltoallw, with the counts of MPI_Alltoallv
	// The mock-ups that guidelines compare them with; a rule stands before them.
	ByGatherv    Call = "gatherv+bcast"
	ByAlltoallv  Call = "alltoallv"
	ByAllgatherv Call = "bcast+allgatherv"
	ByBcast      Call = "bcast+bcast"
	ByAllreduce  Call = "allreduce"
	ByReduce     Call = "reduce+scatterv"
	Padded       Call = "padded"
	ToAll        Call = "isend+irecv" // also of MPI_Alltoall, which has no other rule than Equal
)

// Counted returns a call with counts by a rule: "linear/padded", or "padded" for equal ones; without a
// call "linear", or the usual one.
func Counted(r Rule, c Call) Call {
	switch {
	case r == Equal:
		return c
	case c == "":
		return Call(r)
	case c == Wide:
		return Wide + "/" + Call(r)
	}
	return Call(r) + "/" + c
}

// counted lists the calls by rules: their collectives, what they do, and their temporaries. In formulas
// and words % stands for the rule.
var counted = []struct {
	call          Call
	of            []string
	formula, what string
	temp          Temp
	rules         []Rule
}{
	{"", []string{"MPI_Allgatherv", "MPI_Alltoallv", "MPI_Gatherv", "MPI_Reduce_scatter", "MPI_Scatterv"}, "", "%", Temp{}, Unequal},
	{Wide, []string{"MPI_Alltoallv"}, "Alltoallw(%)", "Alltoallw %", Temp{}, Rules},
	{ByGatherv, []string{"MPI_Allgatherv"}, "Gatherv(%) + Bcast(n)", "Gatherv at rank 0 %, Bcast of all parts", Temp{}, Rules},
	{ByAlltoallv, []string{"MPI_Allgatherv"}, "Alltoallv(%)", "Alltoallv %, of the own part to all", Temp{}, Rules},
	{ByAllgatherv, []string{"MPI_Gatherv"}, "Bcast(counts) + Allgatherv(%)", "Bcast of the counts, Allgatherv %; the others receive into a temporary", Temp{PerRank: 1}, Rules},
	{ByBcast, []string{"MPI_Scatterv"}, "Bcast(counts) + Bcast(n)", "Bcast of the counts, Bcast of all parts %, keep the own one", Temp{PerRank: 1}, Rules},
	{ByAllreduce, []string{"MPI_Reduce_scatter"}, "Allreduce(n)", "Allreduce of the whole vector, keep the own part; %", Temp{PerRank: 1}, Unequal},
	{ByReduce, []string{"MPI_Reduce_scatter"}, "Reduce(n) + Scatterv(%)", "Reduce at rank 0, Scatterv %", Temp{PerRank: 1}, Unequal},
	{Padded, []string{"MPI_Allgatherv"}, "Allgather(max, %)", "parts padded to the largest, Allgather; %", Temp{One: maxMild, PerRank: maxMild}, mild},
	{Padded, []string{"MPI_Alltoallv"}, "Allreduce(1) + Alltoall(max, %)", "Allreduce of the largest part, parts padded to it, Alltoall; %", Temp{PerRank: 2 * maxMild}, mild},
	{Padded, []string{"MPI_Gatherv"}, "Allreduce(1) + Gather(max, %)", "Allreduce of the largest part, parts padded to it, Gather; %", Temp{One: maxMild, PerRank: maxMild}, mild},
	{Padded, []string{"MPI_Scatterv"}, "Allreduce(1) + Scatter(max, %)", "Allreduce of the largest part, parts padded to it, Scatter; %", Temp{One: maxMild, PerRank: maxMild}, mild},
	{ToAll, []string{"MPI_Alltoall"}, "Isend(%) + Irecv(%) to all + Waitall", "Isend and Irecv to all others, Waitall; the own block copied; %", Temp{}, []Rule{Equal}},
	{ToAll, []string{"MPI_Alltoallv"}, "Isend(%) + Irecv(%) to all + Waitall", "Isend and Irecv to all others, Waitall; the own part copied; %", Temp{}, Rules},
}

func irregularCalls() (calls []Call) {
	for _, c := range counted {
		for _, r := range c.rules {
			calls = lists.With(calls, Counted(r, c.call))
		}
	}
	return calls
}

func makeIrregular(f *Function) bool {
	for _, c := range counted {
		if !slices.Contains(c.of, f.Of) {
			continue
		}
		for _, r := range c.rules {
			if f.Call != Counted(r, c.call) {
				continue
			}
			args := "n, " + string(r)
			if r == Equal {
				args = "n"
			}
			if f.Temp = c.temp; r == Equal && c.call == Padded {
				f.Temp = Temp{} // nothing to pad
			}
			f.Rule, f.OneCount, f.InBytes = r, false, c.call == Wide
			formula := cmp.Or(c.formula, strings.TrimPrefix(f.Of, "MPI_")+"(%)")
			f.Formula, f.What = strings.ReplaceAll(formula, "%", args), strings.ReplaceAll(c.what, "%", "with "+rules[r])
			return true
		}
	}
	return false
}
