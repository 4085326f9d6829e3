package main

import (
	"strings"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Planted faults (testdata/fault) are counted by case. They count in the timed calls of all visits, at the rank
// that has them.
func TestPageFaultsAndSwitchesArePlantedAndCounted(t *testing.T) {
	const repetitions, visits, pages, switches = 40, 4, 32, 7
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		run := func(fault string) []protocol.CaseResult {
			j := verifyJob(2, mockups.Datatype{Name: "byte", Bytes: 1}, "bor", 0, false)
			j.Cases = []protocol.JobCase{{Function: "MPI_Allgather", Msize: 64, NRep: repetitions}, {Function: "allgather_as_alltoall", Msize: 64, NRep: repetitions}}
			j.Order, j.FirstCalls, j.Warmup = nil, 20, 100
			for range visits {
				j.Order = append(j.Order, 0, 1)
			}
			out := must.Get(b.with(fault).RunJob(2, j))(t)
			return out.Cases
		}
		// The library may meet a page for the first time, but not once a call.
		got := run("pages")
		if u := got[0].Usage; u == nil || u.FaultsRank != 1 || u.Faults < repetitions*pages || u.Faults >= repetitions*(pages+1) {
			t.Errorf("%d pages a call are planted at rank 1, in %d calls: %+v", pages, repetitions, u)
		}
		if u := got[1].Usage; u == nil || u.Faults >= repetitions {
			t.Errorf("no page is planted: %+v", u)
		}
		for i, c := range run("switches") {
			if u := c.Usage; u == nil || u.Switches != visits*switches || u.SwitchesRank != 1 {
				t.Errorf("case %d: %d switches are planted at rank 1 in each of %d visits: %+v", i, switches, visits, u)
			}
		}
	})
}

// Planted faults (testdata/fault) are in the counters of every repetition, and of no other.
func TestCountersOfEachRepetitionShowWhatIsPlanted(t *testing.T) {
	const repetitions, pages = 60, 32
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		j := verifyJob(2, mockups.Datatype{Name: "byte", Bytes: 1}, "bor", 0, false)
		j.Cases = []protocol.JobCase{{Function: "MPI_Allgather", Msize: 64, NRep: repetitions}, {Function: "allgather_as_alltoall", Msize: 64, NRep: repetitions}}
		j.Order, j.FirstCalls, j.Warmup = []int{0, 1, 0, 1}, 20, 100
		const variable = "mpi_t:pml_ob1_unexpected_msgq_length" // Open MPI's
		j.Measure.Counters = []string{"cycles", "page-faults", variable, "context-switches"}
		out := must.Get(b.with("pages").RunJob(2, j))(t)
		if len(out.End.Counters) != len(j.Measure.Counters) {
			t.Fatalf("%+v", out.End.Counters)
		}
		for i, c := range out.End.Counters {
			has := len(out.Counts[0][i]) == repetitions && len(out.Counts[1][i]) == repetitions
			if c.Name != j.Measure.Counters[i] || has == (c.Why != "") || (c.From == "") == (c.Why == "") {
				t.Errorf("%+v, with %d counts", c, len(out.Counts[0][i]))
			}
		}
		if c := out.End.Counters[2]; (c.Why == "") != (b.Lib.Name == "openmpi") {
			t.Errorf("%s: %+v", variable, c)
		}
		for i, n := range out.Counts[0][1] {
			if n < pages {
				t.Errorf("repetition %d has %d page faults, and %d are planted", i, n, pages)
			}
		}
		all := int64(0)
		for _, n := range out.Counts[1][1] {
			all += n
		}
		if all >= repetitions { // the library may meet a page for the first time
			t.Errorf("%d page faults in %d calls in which none is planted", all, repetitions)
		}
		for i, c := range out.Cases {
			if c.NRep != repetitions || c.Counting == nil || c.Counting.N != repetitions {
				t.Errorf("case %d: %d samples, and of what reading costs %+v", i, c.NRep, c.Counting)
			}
		}
	})
}

// The kernel may take a counter away while it counts: a missing count is not 0.
func TestCounterThatCannotBeReadAnyMoreIsLeftOut(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	s := b.with("counter-lost").Check("--guidelines", b.TOML(strings.Replace(twice, "fixed = 10", "fixed = 60", 1)), "--counters", "page-faults").Exits(t, 0, 1)
	folder, m := must.Two(results.Open(b.Out))(t)
	r := must.Get(folder.ReadRun(protocol.ModeMeasure, m.Plan.Shapes[0], 1, &m.Plan))(t)
	if len(r.Counters) != 1 || r.Counters[0].Why != "it could not be read in every repetition" {
		t.Errorf("%+v\n%s", r.Counters, s.Stderr)
	}
	for i := range m.Plan.Cases {
		if counters, _, err := folder.CountsOfCase(m.Plan.Shapes[0], 1, i); len(counters) > 0 || err != nil {
			t.Errorf("case %d has %+v, %v", i, counters, err)
		}
	}
}

