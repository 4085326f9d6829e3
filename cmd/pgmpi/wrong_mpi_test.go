package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/should"
)

// The library plants wrong data (testdata/fault), and some are found after the last timed call: the table of
// docs/dev/mockups.md. Nothing is verified before, as in the second and later mpiruns of a check.
func TestLibraryThatGivesWrongDataIsCaughtInEveryMpirun(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		for _, c := range []struct {
			fault string
			found bool
			alone bool // one case, whose untimed calls have left the right data
		}{
			{"every", true, false},
			{"64-bytes", true, false},
			{"rank-1", true, false},
			{"second", true, false},
			{"send", true, false},
			{"behind", true, false},
			{"swap", true, false},
			{"after-100", true, false},
			{"idle-after-100", true, true},
			{"stale-after-100", true, true},
			{"1-in-100", true, false}, // the hundredth is the last one of its case
			{"1-in-10000", false, false},
			{"first-2", false, false}, // the first two are not timed
		} {
			j := wrongJob()
			if c.alone {
				j.Cases, j.Order, j.Warmup = j.Cases[:1], j.Order[:1], 100 // however long they take
			}
			out, err := b.with("wrong-"+c.fault).RunJob(2, j)
			if err != nil {
				t.Errorf("%s: %v", c.fault, err)
				continue
			}
			wrong := 0
			for _, r := range out.Cases {
				of := j.Cases[r.Case]
				if r.Status != protocol.StatusWrong {
					continue
				}
				if wrong++; of.Function != "MPI_Allgather" || c.fault == "64-bytes" && of.Msize != 64 {
					t.Errorf("%s: %s at %d bytes is wrong: %s", c.fault, of.Function, of.Msize, r.Message)
				}
			}
			should.Hold(t, (wrong > 0) == c.found, "%s: %d cases are wrong, want any: %t", c.fault, wrong, c.found)
		}
	})
}

// Other faults are in calls that are verified. They are found before the timed calls, or after them. Each is planted in
// one library, in `make test-all` in both.
func TestCallsThatAreWrongAreCaught(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for i, c := range []struct {
			fault, function, says string
			timed                 bool
		}{
			{"ulp", "MPI_Allreduce", "rank 1 of 2: the receive buffer is wrong at element 0 of block 0", false},
			{"single", "MPI_Allreduce", "the receive buffer is wrong at element ", false},
			{"post", "MPI_Iallreduce", "did not return from its post", false},
			{"start", "MPI_Allreduce_init", "in a call on other data after the timed ones the receive buffer is wrong", true},
			{"16-bits", "MPI_Bcast_c", "the receive buffer is wrong at element ", false},
			{"barrier", "MPI_Barrier", "in a call on other data after the timed ones rank 0 left before this rank had entered", true},
		} {
			j := measureJob(2, "double", "sum")
			j.Verify, j.Sync, j.Order, j.Cases = true, protocol.SyncDissemination, []int{0}, []protocol.JobCase{{Function: c.function, Msize: 1024, NRep: 1}}
			switch {
			case !mpirun.Everything && c.function != "MPI_Bcast_c" && !b.has(i):
				continue
			case c.function == "MPI_Barrier":
				j.Cases[0].Msize = 0
			case c.function == "MPI_Bcast_c" && b.Lib.Name == "openmpi":
				continue // 4 and 5 have none
			case c.function == "MPI_Bcast_c":
				j.Cases[0].Msize = 8 * (1<<16 + 5)
			}
			if c.timed {
				j.Cases[0].NRep = 200
			}
			for _, fault := range []string{c.fault, "none"} {
				out, err := b.with("wrong-"+fault).RunJob(2, j)
				if err != nil {
					t.Errorf("%s: %v", fault, err)
					continue
				}
				want := fault == c.fault
				r := out.Cases[0]
				should.Hold(t, (r.Status == protocol.StatusWrong) == want && strings.Contains(r.Message, c.says) == want, "%s: %s is %s: %s", fault, c.function, r.Status, r.Message)
			}
		}
	})
}

