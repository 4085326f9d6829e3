package mockups

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func lengths(of []Stretch) (n []int64) {
	for _, s := range of {
		n = append(n, s.N)
	}
	return n
}

// By hand: 4 parts of 4·10 elements with the weights 1 2 3 4, 1 1 1 4, 0 1 1 1 and 0 1 0 1; what is cut
// off by rounding goes to later parts.
func TestPartsAreInProportionToTheirWeights(t *testing.T) {
	f, _ := Get("MPI_Gatherv/linear")
	for rule, want := range map[Rule][]int64{
		Equal:    {10, 10, 10, 10},
		Linear:   {4, 8, 12, 16},
		OneLarge: {5, 6, 6, 23},
		OneEmpty: {0, 13, 13, 14},
		Sparse:   {0, 20, 0, 20},
		Lopsided: {5, 6, 6, 23},
	} {
		f.Rule = rule
		parts, _ := f.Layout(10, 4, 0, 1).Counts(0)
		should.Hold(t, slices.Equal(lengths(parts), want), "%s: %v, want %v", rule, lengths(parts), want)
	}
	f.Rule = Random
	one, _ := f.Layout(1000, 4, 0, 1).Counts(0)
	same, _ := f.Layout(1000, 4, 0, 1).Counts(3)
	other, _ := f.Layout(1000, 4, 0, 2).Counts(0)
	should.Hold(t, slices.Equal(one, same) && !slices.Equal(one, other), "drawn with seed 1: %v at rank 0 and %v at rank 3; with seed 2: %v", one, same, other)
}

// By hand: under sparse each of four ranks sends to the ranks beside it and gets from them; under
// lopsided the last one gets four times as much as another, from each.
func TestPartnersAreFewOrCrowdOne(t *testing.T) {
	f, _ := Get("MPI_Alltoallv/sparse")
	for rank := range 4 {
		to, from := f.Layout(10, 4, 0, 1).Counts(rank)
		for i := range 4 {
			want := int64(0)
			if i == (rank+1)%4 || i == (rank+3)%4 {
				want = 20
			}
			should.Hold(t, to[i].N == want && from[i].N == want, "rank %d and rank %d: %d, %d, want %d", rank, i, to[i].N, from[i].N, want)
		}
	}
	f, _ = Get("MPI_Alltoallv/lopsided")
	for rank, want := range [][]int64{{10, 10, 10}, {10, 10, 10}, {40, 40, 40}} {
		to, from := f.Layout(20, 3, 0, 1).Counts(rank)
		should.Hold(t, slices.Equal(lengths(to), []int64{10, 10, 40}) && slices.Equal(lengths(from), want), "rank %d sends %v and gets %v", rank, to, from)
	}
}

// Temporaries for padded parts are for four blocks.
func TestMildRulesLeaveNoPartAboveFourBlocks(t *testing.T) {
	for _, f := range Variants() {
		if !strings.HasSuffix(string(f.Call), string(Padded)) {
			continue
		}
		for p := 1; p <= 40; p++ {
			for _, count := range []int64{1, 7, 1000} {
				parts, _ := f.Layout(count, p, 0, 1).Counts(0)
				should.Hold(t, slices.Max(lengths(parts)) <= 4*count, "%s, p = %d, %d elements: %v", f.ID, p, count, parts)
			}
		}
	}
}

// The whole call has p·count elements whatever the rule; in an exchange all ranks together send and
// get as many each.
func TestCallsByEveryRuleMoveAsMuchAsTheRegularOne(t *testing.T) {
	for _, f := range Variants() {
		if f.Rule == "" {
			continue
		}
		for p := 1; p <= 9; p++ {
			for _, count := range []int64{0, 1, 7, 1 << 20} {
				l := f.Layout(count, p, 0, 1)
				sent, got, all := int64(0), int64(0), int64(p)*count
				for rank := range p {
					sent, got = sent+l.SendElements(rank), got+l.RecvElements(rank)
				}
				vectors := map[Blocks]int64{One: all, PerRank: all * int64(p)}
				wantSent, wantGot := vectors[f.Send.Blocks], vectors[f.Recv.Blocks]
				if f.Send.RootOnly {
					wantSent = all
				}
				if f.Recv.RootOnly {
					wantGot = all
				}
				should.Hold(t, sent == wantSent && got == wantGot,
					"%s, p = %d, %d elements: %d sent, %d received, want %d and %d", f.ID, p, count, sent, got, wantSent, wantGot)
			}
		}
	}
}

// What one sends another gets, and the blocks of a buffer lie one behind the other.
func TestBlocksOfAnExchangeFitTogether(t *testing.T) {
	for _, r := range Unequal {
		f, _ := Get(CallOf("MPI_Alltoallv", Call(r)))
		for p := 1; p <= 9; p++ {
			l := f.Layout(100, p, 0, 1)
			for rank := range p {
				sent, got := int64(0), int64(0)
				for i := range p {
					to, from := l.Sent(rank, i), l.Received(rank, i)
					must.Hold(t, to.At == sent && from.At == got && to.N == l.Received(i, rank).N,
						"%s, p = %d: rank %d sends %v to rank %d, which gets %v; it gets %v", f.ID, p, rank, to, i, l.Received(i, rank), from)
					sent, got = sent+to.N, got+from.N
				}
			}
		}
	}
}

// A part can have nearly all data, at any rank.
func TestMemoryHoldsTheLargestPart(t *testing.T) {
	for _, f := range Variants() {
		for p := 1; p <= 9; p++ {
			l, need := f.Layout(12, p, 0, 1), f.Memory(12, 8, p)
			for rank := range p {
				s, r := 8*l.SendElements(rank), 8*l.RecvElements(rank)
				should.Hold(t, s <= need.Send && r <= need.Recv, "%s, p = %d: rank %d has buffers of %d and %d bytes, Memory says %+v", f.ID, p, rank, s, r, need)
			}
		}
	}
}
