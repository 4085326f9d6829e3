package analyze

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestAnAnswerThatDependsOnTheStateIsSaidByState(t *testing.T) {
	m := fixture.Wide(20)
	r := analyzed(t, m, fixture.Noisy(m, fixture.Stately(1, 2.5)), judge.Default())
	must.Hold(t, len(r.States) == 2 && fmt.Sprint(r.States[1].Mpiruns) == "[2 4 7 9 12 14 17 19]" && math.Abs(*r.States[1].Ratio-1.9) <= 0.05, "states %+v", r.States)
	by := r.Verdicts[3].ByState
	should.Hold(t, len(by) == 2 && by[0].State == "1" && by[0].Mpiruns == 12 && by[0].Verdict == judge.Kept && by[1].Mpiruns == 8 && by[1].Verdict == judge.Violated && math.Abs(*by[0].Ratio-1) <= 0.02 && math.Abs(*by[1].Ratio-2.5) <= 0.05 && *by[1].RatioLo95 >= 2.4,
		"by state: %+v", by)
	v := r.Verdicts[2]
	should.Hold(t, v.ByState == nil, "GL8 at 8 B is the same in both states, and has %+v", v.ByState)
	w := warning(r, remark.MachineStates)
	should.Hold(t, w != nil && strings.Contains(w.Text, "state 1 in 12 mpiruns, state 2 in 8 (calls take 1.89×") && strings.Contains(w.Text, "all cases"), "remark %+v", w)
	w = warning(r, remark.SlowMpirun)
	should.Hold(t, w == nil && len(r.SlowMpiruns) == 8, "%d slow mpiruns, which the states explain: %+v", len(r.SlowMpiruns), w)
}

func TestStatesLeaveTheVerdictsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		here, there float64
		method      judge.Method
		r           int
	}{
		"the ratio is the same":     {2.5, 2.5, judge.MethodDefault, 20},
		"slow in both":              {1.5, 2.5, judge.MethodDefault, 20},
		"kept in both":              {.6, .9, judge.MethodDefault, 20},
		"differs by a little":       {1.03, 1.065, judge.MethodDefault, 20},
		"method paper":              {1, 2.5, judge.MethodPaper, 20},
		"too few mpiruns to say so": {1, 2.5, judge.MethodDefault, 8},
	} {
		m := fixture.Wide(c.r)
		cfg := judge.Default()
		cfg.Method = c.method
		r := analyzed(t, m, fixture.Noisy(m, fixture.Stately(c.here, c.there)), cfg)
		should.Equal(t, len(r.States), 2, "%s: states %+v", name, r.States)
		for _, v := range r.Verdicts {
			should.Hold(t, v.ByState == nil, "%s: %s at %d B by state: %+v", name, v.Guideline, v.Msize, v.ByState)
		}
	}
}

func TestAnswersThatAreKeptOrTooFewInAllStatesAreNotSaid(t *testing.T) {
	m := fixture.Wide(20)
	rare := func(i, run int) float64 { // .5 and, in 4 mpiruns, .8 as long as the mock-up
		ns := []float64{100000, 200000}[i%2]
		if i == 1 {
			ns *= .6
		}
		if run%5 == 2 {
			ns *= 1.9
			if i == 1 {
				ns *= 1.5
			}
		}
		return ns
	}
	r := analyzed(t, m, fixture.Noisy(m, rare), judge.Default())
	v := r.Verdicts[3]
	should.Hold(t, len(r.States) == 2 && v.ByState == nil, "states %+v, by state %+v", r.States, v.ByState)
}

