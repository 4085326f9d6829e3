package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/mockups"
)

// plain runs a program of the built ones and returns what it printed.
func (b *fixture) plain(np int, program string, args ...string) (string, error) {
	return b.ranks(np, append([]string{filepath.Join(b.bin, program+"-"+b.lib.name)}, args...)...)
}

func (b *fixture) ranks(np int, program ...string) (string, error) {
	argv, env := b.launch(np)
	argv = append(argv, program...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.WaitDelay = env, 5*time.Second
	startedByHand.Lock()
	defer startedByHand.Unlock()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// PGMPI_EXHAUSTIVE=20 compares one of 20 combinations on 1 to 9 processes, 1 all of them,
// which takes hours; without it the test takes a few.
func TestFunctionsGiveWhatMPIDefines(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		processes, every := []int{1, 2, 3, 4}, os.Getenv("PGMPI_EXHAUSTIVE") // 4 can be divided among nodes
		if everything {
			processes = []int{1, 2, 3, 6}
		}
		if every != "" {
			processes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
		}
		for _, np := range processes {
			out, err := b.plain(np, "exhaustive", cmp.Or(every, fmt.Sprint(300*np*np)))
			should.Hold(t, err == nil && strings.Contains(out, " 0 failures") && !strings.Contains(out, " 0 calls"), "p = %d: %v\n%s", np, err, out)
		}
	})
}

func TestWrongMockupsDifferFromTheDefinition(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[0])
	b.lib.name = "wrong-openmpi"
	out, err := b.plain(3, "exhaustive", "400")
	must.Hold(t, err != nil && strings.Contains(out, "failures"), "%v\n%s", err, out)
	for _, id := range []string{"gather_as_allgather", "allgather_as_alltoall", "scatter_as_bcast", "reduce_as_allreduce", "reduce_scatter_as_allreduce",
		"scan_as_exscan+reduce_local"} {
		should.Hold(t, strings.Contains(out, id+": "), "%s is wrong on purpose, and was not seen:\n%s", id, out)
	}
}

// program is what is run on how many processes. One that is right says "No Errors".
type program struct {
	argv []string
	np   int
}

// callsOn is testdata/interpose/calls.c.
func (b *fixture) callsOn(np int) program {
	return program{[]string{filepath.Join(b.bin, "calls-"+b.lib.name)}, np}
}

// Every mock-up serves a program in the collective's stead, and leaves alone what
// it cannot do.
func TestAnotherProgramRunsThroughTheMockups(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for _, np := range []int{2, 5} {
			seen, err := b.interposed(b.callsOn(np), b.lib.name, "all")
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
// DIR/openmpi and DIR/mpich, through each mock-up alone (docs/mockups.md).
func TestProgramsOfATestSuiteRunThroughEachMockup(t *testing.T) {
	suite := os.Getenv("PGMPI_SUITE")
	if suite == "" {
		t.Skip("PGMPI_SUITE names no folder of built test programs")
	}
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for _, p := range testlist(t, filepath.Join(suite, b.lib.name)) {
			could, err := b.interposed(p, b.lib.name, "none")
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
				if did, err := b.interposed(p, b.lib.name, f.ID); err != nil || did[f.ID].failed > 0 {
					t.Errorf("%s: %d calls failed, %v", f.ID, did[f.ID].failed, err)
				}
			}
		}
	})
}

// testlist reads which programs of a folder are to be run. Those that were not built, or
// are expected to fail, are left out.
func testlist(t *testing.T, folder string) (all []program) {
	text, err := os.ReadFile(filepath.Join(folder, "testlist"))
	must.Do(t, err)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 || strings.HasPrefix(line, "#") || slices.ContainsFunc(f, func(w string) bool { return strings.HasPrefix(w, "xfail=") }) {
			continue
		}
		p := program{argv: []string{filepath.Join(folder, f[0])}}
		if p.np, err = strconv.Atoi(f[1]); err != nil {
			t.Fatalf("%s/testlist: %q: the second word is to be the number of processes", folder, strings.TrimSpace(line))
		}
		for _, w := range f[2:] {
			if arg, ok := strings.CutPrefix(w, "arg="); ok {
				p.argv = append(p.argv, arg)
			}
		}
		if _, err := os.Stat(p.argv[0]); err == nil {
			all = append(all, p)
		}
	}
	must.Hold(t, len(all) != 0, "%s: none of the programs of its testlist is built", folder)
	return all
}

func TestAnotherProgramSeesWrongMockups(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[0])
	_, err := b.interposed(b.callsOn(3), "wrong-openmpi", "all")
	should.Hold(t, err != nil, "not seen")
}

// callCounts count what became of the calls of a collective.
type callCounts struct{ through, fellBack, failed int }

// interposed runs a program through mock-ups, and returns its calls by the mock-ups that
// were used. A program that does not end well within two minutes is an error.
func (b *fixture) interposed(p program, by, mockup string) (map[string]callCounts, error) {
	preload := filepath.Join(b.bin, "interpose-"+by+".so")
	if b.lib.yield {
		preload += ":" + filepath.Join(b.bin, "yield.so")
	}
	counts := filepath.Join(b.dir, "counts")
	_ = os.Remove(counts)
	said, err := b.ranks(p.np, append([]string{"timeout", "120", "env", "LD_PRELOAD=" + preload, "PGMPI_MOCKUP=" + mockup, "PGMPI_INTERPOSED=" + counts}, p.argv...)...)
	if err != nil || !strings.Contains(said, "No Errors") {
		err = fmt.Errorf("%v on %d: %w: %s", p.argv, p.np, cmp.Or(err, errors.New("it does not say \"No Errors\"")), said)
	}
	text, _ := os.ReadFile(counts) // one that was aborted writes none
	found := map[string]callCounts{}
	for line := range strings.Lines(string(text)) {
		var id string
		var c callCounts
		if _, err := fmt.Sscan(line, &id, &c.through, &c.fellBack, &c.failed); err != nil {
			return found, fmt.Errorf("counts of %v: %q: %w", p.argv, line, err)
		}
		found[id] = c
	}
	return found, err
}
