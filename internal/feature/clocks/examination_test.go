package clocks

import (
	"strings"
	"testing"

	"pgmpi/measure"
)

func TestWhatCannotBeExaminedIsRefused(t *testing.T) {
	ten, none := 10, 0
	ok := examination{Job: measure.JobConfig{NP: []int{2}}, Clock: "monotonic", Methods: []string{"hca3"}, Seconds: []float64{1, 5}}
	for want, change := range map[string]func(*examination){
		"0 is no number of processes":          func(c *examination) { c.Job.NP = []int{2, 0} },
		"2by1":                                 func(c *examination) { c.Job.Shapes = []string{"2x1", "2by1"} },
		"did you mean rdtscp?":                 func(c *examination) { c.Clock = "rdtsc" },
		"did you mean hca3+shared?":            func(c *examination) { c.Methods = []string{"hca3+share"} },
		"[5 1] must be above 0":                func(c *examination) { c.Seconds = []float64{5, 1} },
		"[1 100000] must be above 0, at most ": func(c *examination) { c.Seconds = []float64{1, 100000} },
		"--rank names 2: leave it out":         func(c *examination) { c.Ranks, c.Launch = []string{"a", "b"}, "mpirun -np {np}" },
		"names 2 methods: --barrier uses one":  func(c *examination) { c.Barriers, c.Methods = &ten, []string{"hca3", "jk"} },
		"0 is not 1 to 1000000":                func(c *examination) { c.Barriers = &none },
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
	var all examination
	all.Clock = "monotonic"
	if err := all.Check(); err != nil || len(all.Methods) != 8 {
		t.Errorf("by default %+v (%v), want every method once", all, err)
	}
}