// GL8 is asked at 64 B in 20 mpiruns; all else ended at the first look, where no state has enough mpiruns.
func TestTestsThatEndedEarlyDoNotHideAnAnswerThatDependsOnTheState(t *testing.T) {
	m := fixture.Wide(20)
	m.Looks, m.LookWeights = []int{4, 20}, []float64{0.5, 0.5}
	runs := fixture.Noisy(m, fixture.Stately(1, 2.5))
	for n := range runs {
		r, line := &runs[n], 100.0
		if fixture.SlowIn(n + 1) {
			line = 400
		}
		r.Probes = []protocol.Probes{{LineNS: line}}
		if n >= 4 {
			r.Cases, r.Samples = []results.CaseInfo{r.Cases[1], r.Cases[3]}, [][]protocol.Sample{r.Samples[1], r.Samples[3]}
		}
	}
	r := analyzed(t, m, runs, judge.Default())
	if v := r.Verdicts[3]; v.Runs != 20 || len(v.ByState) != 2 || !v.ByStateTold || r.Verdicts[2].ByStateTold {
		t.Errorf("%+v, states %+v", v, r.States)
	}
}

func TestAbsenceIsOnlySaidWhereItCouldBeSeen(t *testing.T) {
	for name, c := range map[string]struct {
		r    int
		told bool
		says string
	}{
		"few":          {8, false, "too few mpiruns in a state to tell"},
		"four of nine": {9, false, "too few mpiruns in a state to tell"}, // 2/126 > .05/5
		"four of ten":  {10, true, "by the 5 of 5 tests"},                // 2/210
		"enough":       {20, true, "no answer is shown to depend on them by the 5 of 5 tests"},
	} {
		m := fixture.Wide(c.r)
		r := analyzed(t, m, fixture.Noisy(m, fixture.Stately(2, 2)), judge.Default())
		if says := r.StateAnswers("p2"); len(r.States) != 2 || r.Verdicts[3].ByStateTold != c.told || !strings.Contains(says, c.says) {
			t.Errorf("%s: %q, %+v", name, says, r.Verdicts[3])
		}
	}
}

// A, B and C with as many mpiruns each: only C is apart.
func TestAllPairsOfStatesAreCompared(t *testing.T) {
	m := fixture.Wide(30)
	r := analyzed(t, m, fixture.Noisy(m, func(plan, run int) float64 {
		ns := 100000 * float64(1+plan%2) * []float64{1, 1, 1.9, 4}[max(1, run%3+1)]
		if plan == 1 && run%3 == 2 {
			ns *= 2
		}
		return ns
	}), judge.Default())
	if by := r.Verdicts[3].ByState; len(r.States) != 3 || len(by) != 3 || by[0].Verdict != judge.Kept || by[2].Verdict != judge.Violated {
		t.Errorf("%+v, states %+v", by, r.States)
	}
}

// As many mpiruns each, and a ratio of A, of B and of C.
func TestTheFirstStatesVerdictNeedNotBeTheLast(t *testing.T) {
	m := fixture.Wide(30)
	r := analyzed(t, m, fixture.Noisy(m, func(plan, run int) float64 {
		ns := 100000 * float64(1+plan%2) * []float64{1, 1.9, 4}[run%3]
		if plan == 1 && run%3 == 1 {
			ns *= 2
		}
		return ns
	}), judge.Default())
	if by := r.Verdicts[3].ByState; len(r.States) != 3 || len(by) != 3 || by[0].Verdict != judge.Kept || by[1].Verdict != judge.Violated || by[2].Verdict != judge.Kept {
		t.Errorf("%+v, states %+v", by, r.States)
	}
}

// Of eight slow mpiruns five have a ratio of .7 and three one of 2.5: that may be chance.
func TestADifferenceOfStatesThatMayBeChanceIsNotSaid(t *testing.T) {
	m := fixture.Wide(20)
	r := analyzed(t, m, fixture.Noisy(m, func(plan, run int) float64 {
		ns := fixture.Stately(1.3, .7)(plan, run)
		if plan == 1 && fixture.SlowIn(run) && run > 12 {
			ns *= 2.5 / .7
		}
		return ns
	}), judge.Default())
	v := r.Verdicts[3]
	should.Hold(t, len(r.States) == 2 && v.ByStateTold && v.ByState == nil, "%+v, states %+v", v, r.States)
}

