package mockups

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestEveryMockupEmulatesACollectiveOfTheTable(t *testing.T) {
	for _, f := range All() {
		if !f.IsMockup() {
			continue
		}
		of, ok := Get(f.Of)
		should.Hold(t, ok && !of.IsMockup(), "%s emulates %q", f.ID, f.Of)
		should.Hold(t, f.Send == of.Send && f.Recv == of.Recv && f.Reduces == of.Reduces, "%s has other arguments than %s", f.ID, f.Of)
		should.Hold(t, f.Formula != "" && f.What != "", "%s has no formula or no description", f.ID)
	}
}

func TestEveryFunctionWithDataHasAResult(t *testing.T) {
	for _, f := range All() {
		should.Hold(t, (f.Result != nil) == f.HasData(), "%s: it has data: %v, it has a result: %v", f.ID, f.HasData(), f.Result != nil)
	}
}

func TestIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		should.Hold(t, !seen[f.ID], "%s is in the table twice", f.ID)
		seen[f.ID] = true
	}
}

func TestBufferNeeds(t *testing.T) {
	for _, c := range []struct {
		buffer Buffer
		root   bool
		want   int64
	}{
		{Buffer{Blocks: None}, true, 0},
		{Buffer{Blocks: One}, false, 10},
		{Buffer{Blocks: PerRank}, false, 30},
		{Buffer{Blocks: PerRank, RootOnly: true}, false, 0},
		{Buffer{Blocks: PerRank, RootOnly: true}, true, 30},
	} {
		should.Equal(t, c.buffer.Elements(10, 3, c.root), c.want, "%+v at root %v: elements", c.buffer, c.root)
	}
	should.Equal(t, (Temp{One: 1, PerRank: 1, PerPair: 1, Padded: 2}).Elements(10, 3), 10+30+90+2*12, "temporaries: elements")
}

func TestReductionInBytesCountsBytes(t *testing.T) {
	f, _ := Get("gather_as_reduce")
	should.Equal(t, f.MaxCount(10, 8, 4), 320, "largest count")
	g, _ := Get("MPI_Bcast")
	should.Equal(t, g.MaxCount(10, 8, 4), 10, "largest count")
}

// MPI gets the count of one block; 10,000 blocks of 256 KiB are then no reason to leave
// Allgather out. A vector of displacements, or a reduction of all blocks, has them all.
func TestCountOfOneBlockIsWhatMPIGets(t *testing.T) {
	for id, want := range map[string]int64{
		"MPI_Allgather": 10, "MPI_Alltoall": 10, "MPI_Gather": 10, "MPI_Scatter": 10, "MPI_Reduce_scatter_block": 10, IdentityOf("MPI_Gather"): 10,
		"MPI_Allgatherv": 40, "MPI_Reduce_scatter": 40, "gather_as_allgather": 40, "scatter_as_bcast": 40, "allgather_as_allreduce": 40,
	} {
		f, ok := Get(id)
		got := f.MaxCount(10, 1, 4)
		should.Hold(t, ok && got == want, "%s: %d, want %d", id, got, want)
	}
}

func TestAutoOperatorIsAllowedOnItsDatatype(t *testing.T) {
	for _, d := range Datatypes() {
		ok := false
		for _, op := range d.Ops {
			ok = ok || op == d.Auto
		}
		should.Hold(t, ok, "%s: auto means %q, which it does not allow", d.Name, d.Auto)
	}
}

func TestBarrierNeedsNoMemoryAtAnySize(t *testing.T) {
	for _, id := range []string{"MPI_Barrier", "barrier_as_allreduce"} {
		f, ok := Get(id)
		should.Hold(t, ok && f.Send.Elements(10, 3, true) == 0 && f.Recv.Elements(10, 3, true) == 0 && f.Temp.Elements(10, 3) == 0,
			"%s, in the table %v, needs buffers", id, ok)
	}
}

func TestWhatStandsForAnAlltoallExchanges(t *testing.T) {
	for _, f := range append(slices.Clone(All()), Variants()...) {
		should.Equal(t, f.Exchange, strings.HasPrefix(cmp.Or(f.Of, f.ID), "MPI_Alltoall") && !strings.Contains(f.ID, "Neighbor"), "%s", f.ID)
	}
}

// What moves data by a reduction on bytes has the bytes of its collective.
func TestWhatReducesOrHasGapsHasNumbersUnderAuto(t *testing.T) {
	reduce := []string{"MPI_Allreduce", "MPI_Exscan", "MPI_Reduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Scan"}
	for _, f := range slices.Concat(All(), Variants()) {
		want, op := "byte", "bor"
		if slices.Contains(reduce, cmp.Or(f.Of, f.ID)) || strings.Contains(f.ID, "/vector") || strings.Contains(f.ID, "/indexed") {
			want, op = "double", "max"
		}
		if d, its := f.Elements(Auto, "max"); d.Name != want || its != op {
			t.Errorf("%s has %s and %s, want %s and %s", f.ID, d.Name, its, want, op)
		}
		if d, its := f.Elements("int", "max"); d.Name != "int" || its != "max" {
			t.Errorf("%s has %s and %s where the job says int and max", f.ID, d.Name, its)
		}
	}
}

// Importers ask for the same few names in every one of many files.
func TestANameIsLookedUpWithoutGoingThroughAllFunctions(t *testing.T) {
	should.Equal(t, Canonical("bCast@Binomial"), "MPI_Bcast@Binomial")
	should.Equal(t, Canonical("mine"), "mine")
	allocations := testing.AllocsPerRun(100, func() { Canonical("MPI_Reduce_scatter_block@x") })
	should.Hold(t, allocations <= 2, "%v allocations", allocations)
}