// With two ranks a broadcast is one message, and an Alltoall one of each rank; MPICH's sends its own part too, and
// counts if its device is UCX.
func TestMessagesInsideOfCallsAreCountedExactly(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		j := verifyJob(2, mockups.Datatype{Name: "byte", Bytes: 1}, "bor", 0, false)
		j.Measure, j.Messages, j.Verify = nil, &protocol.MessagesJob{}, false
		j.Cases = []protocol.JobCase{{Function: "MPI_Bcast", Msize: 64}, {Function: "MPI_Alltoall", Msize: 1 << 10}}
		j.Order = []int{1, 0}
		out := must.Get(b.RunJob(2, j))(t)
		parts := map[string]int64{"openmpi": 1, "mpich": 2}[b.Lib.Name]
		for i, want := range []protocol.Messages{{Calls: 10, Count: 10, Bytes: 640, Most: 10}, {Calls: 10, Count: parts * 20, Bytes: parts * 20 << 10, Most: parts * 10}} {
			got := out.Cases[i].Messages
			if got == nil && b.Lib.Name == "mpich" { // it does not send by UCX
				continue
			}
			must.Hold(t, got != nil, "%s: not counted", j.Cases[i].Function)
			should.Equal(t, len(got.Pattern), 16, "digits of the pattern")
			got.Pattern = ""
			should.Equal(t, *got, want, "%s", j.Cases[i].Function)
		}
	})
}

// The findings of --messages are next to the verdicts; other libraries say that they have none.
func TestACheckCountsMessagesInAnMpirunOfItsOwn(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		e := b.Check("--guidelines", b.TOML(twice), "--messages").Exits(t, 0, 1, 4)
		counts, counted := b.Lib.Name == "openmpi", 0
		for _, v := range b.Report().Verdicts {
			if v.Sent != nil && v.Sent.Messages >= 1 && v.OtherSent != nil {
				counted++
			}
		}
		if want := len(b.Report().Verdicts); counted != want && counts || counted > 0 && !counts {
			t.Errorf("%d of %d verdicts have messages", counted, want)
		}
		if !counts {
			e.Says(t, "only Open MPI counts the messages")
			return
		}
		if r := b.Report(); r.Library.PML == "monitoring" {
			t.Error("the report names the layer that counted messages, not the one that was timed")
		}
		b.Pgmpi("analyze", b.Out, "--explain", "GL8:8").Exits(t, 0, 1, 4).Shows(t, `messages +sent`)
	})
}

// Open MPI takes memory from malloc in each call. A fresh process gives it back to the kernel, also after blocks of four
// times its size were freed.
func TestAFreshMallocMeetsPageFaultsThatASettledOneDoesNot(t *testing.T) {
	const repetitions = 20
	b, faults := newFixture(t, mpirun.Libraries[0]), map[string]int64{}
	for _, state := range protocol.Mallocs {
		j := verifyJob(2, mockups.Datatype{Name: "byte", Bytes: 1}, "bor", 0, false)
		j.Cases = []protocol.JobCase{{Function: "MPI_Reduce_scatter_block", Msize: 1 << 20, NRep: repetitions},
			{Function: "MPI_Reduce_scatter_block", Msize: 4 << 20, NRep: 2}}
		j.Order, j.FirstCalls, j.Warmup, j.Malloc = []int{1, 0}, 5, 10, state
		out := must.Get(b.RunJob(2, j))(t)
		faults[state] = out.Cases[0].Usage.Faults
		should.Equal(t, out.End.Timing.Malloc, state)
	}
	// The kernel decides how many, and whether in huge pages.
	should.Hold(t, faults[protocol.MallocFresh] >= 2*repetitions && faults[protocol.MallocFresh] > 2*faults[protocol.MallocSettled], "%d calls: %v", repetitions, faults)
}

// Calls of 64 KiB leave blocks that lie side by side in the heap.
func TestAFreshMallocGivesNoCallWhatOthersHaveFreed(t *testing.T) {
	const repetitions = 20
	b := newFixture(t, mpirun.Libraries[0])
	scan := func(before ...int64) int64 {
		j := verifyJob(2, mockups.Datatype{Name: "double", Bytes: 8}, "sum", 0, false)
		j.Cases, j.Order = nil, nil
		for _, size := range append(before, 128<<10) {
			j.Order = append(j.Order, len(j.Cases))
			j.Cases = append(j.Cases, protocol.JobCase{Function: "MPI_Scan", Msize: size, NRep: repetitions})
		}
		j.FirstCalls, j.Warmup, j.Malloc = 5, 10, protocol.MallocFresh
		out := must.Get(b.RunJob(2, j))(t)
		return out.Cases[len(before)].Usage.Faults
	}
	alone, beside := scan(), scan(1<<10, 16<<10, 64<<10, 120<<10)
	should.Hold(t, alone >= 2*repetitions && beside > alone/2, "%d calls: %d page faults alone, %d after others", repetitions, alone, beside)
}