// What a check asks beside tests and for all of them does not change what each state says.
func TestEachStateIsJudgedByItself(t *testing.T) {
	m, cfg := fixture.Wide(20), judge.Default()
	cfg.Test, cfg.BetweenChecks = judge.TestRankSum, .9
	r := analyzed(t, m, fixture.Noisy(m, fixture.Stately(1, 2.5)), cfg)
	by := r.Verdicts[3].ByState
	should.Hold(t, len(by) == 2 && by[0].Verdict == judge.Kept && by[1].Verdict == judge.Violated, "%+v", by)
}

func TestAStateIsOneOfItsShape(t *testing.T) {
	m := fixture.Planned(20, []guidelines.Shape{fixture.P2, p4}, []int64{8, 64}, fixture.GL8)
	for _, shape := range m.Plan.Shapes {
		for size := range int64(20) {
			fixture.Case(m, "MPI_Bcast", shape, size)
		}
	}
	r := analyzed(t, m, fixture.Noisy(m, func(plan, run int) float64 {
		ns := fixture.Stately(1, 1)(0, run)
		if k := m.Plan.Cases[plan]; fixture.SlowIn(run) && k.Function == "MPI_Reduce" && k.Msize == 64 {
			ns *= 2.5
		}
		return ns
	}), judge.Default())
	must.Hold(t, len(r.States) == 4, "%+v", r.States)
	for _, v := range r.Verdicts {
		want := 0
		if v.Guideline == "GL8" && v.Msize == 64 {
			want = 2
		}
		should.Hold(t, v.Guideline == "GL1" || len(v.ByState) == want, "%s at %d B on %s: %+v", v.Guideline, v.Msize, v.Shape, v.ByState)
	}
}

func TestASlowMpirunBesideStatesIsStillNamed(t *testing.T) {
	for name, read := range map[string]bool{"in no state": false, "in the fastest": true} {
		m := fixture.Wide(20)
		runs := fixture.Noisy(m, func(i, run int) float64 {
			if run == 3 {
				return 9 * fixture.Stately(1, 1)(i, run)
			}
			return fixture.Stately(1, 1)(i, run)
		})
		for n := range runs {
			if read {
				line := 100.0
				if fixture.SlowIn(n + 1) {
					line = 400
				}
				runs[n].Probes = []protocol.Probes{{LineNS: line}}
			}
		}
		w := warning(analyzed(t, m, runs, judge.Default()), remark.SlowMpirun)
		should.Hold(t, w != nil && strings.Contains(w.Text, "throughout: mpirun 3 of p2 (100 % of its cases, ") && !strings.Contains(w.Text, "mpirun 2 "),
			"%s: %+v", name, w)
	}
}

func TestNeighboursThatAreAlikeAreSaid(t *testing.T) {
	m := fixture.Wide(12)
	order := []int{1, 11, 3, 9, 5, 7, 6, 8, 4, 10, 2, 12}
	// Normal deviates of 1.19 and 2.24: chance exceeds 1.645 in one of twenty.
	hardly, rarely := []int{5, 1, 7, 4, 8, 9, 12, 6, 3, 2, 10, 11}, []int{11, 5, 2, 1, 4, 3, 6, 9, 12, 8, 7, 10}
	for name, c := range map[string]struct {
		factor func(run int) float64
		said   bool
	}{
		"ever slower":  {func(run int) float64 { return 1 + 0.05*float64(run) }, true},
		"by turns":     {func(run int) float64 { return 1 + 0.05*float64(run%2) }, false},
		"as by chance": {func(run int) float64 { return 1 + 0.05*float64(hardly[run-1]) }, false},
		"hardly by it": {func(run int) float64 { return 1 + 0.05*float64(rarely[run-1]) }, true},
		"in any order": {func(run int) float64 { return 1 + 0.05*float64(order[run-1]) }, false},
	} {
		r := analyzed(t, m, fixture.Noisy(m, func(i, run int) float64 { return 100000 * c.factor(run) }), judge.Default())
		w := warning(r, remark.NeighboursAlike)
		should.Hold(t, (w != nil) == c.said, "%s: %+v", name, w)
	}
	for m.R = 9; m.R <= 10; m.R++ {
		r := analyzed(t, m, fixture.Noisy(m, func(i, run int) float64 { return 100000 * (1 + 0.05*float64(run)) }), judge.Default())
		w := warning(r, remark.NeighboursAlike)
		should.Hold(t, (w != nil) == (m.R == 10), "%d mpiruns: %+v", m.R, w)
	}
}

