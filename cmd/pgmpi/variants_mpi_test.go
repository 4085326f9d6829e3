package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

// brokenInMPICH4 lists the persistent collectives of MPICH 4.0.2 that give wrong data: the first from its first
// start on, the others when they are started again.
var brokenInMPICH4 = []string{"MPI_Gather", "MPI_Allgather", "MPI_Scatter"}

// breaks tells whether a call may be wrong with a library.
func (b *fixture) breaks(f mockups.Function) bool {
	return b.Lib.Name == "mpich" && (f.Call == mockups.Persistent || f.Call == mockups.PersistentTimes) && slices.Contains(brokenInMPICH4, f.Of)
}

// lacks returns why a call cannot be made with a library, or "": Open MPI 4 and 5 have no
// large counts, MPICH 4.0 crashes in one call.
func (b *fixture) lacks(f mockups.Function, root int) string {
	switch {
	case f.ID == "MPI_Reduce/in_place" && root != 0 && b.isMPICH402():
		return "6540"
	case b.Lib.Name == "openmpi" && f.Call == mockups.LargeCount:
		return "has no " + f.ID
	}
	return ""
}

func (b *fixture) isMPICH402() bool {
	version, _ := exec.Command(b.Rank, "--version").Output()
	return strings.Contains(string(version), "MPICH 4.0.2")
}

// variantsJob verifies every other way to call a collective, at some counts of elements. It leaves out MPICH's
// persistent Scatter on more than two processes: some of them get an error there, and the others wait for them. Messages
// are between two ranks that are not the first ones.
func (b *fixture) variantsJob(np int, d mockups.Datatype, op string, root int, counts ...int64) *protocol.Job {
	j := measureJob(np, d.Name, op)
	j.Root, j.Seed, j.Verify = root, 1, true
	for _, f := range mockups.Variants() {
		if b.breaks(f) && f.Of == "MPI_Scatter" && np > 2 {
			continue
		}
		id := f.ID
		if f.Message && np > 2 {
			id = mockups.Between(id, [2]int{1, np - 1})
		}
		for _, count := range counts {
			j.Order = append(j.Order, len(j.Cases))
			j.Cases = append(j.Cases, protocol.JobCase{Function: id, Msize: count * guidelines.Extent(d.Name, f.ID), NRep: 1})
		}
	}
	return j
}

// Each number of processes meets another datatype, operator and root. Beyond two the processes share cores, and each
// way is called at one count; with 3 and 4 processes by one library or the other, in `make test-all` by both.
func TestEveryWayToCallACollectiveGivesTheRightData(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		types := slices.DeleteFunc(slices.Clone(mockups.Datatypes()), isOther)
		for np := 1; np <= mostRanks(5); np++ {
			d := types[np%len(types)]
			root := roots(np)[(np+b.LibraryIndex())%3]
			j := b.variantsJob(np, d, d.Ops[np%len(d.Ops)], root, []int64{1, 841}[min(1, np/3):]...)
			if n := np; np > 2 && !mpirun.Everything {
				keep(j, func(mockups.Function) bool { n++; return b.has(n) })
			}
			out, err := b.RunJob(np, j)
			if err != nil {
				t.Errorf("p = %d: %v", np, err)
				continue
			}
			wrong := map[string]bool{}
			for _, c := range out.Cases {
				f, _ := mockups.Get(j.Cases[c.Case].Function)
				lacks := b.lacks(f, root)
				if f.Message && np == 1 {
					lacks = "needs two processes"
				}
				switch {
				case c.Status == protocol.StatusWrong && b.breaks(f):
					wrong[f.ID] = true
				case lacks != "" && c.Status == protocol.StatusNotMeasured && strings.Contains(c.Message, lacks):
				case c.Status != protocol.StatusOK || lacks != "":
					t.Errorf("p = %d, %s, root %d: %s at %d bytes is %s: %s", np, d.Name, root, f.ID, j.Cases[c.Case].Msize, c.Status, c.Message)
				}
			}
			if np == 2 && b.isMPICH402() && len(wrong) != 2*len(brokenInMPICH4) {
				t.Errorf("p = %d: wrong are %v, want the persistent %v", np, wrong, brokenInMPICH4)
			}
		}
	})
}

// MPICH 4.0.2 and 4.2.1 give wrong data when a persistent Gather is started: an error names it with what leaves it out,
// and the others are judged.
func TestWrongPersistentCallIsNamedAndLeftOut(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		file := b.TOML(strings.Replace(quick, `"GL8", "GL1:MPI_Bcast"`, `"NB3:MPI_Gather_init", "NB3:MPI_Scan_init"`, 1))
		s := b.Check("--guidelines", file).Exits(t, 0, 1, 3)
		if s.Code != 3 && !b.isMPICH402() {
			return
		}
		s.Exits(t, 3)
		if !strings.Contains(s.Stderr, `exclude = ["NB3:MPI_Gather_init"]`) {
			t.Errorf("no line leaves MPI_Gather_init out:\n%s", s.Stderr)
		}
		for _, v := range b.Report().Verdicts {
			if (v.Verdict == judge.Wrong) != (v.Function == "MPI_Gather_init") || v.Verdict == judge.NotMeasured {
				t.Errorf("%s at %d bytes is %s: %s", v.Function, v.Msize, v.Verdict, v.Reason)
			}
		}
	})
}

// Every planted fault is caught: a posted call that does nothing, one in place that leaves its input, a request
// that gives again what its first start has given, a part in the wrong place, a byte in a gap, and neighbors taken
// for each other.
func TestWrongCallsAreCaught(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.useRank("pgmpi-rank-wrong-openmpi")
	d, _ := mockups.GetDatatype("int")
	j := b.variantsJob(3, d, "sum", 0, 1, 841)
	keep(j, func(f mockups.Function) bool {
		return slices.Contains([]string{"MPI_Allgather", "MPI_Allreduce", "MPI_Bcast", "MPI_Gatherv", "MPI_Neighbor_alltoall", "MPI_Scan",
			"MPI_Scatterv"}, f.Of)
	})
	out := must.Get(b.RunJob(3, j))(t)
	for _, c := range out.Cases {
		id, small := j.Cases[c.Case].Function, j.Cases[c.Case].Msize <= 1024
		always := slices.Contains([]string{"MPI_Iallgather", "MPI_Scan/in_place", "MPI_Gatherv/linear", "MPI_Scatterv/lopsided/padded", "MPI_Bcast/vector", "MPI_Neighbor_alltoall"}, id)
		want := always || small && (id == "MPI_Allreduce_init" || id == "MPI_Allreduce_init/10")
		if (c.Status == protocol.StatusWrong) != want {
			t.Errorf("%s at %d bytes is %s: %s", id, j.Cases[c.Case].Msize, c.Status, c.Message)
		}
	}
}
