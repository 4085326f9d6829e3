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
	ten, none := 10, 0
	ok := untimed.Examination{Job: measure.JobConfig{NP: []int{2}}, Clock: "monotonic", Methods: []string{"hca3"}, Seconds: []float64{1, 5}}
	for want, change := range map[string]func(*untimed.Examination){
		"0 is no number of processes":          func(c *untimed.Examination) { c.Job.NP = []int{2, 0} },
		"2by1":                                 func(c *untimed.Examination) { c.Job.Shapes = []string{"2x1", "2by1"} },
		"did you mean rdtscp?":                 func(c *untimed.Examination) { c.Clock = "rdtsc" },
		"did you mean hca3+shared?":            func(c *untimed.Examination) { c.Methods = []string{"hca3+share"} },
		"[5 1] must be above 0":                func(c *untimed.Examination) { c.Seconds = []float64{5, 1} },
		"[1 100000] must be above 0, at most ": func(c *untimed.Examination) { c.Seconds = []float64{1, 100000} },
		"--rank names 2: leave it out":         func(c *untimed.Examination) { c.Ranks, c.Launch = []string{"a", "b"}, "mpirun -np {np}" },
		"names 2 methods: --barrier uses one":  func(c *untimed.Examination) { c.Barriers, c.Methods = &ten, []string{"hca3", "jk"} },
		"0 is not 1 to 1000000":                func(c *untimed.Examination) { c.Barriers = &none },
	} {
		c := ok
		change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := ok.Check(); err != nil {
		t.Error(err)
	}
	var all untimed.Examination
	all.Clock = "monotonic"
	if err := all.Check(); err != nil || len(all.Methods) != 8 {
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