func TestTooFewMpirunsToPairAreSaidWithTheNumberThatWouldDo(t *testing.T) {
	flat := func(i, run int) float64 { return 100000 }
	m := fixture.Wide(6) // m = 5: signed-rank can give 2^-6 > .05/5
	r := analyzed(t, m, fixture.Noisy(m, flat), judge.Default())
	want := judge.Pairing(0.05, 5)
	w := warning(r, remark.NotPaired)
	should.Hold(t, r.Test == judge.TestRankSum && w != nil && strings.Contains(w.Text, fmt.Sprintf("R = %d mpiruns would do", want)),
		"%s: %+v, want R = %d", r.Test, w, want)
	m = fixture.Wide(want)
	r = analyzed(t, m, fixture.Noisy(m, flat), judge.Default())
	should.Hold(t, r.Test == judge.TestCappedRank && warning(r, remark.NotPaired) == nil, "with %d mpiruns: %s, %+v", want, r.Test, r.Warnings)
	alone := fixture.Wide(4)
	alone.Plan.Tests = alone.Plan.Tests[2:3]
	r = analyzed(t, alone, fixture.Noisy(alone, flat), judge.Default())
	should.Hold(t, r.M == 1 && warning(r, remark.NotPaired) != nil, "one test: m = %d, %+v", r.M, r.Warnings)
	alone.Plan.Tests = nil
	r = analyzed(t, alone, fixture.Noisy(alone, flat), judge.Default())
	should.Hold(t, warning(r, remark.NotPaired) == nil, "no test: %+v", r.Warnings)
	asked, m := judge.Default(), fixture.Wide(6)
	asked.Test = judge.TestRankSum
	r = analyzed(t, m, fixture.Noisy(m, flat), asked)
	should.Hold(t, warning(r, remark.NotPaired) == nil, "the rank-sum was asked for: %+v", r.Warnings)
}

func TestUnlikeSpreadsAreSaidWhereTheRankSumIsUsed(t *testing.T) {
	m := fixture.Wide(10)
	// The noise of 1 % has an interquartile range of .013, a slope in steps of .02 one of .09.
	// Reduce has it in an order of its own.
	sloping := func(step, common float64) func(i, run int) float64 {
		return func(i, run int) float64 {
			x := common * float64(run)
			if i < 2 {
				x += step * float64(7*run%10)
			}
			return 100000 * math.Exp(x)
		}
	}
	ranksum := judge.Default()
	ranksum.Test = judge.TestRankSum
	for name, c := range map[string]struct {
		step, common float64
		cfg          judge.Config
		said         bool
	}{
		"unlike":                            {.02, 0, ranksum, true},
		"unlike beside what all share":      {.02, .1, ranksum, true},
		"hardly unlike":                     {.002, 0, ranksum, false},
		"alike beside what all share":       {0, .1, ranksum, false},
		"unlike, and compared within pairs": {.02, 0, judge.Default(), false},
	} {
		r := analyzed(t, m, fixture.Noisy(m, sloping(c.step, c.common)), c.cfg)
		w := warning(r, remark.SpreadsDiffer)
		should.Hold(t, (w != nil) == c.said && (w == nil || strings.Contains(w.Text, "in 4 of 5 tests")), "%s: %s, %+v", name, r.Test, w)
	}
}
