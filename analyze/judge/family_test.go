package judge

import (
	"math"
	"slices"
	"testing"

	"pgmpi/testkit/golden"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// goldenSequence is one case of sequential.json.
type goldenSequence struct {
	ID      string
	Looks   []int
	Weights []float64
	P       [][]float64 // by test and look
	Expect  []struct {
		Look     int
		PSeq     []float64 `json:"p_seq"`
		Holm, BH []float64
		ByHolm   []int `json:"violated_holm_005"`
		ByBH     []int `json:"violated_bh_005"`
	}
}

func loadSequences(t *testing.T) []goldenSequence {
	t.Helper()
	return golden.Load[struct{ Cases []goldenSequence }](t, "sequential.json", "sequential_bonferroni_spending").Cases
}

// familyOf is a Family whose p-values come from elsewhere.
func familyOf(t *testing.T, g goldenSequence, adjust Adjust) *Family {
	t.Helper()
	cfg := Default()
	cfg.Adjust, cfg.Test = adjust, TestRankSum // a test that was asked for decides at every look
	d := must.Get(NewDesign(cfg, Schedule{g.Looks, g.Weights}, len(g.P)))(t)
	return d.Family(0)
}

// lookAt gives test i a p-value at look k.
func lookAt(t *testing.T, q *Family, i, k int, p float64) {
	t.Helper()
	q.Outcomes[i].Runs = q.Looks[k]
	must.Do(t, q.spend(i, k, p))
}

func TestFamilySpendsAndAdjustsAsTheGoldenVectors(t *testing.T) {
	for _, g := range loadSequences(t) {
		for _, adjust := range []Adjust{AdjustHolm, AdjustBH} {
			q := familyOf(t, g, adjust)
			for k, want := range g.Expect {
				for i := range g.P {
					lookAt(t, q, i, k, g.P[i][k])
				}
				must.Do(t, q.adjust())
				adjusted, violated := want.Holm, want.ByHolm
				if adjust == AdjustBH {
					adjusted, violated = want.BH, want.ByBH
				}
				var found []int
				for i, o := range q.Outcomes {
					if !(math.Abs(o.P-want.PSeq[i]) <= 1e-12*want.PSeq[i]) || !(math.Abs(o.PAdjusted-adjusted[i]) <= 1e-12*adjusted[i]) {
						t.Errorf("%s, %s, look %d, test %d: P %v and %v adjusted, want %v and %v",
							g.ID, adjust, want.Look, i, o.P, o.PAdjusted, want.PSeq[i], adjusted[i])
					}
					if o.PAdjusted <= 0.05 {
						found = append(found, i)
					}
				}
				if !slices.Equal(found, violated) {
					t.Errorf("%s, %s, look %d: violated %v, want %v", g.ID, adjust, want.Look, found, violated)
				}
			}
		}
	}
}

// With the p-values of decided tests frozen, as in a check, the golden scenario
// has the same findings at the same looks, and none is ever taken back.
func TestFrozenTestsChangeNoGoldenFinding(t *testing.T) {
	for _, g := range loadSequences(t) {
		q := familyOf(t, g, AdjustBH)
		for k, want := range g.Expect {
			for i := range g.P {
				if !q.Outcomes[i].Decided {
					lookAt(t, q, i, k, g.P[i][k])
				}
			}
			must.Do(t, q.adjust())
			for i, o := range q.Outcomes {
				if q.Outcomes[i].Decided && o.PAdjusted > 0.05 {
					t.Errorf("%s, look %d: test %d was violated, and is no more", g.ID, want.Look, i)
				}
				q.Outcomes[i].Decided = o.PAdjusted <= 0.05
				if q.Outcomes[i].Decided != slices.Contains(want.ByBH, i) {
					t.Errorf("%s, look %d: test %d violated %v", g.ID, want.Look, i, q.Outcomes[i].Decided)
				}
			}
		}
	}
}

// The test of a look is chosen by all of alpha, and may be too weak for the
// share that the look can spend. Where a later look can pair the mpiruns, one that
// cannot do so well finds no violations.
func TestALookIsBlindByTheTestThatItUses(t *testing.T) {
	for _, c := range []struct {
		s       Schedule
		m       int
		screens []bool
		blind   []int
		r       int // that the refusal names; 0: none
	}{
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 7, []bool{true, false, false}, nil, 0}, // 2^-10 > .05/(8·7)
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 6, []bool{false, false, false}, nil, 0},
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 495, []bool{true, false, false}, nil, 0},
		{Schedule{[]int{5, 10}, []float64{.5, .5}}, 51, []bool{true, false}, nil, 0},
		{Schedule{[]int{5, 10}, []float64{.5, .5}}, 52, []bool{false, false}, []int{5}, 0}, // the rank-sum from here on
		{Schedule{[]int{3, 4}, []float64{.5, .5}}, 5, []bool{false, false}, []int{3, 4}, 5},
	} {
		d, err := NewDesign(Default(), c.s, c.m)
		if err != nil || !slices.Equal(d.Blind, c.blind) {
			t.Errorf("looks %v, m = %d: blind %v, %v", c.s.Looks, c.m, d.Blind, err)
		}
		for k, want := range c.screens {
			if d.Screen(k) != want {
				t.Errorf("looks %v, m = %d: look %d is a screen: %v, want %v", c.s.Looks, c.m, k, d.Screen(k), want)
			}
		}
		if c.r > 0 != (d.Refused != nil) || d.Refused != nil && d.Refused.RNeeded != c.r {
			t.Errorf("looks %v, m = %d: %+v", c.s.Looks, c.m, d.Refused)
		}
	}
}

