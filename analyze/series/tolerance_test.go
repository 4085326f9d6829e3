package series

import (
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// nonblocking is a plan of NB2 about MPI_Ireduce at 8 and 64 B: cases 0, 1, against 2, 3.
func nonblocking() *results.Manifest {
	m := fixture.Empty(fixture.R)
	nb2 := guidelines.Guideline{ID: "NB2", Type: guidelines.Pattern, Function: "MPI_Ireduce", Mockup: "MPI_Reduce", Tolerant: true}
	for i, f := range []string{nb2.Function, nb2.Function, nb2.Mockup, nb2.Mockup} {
		fixture.Case(m, f, fixture.P2, []int64{8, 64}[i%2])
	}
	for i, size := range []int64{8, 64} {
		fixture.Test(m, nb2, fixture.P2, size, 2+i)
	}
	m.Plan.Cases[0].Variant, m.Plan.Cases[1].Variant = "nonblocking", "nonblocking"
	return m
}

// 1.25 · 1 µs + 1 µs is more than 1.9 µs; 1.25 · 100 µs + 1 µs is less than 150 µs.
func TestNonblockingCallMayTakeWhatARequestCosts(t *testing.T) {
	m := nonblocking()
	runs := fixture.Measured(m, 1900, 150000, 1000, 100000)
	r := analyzed(t, m, runs, judge.Default())
	got, want := verdicts(r), "kept violated"
	must.Hold(t, got == want, "verdicts %q, want %q", got, want)
	v := r.Verdicts[1]
	should.Hold(t, math.Abs(*v.OtherMedianS-126e-6) <= 1e-7 && math.Abs(*v.Ratio-150.0/126) <= 0.01 && v.Alternative == nil,
		"it may take %g s, ratio %g, alternative %v", *v.OtherMedianS, *v.Ratio, v.Alternative)
	cfg := judge.Default()
	cfg.NBTolerance, cfg.NBAllowance = 0, 0
	should.Equal(t, verdicts(analyzed(t, m, runs, cfg)), "violated violated", "without tolerance")
}

func TestWrongCallIsExcludedByItsName(t *testing.T) {
	m := nonblocking()
	runs := fixture.Measured(m, 1900, 150000, 1000, 100000)
	runs[0].Cases[1].CaseResult = protocol.CaseResult{Status: protocol.StatusWrong, Message: "wrong"}
	r := analyzed(t, m, runs, judge.Default())
	should.Equal(t, r.Exclude, []string{"NB2:MPI_Ireduce"}, "exclude")
	should.Hold(t, (guidelines.Config{Guidelines: []string{"nonblocking"}, Exclude: r.Exclude}).Validate(nil) == nil, "check.exclude does not take %v", r.Exclude)
}