// A barrier that lets go does not synchronise, so nothing is timed: the mpirun fails.
func TestSynchronisationThatDoesNotHoldIsRefused(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		j := wrongJob()
		_, err := b.with("wrong-barrier").RunJob(2, j)
		// Chance decides which rank enters late.
		late := regexp.MustCompile(`the barrier of measure.sync = "barrier" does not hold: rank (0 of 2: rank 1|1 of 2: rank 0) left`)
		should.Hold(t, err != nil && late.MatchString(err.Error()), "%v", err)
	})
}

// wrongJob calls MPI_Allgather five times before its first case, and in each case. It has more than 30 cases.
func wrongJob() *protocol.Job {
	j := verifyJob(2, mockups.Datatype{Name: "byte", Bytes: 1}, "bor", 0, false)
	j.Cases, j.Order, j.Verify, j.FirstCalls, j.Warmup = nil, nil, false, 5, 1
	add := func(function string, msize int64) {
		j.Order = append(j.Order, len(j.Cases))
		j.Cases = append(j.Cases, protocol.JobCase{Function: function, Msize: msize, NRep: 3})
	}
	for msize := int64(1); msize <= 30; msize++ {
		add("MPI_Allgather", msize)
	}
	add("MPI_Allgather", 64)
	add("MPI_Allgather", 32<<10)
	add("allgather_as_alltoall", 64)
	return j
}

// A collective that spoils all its results is blamed alone: functions without it in their formula are measured and
// right, and the ranks understand each other. Each library meets half of the collectives, and of the functions without
// it every twelfth, in `make test-all` all.
func TestSpoiledCollectiveIsBlamedAlone(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for i, name := range mockups.Collectives() {
			spoiled, _ := mockups.Get(name)
			if !spoiled.HasData() || !b.has(i) {
				continue
			}
			j := b.variantsJob(2, mockups.Datatype{Name: "int", Bytes: 4}, "sum", 0, 1)
			for _, f := range mockups.All() {
				j.Order = append(j.Order, len(j.Cases))
				j.Cases = append(j.Cases, protocol.JobCase{Function: f.ID, Msize: 4, NRep: 2})
			}
			calls, n := regexp.MustCompile(`\b`+strings.TrimPrefix(name, "MPI_")+`\b`), i
			keep(j, func(f mockups.Function) bool {
				n++
				return mpirun.Everything || f.ID == name || f.Of == name || calls.MatchString(f.Formula) || n%12 == 0
			})
			j.FirstCalls, j.Layout, j.Measure.PerRank = 1, true, true
			out, err := b.with("spoiled-"+name).RunJob(2, j)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			should.Equal(t, out.Layout.Nodes[0].Ranks.String(), "0-1", "%s: the ranks of this host", name)
			for _, c := range out.Cases {
				f, _ := mockups.Get(j.Cases[c.Case].Function)
				if b.breaks(f) || b.lacks(f, 0) != "" || f.Over != "" {
					continue
				}
				should.Hold(t, c.Status == protocol.StatusOK || c.Status == protocol.StatusWrong && calls.MatchString(f.Formula),
					"%s is spoiled: %s is %s: %s", name, f.ID, c.Status, c.Message)
				should.Hold(t, f.ID != name || c.Status == protocol.StatusWrong, "%s is spoiled, and %s: %s", name, c.Status, c.Message)
			}
		}
	})
}

// Whatever is asked of a function, its wrong data end the command with 3.
func TestCommandsThatMeasureWrongDataEndWithThree(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.TOML("[check]\nguidelines = [\"GL1:MPI_Allgather\"]\nfunctions = [\"MPI_Allgather\"]\n[job]\nnp = [2]\nmpiruns = 2\nmsizes = [\"64\", \"128\"]\n[nrep]\nfixed = 5\n[analyze]\nmethod = \"paper\"\nalpha = 0.2\n")
		for _, words := range []string{"measure", "fingerprint MPI_Allgather:64", "check"} {
			for fault, codes := range map[string][]int{"wrong-every": {3}, "none": {0, 1, 4}} {
				command := strings.Fields(words)
				b.Out = filepath.Join(b.Dir, command[0]+"-"+fault)
				s := b.with(fault).Pgmpi(append(command, "--rank", b.Rank, "--out", b.Out, "--guidelines", gl)...).Exits(t, codes...)
				should.Hold(t, strings.Contains(s.Stderr, "gave wrong data") == (fault != "none"), "%s, %s:\n%s", words, fault, s.Stderr)
			}
		}
	})
}