func TestBeingKeptSpendsItsErrorToo(t *testing.T) {
	var pair Pair
	for _, d := range []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, -10} { // signed-rank: p = 43/1024
		pair.Orig, pair.Other = append(pair.Orig, 100), append(pair.Other, (100+d)/1.05)
	}
	for _, c := range []struct {
		weight float64
		want   Verdict
	}{{1, Kept}, {0.2, Undecided}} {
		cfg := Default()
		cfg.Test = TestSignedRank
		d := must.Get(NewDesign(cfg, Schedule{[]int{10}, []float64{c.weight}}, 1))(t)
		if o := judged(t, d, 0, []Pair{pair})[0]; o.Verdict != c.want || math.Abs(o.PKept-43.0/1024) > 1e-12 {
			t.Errorf("weight %v: %s with p = %v of being kept, want %s", c.weight, o.Verdict, o.PKept, c.want)
		}
	}
}

// A test goes on only where it points to a violation: a ratio of at least the smallest
// slowdown, or one of at least 1.02 with p ≤ 0.2. P-values by wilcox.test of R: the ranks of
// the negative ones add up to 18 or 19 of 55.
func TestAnUndecidedTestGoesOnOnlyWhereItPointsToAViolation(t *testing.T) {
	for name, c := range map[string]struct {
		percent []float64 // by which the call is slower, by pair
		stopped bool
		p       float64
	}{
		"slower by 3 %, p = 0.19":  {[]float64{3, 3.1, 3.2, 3.3, -4, -4.1, -4.2, 16, 16.1, 16.2}, false, 0.1875},
		"slower by 3 %, p = 0.22":  {[]float64{3, 3.1, 3.2, 3.3, -4, -4.1, -16.05, 16, 16.1, 16.2}, true, 0.2158},
		"slower by 1 %, p = 0.19":  {[]float64{1, 1.1, 1.2, 1.3, -2, -2.1, -2.2, 13, 13.1, 13.2}, true, 0.1875},
		"slower by 17 %, p = 0.22": {[]float64{16, 16.1, 16.2, 16.3, -20, -20.1, -30.5, 30, 31, 32}, false, 0.2158},
	} {
		cfg := Default()
		cfg.Test = TestSignedRank
		d := must.Get(NewDesign(cfg, Schedule{[]int{10, 20}, []float64{.5, .5}}, 1))(t)
		var pair Pair
		for _, by := range c.percent {
			pair.Orig, pair.Other = append(pair.Orig, 1000*math.Exp(by/100)), append(pair.Other, 1000)
		}
		o := judged(t, d, 0, []Pair{pair})[0]
		if math.Abs(o.raw-c.p) > 1e-4 || o.Verdict != Undecided || o.Decided || o.Stopped != c.stopped {
			t.Errorf("%s: %s, p = %.4f, ratio %.3f, stopped %v", name, o.Verdict, o.raw, o.Ratio, o.Stopped)
		}
	}
}

// Golden vectors; in R, with a between-check deviation tau = 0.03:
//
//	e <- log(ratio); se <- log(hi/lo)/(2*qnorm(.975)); z <- qnorm(1-level)
//	pnorm((e - max(log(1.05), z*se)) / sqrt(2*(se^2 + tau^2)))
func TestTheChanceOfSeeingAViolationAgainCountsWhatDiffersBetweenChecks(t *testing.T) {
	for _, c := range []struct {
		ratio, lo, hi float64
		m, violated   int
		weight        float64
		want          float64
	}{
		{1.2, 1.1, 1.3, 1, 1, 1, 0.936072},
		{1.08, 1.07, 1.09, 1, 1, 1, 0.744060}, // 0.99999 if checks did not differ
		{1.2, 1.05, 1.4, 40, 2, .5, 0.362111}, // level = .05·2/40·.5
		{1.2, 1.05, 1.4, 40, 1, .5, 0.313389}, // level = .05·1/40·.5
	} {
		d := must.Get(NewDesign(Default(), Schedule{[]int{20}, []float64{c.weight}}, c.m))(t)
		f := d.Family(0)
		for i := range c.violated {
			f.Outcomes[i] = Outcome{Ratio: c.ratio, Lo95: c.lo, Hi95: c.hi, Runs: 20, Verdict: Violated}
			f.pairs[i] = Pair{Orig: slow(20, 1000*c.ratio, 0), Other: slow(20, 1000, 0)}
		}
		f.Replicate()
		if o := f.Outcomes[0]; math.Abs(o.Replication-c.want) > 1e-6 || o.Firm() != (c.want >= 0.9) {
			t.Errorf("%+v: %.6f", c, o.Replication)
		}
	}
}

