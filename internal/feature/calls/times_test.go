package calls

import (
	"math"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTimesAreThoseOfTheRunMedians(t *testing.T) {
	s := side(t, "a", fixture.Quiet, func(m *results.Manifest, runs []results.Run) {
		runs[0].Samples[1] = nil
		m.Skip = map[int]protocol.CaseResult{5: {Status: protocol.StatusNotMeasured, Message: "too much memory"}}
	})
	times, err := newTimes(s, false)
	must.Hold(t, err == nil && len(times.Cases) == 2, "%v, %+v", err, times.Cases)
	// Run medians are 10001 … 10012 ns; by hand, R's type 7.
	k := times.Cases[0]
	for name, x := range map[string]struct {
		got  *float64
		want float64
	}{"min": {k.MinS, 10001}, "q1": {k.Q1S, 10003.75}, "median": {k.MedianS, 10006.5}, "q3": {k.Q3S, 10009.25},
		"max": {k.MaxS, 10012}} {
		should.Hold(t, math.Abs(*x.got*1e9-x.want) <= 1e-6, "%s: %v ns, want %v", name, *x.got*1e9, x.want)
	}
	should.Hold(t, k.R == fixture.R && k.Reason == "", "R = %d, %q", k.R, k.Reason)
	k = times.Cases[1]
	should.Hold(t, k.R == fixture.R-1 && strings.Contains(k.Reason, "only 11 of 12") && *k.MinS*1e9 >= 15001,
		"one without a median: %+v", k)
	times, err = newTimes(s, true)
	must.Hold(t, err == nil && len(times.Cases) == 6, "%v, %+v", err, times.Cases)
	k = times.Cases[5]
	should.Hold(t, k.MedianS == nil && k.R == 0 && k.Reason == "too much memory", "not measured: %+v", k)
}

func side(t *testing.T, name string, ns []int64, change func(*results.Manifest, []results.Run)) *analyze.Side {
	t.Helper()
	m := fixture.Manifest()
	runs := fixture.Measured(m, ns...)
	if change != nil {
		change(m, runs)
	}
	a := must.Get(analyze.Analyze(m, runs, judge.Default()))(t)
	return a.Side(name)
}
