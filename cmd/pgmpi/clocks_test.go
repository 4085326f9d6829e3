package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
)

func TestClocksRefusesWhatItCannotDo(t *testing.T) {
	ok := clocksRun{Examination: untimed.Examination{Job: measure.JobConfig{NP: []int{2}}, Clock: "monotonic", Methods: []string{"hca3"}, Seconds: []float64{1, 5}}}
	for want, change := range map[string]func(*clocksRun){
		"0 is no number of processes":          func(c *clocksRun) { c.Job.NP = []int{2, 0} },
		"2by1":                                 func(c *clocksRun) { c.Job.Shapes = []string{"2x1", "2by1"} },
		"did you mean rdtscp?":                 func(c *clocksRun) { c.Clock = "rdtsc" },
		"did you mean hca3+shared?":            func(c *clocksRun) { c.Methods = []string{"hca3+share"} },
		"[5 1] must be above 0":                func(c *clocksRun) { c.Seconds = []float64{5, 1} },
		"[1 100000] must be above 0, at most ": func(c *clocksRun) { c.Seconds = []float64{1, 100000} },
		"--rank names 2: leave it out":         func(c *clocksRun) { c.Ranks, c.Launch = []string{"a", "b"}, "mpirun -np {np}" },
		"names 2 methods: --barrier uses one":  func(c *clocksRun) { c.barrier, c.calls, c.Methods = true, 10, []string{"hca3", "jk"} },
		"0 is not 1 to 1000000":                func(c *clocksRun) { c.barrier, c.calls = true, 0 },
	} {
		c := ok
		change(&c)
		if err := c.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := ok.check(); err != nil {
		t.Error(err)
	}
	var all clocksRun
	all.Clock = "monotonic"
	if err := all.check(); err != nil || len(all.Methods) != 8 {
		t.Errorf("by default %+v (%v), want every method once", all, err)
	}
}

func TestClocksFindsAllRankProgramsBeforeItStartsOne(t *testing.T) {
	b := emptyFixture(t, t.TempDir())
	const rank = `#!/bin/sh
echo '{"program": "pgmpi-rank", "library": "openmpi", "lib_version": "Open MPI", "built_for": "Open MPI", "hash": "x"}'
`
	must.Do(t, os.WriteFile(filepath.Join(b.dir, "rank"), []byte(rank), 0o777))
	s := b.pgmpi("clocks", "--np", "2", "--rank", b.dir+"/rank,"+b.dir+"/nowhere").exits(t, exitcode.Setup).says(t, "no rank program at", "nowhere")
	if strings.Contains(s.stderr, "methods to examine") {
		t.Errorf("an mpirun was started: %s", s.stderr)
	}
	b.pgmpi("clocks", "--calls", "20").exits(t, exitcode.Setup).says(t, "--calls goes with --barrier")
	b.pgmpi("clocks", "--barrier", "--seconds", "1").exits(t, exitcode.Setup).says(t, "--seconds does not go with --barrier")
}
