package mockups

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

func TestEveryMockupEmulatesACollectiveOfTheTable(t *testing.T) {
	for _, f := range All() {
		if !f.IsMockup() {
			continue
		}
		of, ok := Get(f.Of)
		if !ok || of.IsMockup() {
			t.Errorf("%s emulates %q", f.ID, f.Of)
		}
		if f.Send != of.Send || f.Recv != of.Recv || f.Rooted != of.Rooted || f.Reduces != of.Reduces {
			t.Errorf("%s has other arguments than %s", f.ID, f.Of)
		}
		if f.Formula == "" || f.What == "" {
			t.Errorf("%s has no formula or no description", f.ID)
		}
	}
}

func TestEveryFunctionWithDataHasAResult(t *testing.T) {
	for _, f := range All() {
		if (f.Result != nil) != f.HasData() {
			t.Errorf("%s: it has data: %v, it has a result: %v", f.ID, f.HasData(), f.Result != nil)
		}
	}
}

func TestIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.ID] {
			t.Errorf("%s is in the table twice", f.ID)
		}
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
		if got := c.buffer.Elements(10, 3, c.root); got != c.want {
			t.Errorf("%+v at root %v: %d elements, want %d", c.buffer, c.root, got, c.want)
		}
	}
	if got := (Temp{One: 1, PerRank: 1, Padded: 2}).Elements(10, 3); got != 10+30+2*12 {
		t.Errorf("temporaries: %d elements", got)
	}
}

func TestReductionInBytesCountsBytes(t *testing.T) {
	f, _ := Get("gather_as_reduce")
	if got := f.MaxCount(10, 8, 4); got != 320 {
		t.Errorf("largest count %d, want 4 blocks of 80 bytes", got)
	}
	g, _ := Get("MPI_Bcast")
	if got := g.MaxCount(10, 8, 4); got != 10 {
		t.Errorf("largest count %d, want 10 elements", got)
	}
}

// MPI gets the count of one block; 10,000 blocks of 256 KiB are then no reason to leave
// Allgather out. A vector of displacements, or a reduction of all blocks, has them all.
func TestCountOfOneBlockIsWhatMPIGets(t *testing.T) {
	for id, want := range map[string]int64{
		"MPI_Allgather": 10, "MPI_Alltoall": 10, "MPI_Gather": 10, "MPI_Scatter": 10, "MPI_Reduce_scatter_block": 10, IdentityOf("MPI_Gather"): 10,
		"MPI_Allgatherv": 40, "MPI_Reduce_scatter": 40, "gather_as_allgather": 40, "scatter_as_bcast": 40, "allgather_as_allreduce": 40,
	} {
		f, ok := Get(id)
		if got := f.MaxCount(10, 1, 4); !ok || got != want {
			t.Errorf("%s: %d, want %d", id, got, want)
		}
	}
}

func TestAutoOperatorIsAllowedOnItsDatatype(t *testing.T) {
	for _, d := range Datatypes() {
		ok := false
		for _, op := range d.Ops {
			ok = ok || op == d.Auto
		}
		if !ok {
			t.Errorf("%s: auto means %q, which it does not allow", d.Name, d.Auto)
		}
	}
}

func TestBarrierNeedsNoMemoryAtAnySize(t *testing.T) {
	for _, id := range []string{"MPI_Barrier", "barrier_as_allreduce"} {
		f, ok := Get(id)
		if !ok || f.Send.Elements(10, 3, true) != 0 || f.Recv.Elements(10, 3, true) != 0 || f.Temp.Elements(10, 3) != 0 {
			t.Errorf("%s, in the table %v, needs buffers", id, ok)
		}
	}
}

func TestWhatCallsAnAlltoallExchanges(t *testing.T) {
	for _, f := range append(slices.Clone(All()), Variants()...) {
		if want := strings.Contains(strings.ToLower(f.ID), "alltoall") && !strings.Contains(f.ID, "Neighbor"); f.Exchange != want {
			t.Errorf("%s: %v", f.ID, f.Exchange)
		}
	}
}

// What moves data by a reduction on bytes has the bytes of its collective.
func TestWhatReducesHasNumbersUnderAuto(t *testing.T) {
	reduce := []string{"MPI_Allreduce", "MPI_Exscan", "MPI_Reduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Scan"}
	for _, f := range slices.Concat(All(), Variants()) {
		want, op := "byte", "bor"
		if slices.Contains(reduce, cmp.Or(f.Of, f.ID)) {
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
