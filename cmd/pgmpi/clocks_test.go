package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/measure/protocol"
)

func syncOf(method string, took time.Duration, wrong, bound int64) protocol.ClockSync {
	return protocol.ClockSync{Method: method, DurationNS: int64(took), Rounds: 2, Messages: 300, Checks: []protocol.ClockCheck{
		{ErrorNS: []int64{0, 0, 0}, BoundNS: []int64{0, 90, bound}},
		{Seconds: 5, ErrorNS: []int64{0, wrong, -wrong / 2}, BoundNS: []int64{0, 90, bound}},
	}}
}

func TestParetoKeepsWhatNoOtherBeatsInBoth(t *testing.T) {
	syncs := []protocol.ClockSync{
		syncOf("quick", time.Millisecond, 80000, 100),
		syncOf("slow and no closer", 2*time.Millisecond, 80000, 100),
		syncOf("close", time.Second, 300, 100),
		syncOf("closest", 9*time.Second, 100, 100),
		syncOf("below what is known", 10*time.Second, 3, 100),
		{Method: "failed", Failed: "for a reason"},
	}
	if got, want := pareto(syncs), []bool{true, false, true, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestClocksRefusesWhatItCannotDo(t *testing.T) {
	ok := clocksRun{np: []int{2}, clock: "monotonic", methods: []string{"hca3"}, seconds: []float64{1, 5}, format: "json"}
	for want, change := range map[string]func(*clocksRun){
		"0 is no number of processes":          func(c *clocksRun) { c.np = []int{2, 0} },
		"did you mean rdtscp?":                 func(c *clocksRun) { c.clock = "rdtsc" },
		"did you mean hca3+shared?":            func(c *clocksRun) { c.methods = []string{"hca3+share"} },
		"[5 1] must be above 0":                func(c *clocksRun) { c.seconds = []float64{5, 1} },
		"[1 100000] must be above 0, at most ": func(c *clocksRun) { c.seconds = []float64{1, 100000} },
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
	all.clock, all.format = "monotonic", "table"
	if err := all.check(); err != nil || len(all.methods) != 8 || len(all.np) != 1 {
		t.Errorf("by default %+v (%v), want every method once and one number of processes", all, err)
	}
}