// One more disturbed mpirun of 24, and the test would not have found it; steps of a clock that are
// half as wide as the slowdown likewise. The interval shows neither.
func TestTheChanceOfSeeingAViolationAgainKnowsDiscordantMpirunsAndTheClock(t *testing.T) {
	d := must.Get(NewDesign(Default(), Once(24), 300))(t)
	odd, ticked := Pair{Orig: slow(24, 1250, 1), Other: slow(24, 1000, 1)}, Pair{Orig: slow(24, 160, .1), Other: slow(24, 120, .1)}
	for i := range 2 {
		odd.Orig[i] = 500 + float64(i)
	}
	for i := range 10 {
		ticked.Orig[i] = 120.5
	}
	for name, c := range map[string]struct {
		pair Pair
		tick float64
	}{"discordant": {odd, 0}, "clock": {ticked, 26}} {
		f := d.Family(c.tick)
		f.Outcomes = slices.Repeat([]Outcome{{Verdict: Kept, PAdjusted: 1, Runs: 24}}, 300)
		f.Outcomes[0] = Outcome{Ratio: 1.25, Lo95: 1.24, Hi95: 1.26, Runs: 24, Verdict: Violated, PAdjusted: .01}
		f.pairs[0] = c.pair
		f.Replicate()
		got := f.Outcomes[0].Replication
		should.Hold(t, 0 < got && got < .9, "%s: %g", name, got)
	}
}

// The clock's steps of 40 ns hide what 5 % of 200 ns are. What is twice as fast is kept all the same.
func TestWhatTheClockCannotShowIsNotKept(t *testing.T) {
	d := must.Get(NewDesign(Default(), Once(24), 1))(t)
	for _, c := range []struct {
		call, tick float64
		want       Verdict
	}{{200, 0, Kept}, {200, 6.6, Kept}, {200, 40, Undecided}, {120, 40, Kept}} {
		f := must.Get(d.Judge(c.tick, []Pair{{Orig: slow(24, c.call, 0), Other: slow(24, 200, 0)}}))(t)
		o := f.Outcomes[0]
		should.Hold(t, o.Verdict == c.want && o.OnClock == (c.want == Undecided), "%g ns, steps of %g ns: %s", c.call, c.tick, o.Verdict)
	}
}

func TestWhatIsNearerToTheMinimumSlowdownThanChecksDifferIsNotKept(t *testing.T) {
	for between, want := range map[float64]Verdict{0: Kept, .03: Kept, .06: Undecided} {
		cfg := Default()
		cfg.BetweenChecks = between
		f := must.Get(must.Get(NewDesign(cfg, Once(24), 1))(t).Judge(0, []Pair{{Orig: slow(24, 1000, .1), Other: slow(24, 1000, .1)}}))(t)
		should.Hold(t, f.Outcomes[0].Verdict == want && f.Outcomes[0].TooNear == (want == Undecided), "%g: %s", between, f.Outcomes[0].Verdict)
	}
}

// 2^-10 is no level for a violation among 300 tests, but one for being kept.
func TestATestByNameShowsWhatIsKeptAtTheFirstLook(t *testing.T) {
	for _, test := range []TestName{TestAuto, TestCappedRank, TestSignedRank, TestRankSum} {
		cfg := Default()
		cfg.Test = test
		d := must.Get(NewDesign(cfg, Usual(cfg, 300), 300))(t)
		f := d.Family(0)
		must.Do(t, f.Look([]Pair{{Orig: slow(10, 900, 1), Other: slow(10, 1000, 1)}}))
		should.Equal(t, f.Outcomes[0].Verdict, Kept, "%s", test)
	}
}

// Tests of unpaired run medians divide both sides by how slow the mpirun was in general; the
// paper's test takes the medians as they are.
func TestTheFactorOfAnMpirunCountsWhereMpirunsAreNotPairedAndNotForThePaper(t *testing.T) {
	pair := Pair{Orig: slow(10, 1000, 1), Other: slow(10, 990, 1), Factor: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	plain := Pair{Orig: pair.Orig, Other: pair.Other}
	for _, c := range []struct {
		method Method
		test   TestName
		counts bool
	}{{MethodDefault, TestRankSum, true}, {MethodDefault, TestKS, true}, {MethodDefault, TestSignedRank, false}, {MethodPaper, TestAuto, false}} {
		d := designed(t, Config{Method: c.method, Test: c.test, Adjust: AdjustNone, Alpha: 0.05, MinSlowdown: 1.05}, 10, 1)
		with, without := judged(t, d, 0, []Pair{pair})[0], judged(t, d, 0, []Pair{plain})[0]
		if (with.P != without.P) != c.counts {
			t.Errorf("%s, %s: p = %g with and %g without the factor", c.method, c.test, with.P, without.P)
		}
	}
}

// The whole is slower than k parts by more than the tolerance, strictly.
func TestSplitIsSuspectedBeyondTheToleranceOnly(t *testing.T) {
	if !SplitSuspected(1051, 100, 10, 0.05) || SplitSuspected(1050, 100, 10, 0.05) {
		t.Error("the tolerance is 5 % of k·t_i, strictly")
	}
}
