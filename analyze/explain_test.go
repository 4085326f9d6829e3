package analyze

import (
	"errors"
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// explained explains test i of the fixture.
func explained(t *testing.T, m *results.Manifest, runs []results.Run, cfg judge.Config, i int) *Explanation {
	t.Helper()
	a := must.Get(Analyze(m, runs, cfg))(t)
	e := must.Get(a.Explain(i, func(run int) (*results.Run, error) {
		if run > len(runs) {
			return nil, nil
		}
		return &runs[run-1], nil
	}))(t)
	return e
}

func TestExplanationCountsTheVisitsOfACase(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for i := range runs {
		runs[i].Order = nil
	}
	should.Equal(t, explained(t, m, runs, judge.Default(), 3).Call.Visits, 0, "a raw file without an order: visits")
	call, other := m.Plan.Tests[3].Case, m.Plan.Tests[3].Others[0]
	for i := range runs {
		runs[i].Order = []int{other, call, 0, call, other, call}
	}
	e := explained(t, m, runs, judge.Default(), 3)
	should.Hold(t, e.Call.Visits == 3 && e.Other.Visits == 2, "%d and %d visits, want 3 and 2", e.Call.Visits, e.Other.Visits)
}

func TestExplanationShowsWhatTheRunMediansRestOn(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	// 21 samples 30001…30021 in which one is late, one long and late, one an outlier.
	var samples []protocol.Sample
	for i := range 21 {
		samples = append(samples, protocol.Sample{NS: 30001 + int64(i)})
	}
	samples = append(samples, protocol.Sample{NS: 1, Flags: protocol.FlagLate}, protocol.Sample{NS: 1, Flags: protocol.FlagLong},
		protocol.Sample{NS: 900000})
	runs[4].Samples[3] = samples
	e := explained(t, m, runs, judge.Default(), 3)
	must.Hold(t, e.Verdict.Verdict == judge.Violated && len(e.Call.Runs) == fixture.R && e.Other.Function == "reduce_as_allreduce" && e.Other.Msize == 64, "%+v", e)
	s := e.Other.Runs[4]
	should.Hold(t, s.Run == 5 && s.Samples == 24 && s.Late == 1 && s.Long == 1 && s.Valid == 22 && len(s.Kept) == 21, "%+v", s)
	should.Hold(t, s.Min == 30001 && s.Median == 30011.5 && s.RunMedian == 30011 && s.Q1 == 30006.25 && s.Q3 == 30016.75,
		"min %g, Q1 %g, median %g, Q3 %g, run median %g", s.Min, s.Q1, s.Median, s.Q3, s.RunMedian)
	// A straight line: r_1 of 1…21.
	want := 1 - 1/7.0
	should.Hold(t, len(s.ACF) == medians.Lags && math.Abs(s.ACF[0]-want) <= 1e-12 && e.Other.Inefficiency >= 5, "lag 1 %v, want %v", s.ACF, want)
	first := e.Call.Runs[0]
	should.Hold(t, first.ACF == nil && first.WarmupEnd == -1, "4 samples: %+v", first)
}

func TestExplanationHasTheTestAgain(t *testing.T) {
	m := fixture.Manifest()
	m.Rank.ClockTickNS = 10
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	const pairs = fixture.R * fixture.R
	const sums = fixture.R * (fixture.R + 1) / 2
	for _, c := range []struct {
		test judge.TestName
		i    int
		want judge.Numbers
	}{
		{judge.TestSignedRank, 3, judge.Numbers{Statistic: sums, Largest: sums, KeptLargest: sums, Rank: 2, Slower: fixture.R, Difference: 20000, Tick: 10}},
		{judge.TestRankSum, 3, judge.Numbers{Statistic: pairs, Largest: pairs, KeptLargest: pairs, Rank: 2, Slower: fixture.R, Difference: 20000, Tick: 10}},
		{judge.TestKS, 2, judge.Numbers{Statistic: 0, Largest: 1, KeptLargest: 1, KeptStatistic: 1, Rank: 5, Difference: -10000, Tick: 10}},
	} {
		cfg := judge.Default()
		cfg.Test = c.test
		c.want.Test, c.want.R, c.want.Family, c.want.ByChance = judge.Get(c.test), fixture.R, 5, 1
		c.want.PMin = c.want.Test.MinP(fixture.R, fixture.R)
		c.want.Alpha, c.want.KeptAlpha = 0.05, 0.05
		e := explained(t, m, runs, cfg, c.i)
		should.Hold(t, e.Test != nil && *e.Test == c.want, "%s: %+v, want %+v", c.test, *e.Test, c.want)
	}
}

func TestExplanationOfWhatWasNotTested(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000)
	e := explained(t, m, runs, judge.Default(), 1)
	should.Hold(t, e.Test == nil && e.Other != nil && e.Other.Calls == 8 && e.Other.Msize == 8, "split: %+v", e)
	e = explained(t, m, runs[:5], judge.Default(), 3)
	should.Hold(t, e.Test == nil && len(e.Call.Runs) == 5 && e.Verdict.Verdict == judge.Undecided, "too few mpiruns: %+v", e)
	for i := range runs {
		runs[i].Cases[3].Status, runs[i].Samples[3] = protocol.StatusWrong, nil
	}
	e = explained(t, m, runs, judge.Default(), 3)
	should.Hold(t, e.Test == nil && len(e.Other.Runs) == 0 && e.Verdict.Verdict == judge.Wrong, "wrong: %+v", e)
	a := must.Get(Analyze(m, nil, judge.Default()))(t)
	_, err := a.Explain(3, func(int) (*results.Run, error) { return nil, errors.New("raw file") })
	should.Fail(t, err, "raw file", "a file that cannot be read")
}
