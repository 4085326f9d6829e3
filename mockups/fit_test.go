package mockups

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestCasesThatFitAloneMayNotFitTogether(t *testing.T) {
	scatter, gather, both := Need{Send: 60, Recv: 10}, Need{Send: 10, Recv: 60}, Need{Send: 30, Recv: 30, Temp: 5}
	for _, c := range []struct {
		limit  int64
		needs  []Need
		want   []bool
		shared Need
	}{
		{120, []Need{gather, scatter}, []bool{true, true}, Need{60, 60, 0, 0, 0}},
		{119, []Need{gather, scatter}, []bool{true, false}, Need{10, 60, 0, 0, 0}},
		{119, []Need{scatter, gather, both}, []bool{true, false, true}, Need{60, 30, 5, 0, 0}},
		{69, []Need{scatter, gather, both}, []bool{false, false, true}, both},
		{0, []Need{{}, both}, []bool{true, false}, Need{}},
	} {
		fits, shared := fit(c.needs, c.limit, false)
		should.Hold(t, slices.Equal(fits, c.want) && shared == c.shared, "%d bytes for %v: %v, %v", c.limit, c.needs, fits, shared)
	}
}

func TestOwnTemporariesAddUp(t *testing.T) {
	needs := []Need{{10, 20, 5, 0, 0}, {20, 10, 5, 0, 0}, {10, 10, 30, 0, 0}}
	for limit, want := range map[int64][]bool{80: {true, true, true}, 79: {true, true, false}, 49: {true, false, false}} {
		fits, _ := fit(needs, limit, true)
		should.Hold(t, slices.Equal(fits, want), "%d bytes: %v, want %v", limit, fits, want)
	}
	_, shared := fit(needs, 80, true)
	should.Hold(t, shared == (Need{20, 20, 40, 0, 0}), "they share %v", shared)
}

// The cases of a later mpirun are some of those that the first one let in.
func TestWhatHasFittedStillFits(t *testing.T) {
	var needs []Need
	for c := int64(1); c <= 64; c *= 2 {
		needs = append(needs, Need{c, 8 * c, c, 0, 0}, Need{8 * c, c, 0, 0, 0}, Need{c, c, 12 * c, 0, 0})
	}
	for _, own := range []bool{false, true} {
		fits, _ := fit(needs, 500, own)
		var in []Need
		for i, n := range needs {
			if fits[i] {
				in = append(in, n)
			}
		}
		again, _ := fit(in[1:], 500, own)
		should.Hold(t, !slices.Contains(again, false) && len(in) != len(needs), "%d of %d, then %v", len(in), len(needs), again)
	}
}

func TestWhatCannotBeMeasuredIsSaid(t *testing.T) {
	f, _ := Get("MPI_Allgatherv")
	cases := []Sized{{f, 1, 1, 0}, {f, 1 << 10, 1, 0}, {f, 1 << 30, 1, 0}}
	for _, c := range []struct {
		room Room
		want []string
	}{
		{Room{Cap: 4 << 30}, []string{"", "", "its element count is above what an MPI int count holds"}},
		{Room{Cap: 3 << 10}, []string{"", "", "its element"}},
		{Room{Cap: 3<<10 - 1}, []string{"", "it needs 3 KiB a rank, the cap is 2.999 KiB", "its element"}},
		{Room{Cap: 3 << 10, Extra: 1 << 10}, []string{"", "it needs 4 KiB a rank, the cap is 3 KiB", "its element"}},
		{Room{Cap: 3 << 10, Span: func(b int64) int64 { return 2 * b }}, []string{"", "it needs 6 KiB a rank, ", "its element"}},
	} {
		why, _ := Fit(cases, 2, c.room)
		for i, want := range c.want {
			should.Hold(t, strings.HasPrefix(why[i], want) && (want == "") == (why[i] == ""), "cap %d: case %d: %q, want %q", c.room.Cap, i, why[i], want)
		}
	}
}

// Elements of two datatypes cannot lie in one send buffer; all else is shared.
func TestReductionsSendFromABufferOfTheirOwn(t *testing.T) {
	var cases []Sized
	for _, id := range []string{"MPI_Alltoall", "MPI_Reduce_scatter"} {
		f, _ := Get(id)
		cases = append(cases, Size(f, 1<<10, Auto))
	}
	_, together := Fit(cases, 2, Room{Cap: 1 << 20})
	_, apart := Fit(cases, 2, Room{Cap: 1 << 20, Apart: 1})
	if together != (Need{Send: 2 << 10, Recv: 2 << 10}) || apart != (Need{Send: 2 << 10, Recv: 2 << 10, Reduced: 2 << 10, Kinds: 1}) {
		t.Errorf("%v together, %v apart", together, apart)
	}
}

// A count of 8 bytes, and slices, hold what memory does.
func TestLargeCountsHaveNoLimitButMemory(t *testing.T) {
	for _, id := range []string{"MPI_Bcast_c", "MPI_Gatherv_c", "MPI_Bcast/sliced"} {
		f, ok := Get(id)
		why, _ := Fit([]Sized{{f, 1<<31 + 24, 1, 0}}, 2, Room{Cap: 16 << 30})
		should.Hold(t, ok && why[0] == "", "%s: %s", id, why)
		why, _ = Fit([]Sized{{f, 1<<31 + 24, 1, 0}}, 2, Room{Cap: 1 << 30})
		should.Contain(t, why[0], "the cap is 1 GiB")
	}
}

func TestEachKindOfElementsHasASendBufferOfItsOwn(t *testing.T) {
	f, _ := Get("MPI_Allreduce")
	cases := []Sized{Size(f, 8, "double"), Size(f, 64, "int")}
	for _, c := range []struct {
		datatype string
		kinds    []string
		apart    int
		sum      int64
	}{
		{"double", []string{"", ""}, 0, 64 + 64},
		{Auto, []string{"", ""}, 1, 64 + 64},
		{Auto, []string{"", "int/max", "int/max"}, 2, 2*64 + 64},
		{"int", []string{"int/max", "int64/sum"}, 3, 3*64 + 64},
		{Auto, []string{"root=1", "int/max", "int/max:root=1"}, 2, 2*64 + 64},
	} {
		apart := Apart(c.datatype, c.kinds)
		_, shared := Fit(cases, 2, Room{Cap: 1 << 20, Apart: apart})
		should.Equal(t, apart, c.apart, "%s %v", c.datatype, c.kinds)
		should.Equal(t, shared.Sum(), c.sum, "%s %v", c.datatype, c.kinds)
	}
}
