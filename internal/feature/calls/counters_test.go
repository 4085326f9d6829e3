package calls

import (
	"math"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// In two mpiruns the run-time follows the first counter. It does not follow the second, which is always the same;
// the third could not be read.
func TestCountersAreHeldAgainstTheRunTime(t *testing.T) {
	m := fixture.Manifest()
	m.R = 2
	runs := fixture.Measured(m, 1, 1, 1, 1, 1, 1)[:2]
	var all []*results.Run
	counted := [][]int64{make([]int64, 20), make([]int64, 20)}
	for i := range 20 {
		counted[0][i], counted[1][i] = int64(i%4), 385
	}
	for n := range runs {
		r := &runs[n]
		r.Samples[1] = make([]protocol.Sample, 20)
		for i := range r.Samples[1] {
			r.Samples[1][i].NS = int64(n+1) * (1000 + 100*int64(i%4))
		}
		r.Samples[1][19] = protocol.Sample{NS: 1, Flags: protocol.FlagLate} // not valid: it does not count
		r.Cases[1].NRep, r.Cases[1].Counting = 20,
			&protocol.Counting{N: 20, WithNS: 1200 * float64(n+1), WithoutNS: 1000 * float64(n+1)}
		r.Counters = []protocol.Counter{{Name: "context-switches", From: "perf_event_open"},
			{Name: "page-faults", From: "getrusage"}, {Name: "cycles", Why: "hidden"}}
		all = append(all, r)
	}
	f := must.Get(newFingerprint("folder", m, 1, all))(t)
	f.AddReading(all, 1)
	for _, r := range all {
		f.AddCounts(r.Run, r.Counters[:2], counted)
	}
	must.Do(t, f.Correlate())
	must.Hold(t, len(f.Counters) == 3, "%+v", f.Counters)
	near := func(what string, got *float64, want float64) {
		t.Helper()
		should.Hold(t, got != nil && math.Abs(*got-want) <= 1e-9, "%s: %v, want %v", what, got, want)
	}
	a, b, c := f.Counters[0], f.Counters[1], f.Counters[2]
	near("correlation", a.R, 1)
	near("mean of 0, 1, 2, 3 without the last 3", a.Mean, 27.0/19)
	near("most", a.Max, 3)
	near("none", a.None, 5.0/19)
	near("mean", b.Mean, 385)
	near("none of a counter that always counts", b.None, 0)
	should.Hold(t, b.R == nil && c.Mean == nil && c.Why == "hidden",
		"what does not change, and what was not read, goes with nothing: %+v, %+v", b, c)
	near("what reading costs", &f.Reading.Ratio, 1.2)
	near("with", &f.Reading.WithS, 1800e-9)
}
