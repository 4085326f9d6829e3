package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/mockups"
)

// plain runs a program of the built ones and returns what it printed.
func (b *fixture) plain(np int, before []string, program string, args ...string) (string, error) {
	argv, env := b.launch(np)
	argv = slices.Concat(argv, before, []string{filepath.Join(b.bin, program+"-"+b.lib.name)}, args)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.WaitDelay = env, 5*time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A part of what `make bench BENCHES=exhaustive` compares.
func TestFunctionsGiveWhatMPIDefines(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for _, np := range []int{1, 2, 3, 6} { // 6 can be divided among nodes
			out, err := b.plain(np, nil, "exhaustive", fmt.Sprint(300*np*np))
			if err != nil || !strings.Contains(out, " 0 failures") || strings.Contains(out, " 0 calls") {
				t.Errorf("p = %d: %v\n%s", np, err, out)
			}
		}
	})
}

func TestWrongMockupsDifferFromTheDefinition(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[0])
	b.lib.name = "wrong-openmpi"
	out, err := b.plain(3, nil, "exhaustive", "400")
	if err == nil || !strings.Contains(out, "failures") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, id := range []string{"gather_as_allgather", "allgather_as_alltoall", "scatter_as_bcast", "reduce_as_allreduce", "reduce_scatter_as_allreduce",
		"scan_as_exscan+reduce_local"} {
		if !strings.Contains(out, id+": ") {
			t.Errorf("%s is wrong on purpose, and was not seen:\n%s", id, out)
		}
	}
}

// Every mock-up serves a program in the collective's stead, and leaves alone what
// it cannot do.
func TestAnotherProgramRunsThroughTheMockups(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for _, np := range []int{2, 5} {
			counts := filepath.Join(b.dir, fmt.Sprint("counts", np))
			out, err := b.interposed(np, b.lib.name, counts)
			if err != nil || !strings.Contains(out, "No Errors") {
				t.Errorf("p = %d: %v\n%s", np, err, out)
			}
			text, _ := os.ReadFile(counts)
			seen := map[string]bool{}
			anyFellBack := 0
			for line := range strings.Lines(string(text)) {
				var id string
				var through, fellBack, failed int
				if _, err := fmt.Sscan(line, &id, &through, &fellBack, &failed); err != nil || failed > 0 {
					t.Errorf("p = %d: %v: %s", np, err, line)
				}
				seen[id] = through > 0
				anyFellBack += fellBack
			}
			for _, f := range mockups.All() {
				if f.IsMockup() && !f.Identity && f.Over == "" && !seen[f.ID] {
					t.Errorf("p = %d: nothing went through %s", np, f.ID)
				}
			}
			if anyFellBack == 0 {
				t.Errorf("p = %d: MPI_IN_PLACE went through a mock-up", np)
			}
		}
	})
}

func TestAnotherProgramSeesWrongMockups(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[0])
	out, err := b.interposed(3, "wrong-openmpi", os.DevNull)
	if err == nil || strings.Contains(out, "No Errors") {
		t.Errorf("%v\n%s", err, out)
	}
}

// interposed runs testdata/interpose/calls.c through all mock-ups.
func (b *fixture) interposed(np int, by, counts string) (string, error) {
	preload := filepath.Join(b.bin, "interpose-"+by+".so") + ":" + filepath.Join(b.bin, "yield.so")
	if !b.lib.yield {
		preload = filepath.Join(b.bin, "interpose-"+by+".so")
	}
	return b.plain(np, []string{"env", "LD_PRELOAD=" + preload, "PGMPI_MOCKUP=all", "PGMPI_INTERPOSED=" + counts}, "calls")
}
