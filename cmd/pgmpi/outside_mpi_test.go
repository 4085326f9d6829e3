package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// plain runs one of the built programs and returns what it printed.
func (b *fixture) plain(np int, program string, args ...string) (string, error) {
	return b.Ranks(np, append([]string{filepath.Join(b.Bin, program+"-"+b.Lib.Name)}, args...)...)
}

// PGMPI_EXHAUSTIVE=20 compares one of 20 combinations on 1 to 9 processes, 1 all of them,
// which takes hours; without it the test takes a few.
func TestFunctionsGiveWhatMPIDefines(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		processes, every := []int{1, 2, 3, 4}, os.Getenv("PGMPI_EXHAUSTIVE") // 4 can be divided among nodes
		if mpirun.Everything {
			processes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
		}
		if every != "" {
			processes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
		}
		for _, np := range processes {
			out, err := b.plain(np, "exhaustive", cmp.Or(every, fmt.Sprint(600*np*np)))
			should.Hold(t, err == nil && strings.Contains(out, " 0 failures") && !strings.Contains(out, " 0 calls"), "p = %d: %v\n%s", np, err, out)
		}
	})
}

func TestWrongMockupsDifferFromTheDefinition(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.Lib.Name = "wrong-openmpi"
	out, err := b.plain(3, "exhaustive", "400")
	must.Hold(t, err != nil && strings.Contains(out, "failures"), "%v\n%s", err, out)
	for _, id := range []string{"gather_as_allgather", "allgather_as_alltoall", "scatter_as_bcast", "reduce_as_allreduce", "reduce_scatter_as_allreduce",
		"scan_as_exscan+reduce_local"} {
		should.Hold(t, strings.Contains(out, id+": "), "%s is wrong on purpose, and was not seen:\n%s", id, out)
	}
}

// callsOn runs testdata/interpose/calls.c.
func (b *fixture) callsOn(np int) mpirun.Program {
	return mpirun.Program{Argv: []string{filepath.Join(b.Bin, "calls-"+b.Lib.Name)}, NP: np}
}

// Every mock-up serves a program instead of the collective. It leaves alone what it cannot do.
func TestAnotherProgramRunsThroughTheMockups(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for _, np := range []int{2, fewRanks()} {
			seen, err := b.interposed(b.callsOn(np), b.Lib.Name, "all")
			should.Do(t, err, "p = %d", np)
			anyFellBack := 0
			for id, c := range seen {
				anyFellBack += c.fellBack
				should.Hold(t, c.failed <= 0, "p = %d: %s failed", np, id)
			}
			for _, f := range mockups.All() {
				should.Hold(t, !f.IsMockup() || f.Identity || f.Over != "" || seen[f.ID].through != 0, "p = %d: nothing went through %s", np, f.ID)
			}
			should.Hold(t, anyFellBack != 0, "p = %d: MPI_IN_PLACE went through a mock-up", np)
		}
	})
}

// PGMPI_SUITE=DIR sends the programs of a test suite as MPICH's test/mpi/coll, built in
// DIR/openmpi and DIR/mpich, through each mock-up alone (docs/guidelines.md).
func TestProgramsOfATestSuiteRunThroughEachMockup(t *testing.T) {
	suite := os.Getenv("PGMPI_SUITE")
	if suite == "" {
		t.Skip("PGMPI_SUITE names no folder of built test programs")
	}
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for _, p := range mpirun.Testlist(t, filepath.Join(suite, b.Lib.Name)) {
			could, err := b.interposed(p, b.Lib.Name, "none")
			if err != nil {
				t.Logf("left out, as it is not right without a mock-up: %v", err)
				continue
			}
			uses := map[string]bool{}
			for id, c := range could {
				if f, _ := mockups.Get(id); c.through > 0 {
					uses[f.Of] = true
				}
			}
			for _, f := range mockups.All() {
				if !f.IsMockup() || f.Identity || f.Over != "" || !uses[f.Of] { // interpose.c knows no nodes
					continue
				}
				if did, err := b.interposed(p, b.Lib.Name, f.ID); err != nil || did[f.ID].failed > 0 {
					t.Errorf("%s: %d calls failed, %v", f.ID, did[f.ID].failed, err)
				}
			}
		}
	})
}

func TestAnotherProgramSeesWrongMockups(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	_, err := b.interposed(b.callsOn(3), "wrong-openmpi", "all")
	should.Hold(t, err != nil, "not seen")
}

// callCounts counts what became of the calls of a collective.
type callCounts struct{ through, fellBack, failed int }

// interposed runs a program through mock-ups, and counts its calls by mock-up. A program that does not end well
// within two minutes is an error.
func (b *fixture) interposed(p mpirun.Program, by, mockup string) (map[string]callCounts, error) {
	preload := filepath.Join(b.Bin, "interpose-"+by+".so")
	if b.Lib.Yield {
		preload += ":" + filepath.Join(b.Bin, "yield.so")
	}
	counts := filepath.Join(b.Dir, "counts")
	_ = os.Remove(counts)
	said, err := b.Ranks(p.NP, append([]string{"timeout", "120", "env", "LD_PRELOAD=" + preload, "PGMPI_MOCKUP=" + mockup, "PGMPI_INTERPOSED=" + counts}, p.Argv...)...)
	if err != nil || !strings.Contains(said, "No Errors") {
		err = fmt.Errorf("%v on %d: %w: %s", p.Argv, p.NP, cmp.Or(err, errors.New("it does not say \"No Errors\"")), said)
	}
	text, _ := os.ReadFile(counts) // a program that was aborted writes none
	found := map[string]callCounts{}
	for line := range strings.Lines(string(text)) {
		var id string
		var c callCounts
		if _, err := fmt.Sscan(line, &id, &c.through, &c.fellBack, &c.failed); err != nil {
			return found, fmt.Errorf("counts of %v: %q: %w", p.Argv, line, err)
		}
		found[id] = c
	}
	return found, err
}
