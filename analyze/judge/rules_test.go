package judge

import (
	"math"
	"slices"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

// even is a ratio that is exact in binary, so that cases lie on their bounds.
const even = 1.25

func looking(t *testing.T, method Method, s Schedule, m int) *Family {
	t.Helper()
	cfg := Default()
	cfg.Method, cfg.MinSlowdown = method, even
	if method != MethodPaper {
		cfg.Test = TestRankSum
	}
	return must.Get(NewDesign(cfg, s, m))(t).Family(0)
}

func TestAVerdictFollowsFromEachOfItsConditions(t *testing.T) {
	interim := Schedule{[]int{10, 20}, []float64{.5, .5}}
	for name, c := range map[string]struct {
		method           Method
		look             int
		p, kept          float64 // adjusted; of being kept
		ratio, lo, hi    float64
		want             Verdict
		decided, stopped bool
	}{
		"violated at the level and at the minimum slowdown":  {MethodDefault, 0, .05, 1, even, even, 1.5, Violated, true, false},
		"not significant just above the level":               {MethodDefault, 0, .0501, 1, even, 1, 1.5, Undecided, false, false},
		"marginal just below the minimum slowdown":           {MethodDefault, 0, .01, 1, 1.2499, 1.1, even, Marginal, true, false},
		"marginal, and the interval ends below the slowdown": {MethodDefault, 0, .01, 1, 1.1, 1.01, 1.2, Marginal, true, false},
		"violated, and the interval begins at the slowdown":  {MethodDefault, 0, .01, 1, 1.4, even, 1.5, Violated, true, false},
		"significant, and the slowdown is in the interval":   {MethodDefault, 0, .01, 1, 1.4, 1.1, 1.5, Undecided, false, false},
		"the same at the last look":                          {MethodDefault, 1, .01, 1, 1.4, 1.1, 1.5, Violated, true, false},
		"kept at its share of the level":                     {MethodDefault, 0, 1, .025, 1, .9, 1.1, Kept, true, false},
		"not kept beyond its share of the level":             {MethodDefault, 0, 1, .0251, 1, .9, 1.1, Undecided, false, true},
		"undecided at the last look":                         {MethodDefault, 1, 1, 1, 1, .9, 1.5, Undecided, false, false},
		"paper: significant is violated":                     {MethodPaper, 0, .05, 1, 1.01, 1, 1.02, Violated, true, false},
		"paper: a lack of a finding may end":                 {MethodPaper, 0, .06, 1, 1.01, 1, 1.02, Kept, false, false},
		"paper: at the last look it is kept":                 {MethodPaper, 1, .06, 1, 1.01, 1, 1.02, Kept, true, false},
	} {
		f := looking(t, c.method, interim, 1)
		o := Outcome{PAdjusted: c.p, PKept: c.kept, raw: c.p, Ratio: c.ratio, Lo95: c.lo, Hi95: c.hi}
		f.judge(&o, Pair{Orig: []float64{2}, Other: []float64{1}}, c.look)
		should.Hold(t, o.Verdict == c.want && o.Decided == c.decided && o.Stopped == c.stopped,
			"%s: %s, decided %v, stopped %v", name, o.Verdict, o.Decided, o.Stopped)
	}
}

// By each bound of its own: the minimum slowdown; a p-value of 0.2 together with a ratio of 1.02.
func TestATestPointsToAViolationFromTheBoundsOn(t *testing.T) {
	f := looking(t, MethodDefault, Once(10), 1)
	for _, c := range []struct {
		ratio, p float64
		want     bool
	}{{even, 1, true}, {1.2499, .21, false}, {1.02, .2, true}, {1.0199, .2, false}, {1.02, .2001, false}} {
		should.Equal(t, f.points(&Outcome{Ratio: c.ratio, raw: c.p}), c.want, "%+v", c)
	}
}

// Sixteen pairs of 1.06 ± .03 are surely slower, but on which side of 1.05? Only the last look says.
func TestASignificantTestGoesOnWhileItsIntervalHoldsTheMinimumSlowdown(t *testing.T) {
	d := must.Get(NewDesign(Default(), Schedule{[]int{10, 16, 24}, []float64{.5, .25, .25}}, 1))(t)
	f := d.Family(0)
	var pair Pair
	for i := range 24 {
		pair.Orig, pair.Other = append(pair.Orig, 1000*(1.06+.03*math.Sin(2.4*float64(i)))), append(pair.Other, 1000)
	}
	for _, r := range d.Looks {
		must.Do(t, f.Look([]Pair{{Orig: pair.Orig[:r], Other: pair.Other[:r]}}))
		o := f.Outcomes[0]
		must.Hold(t, o.PAdjusted <= d.Alpha && o.Lo95 < 1.05 && 1.05 < o.Hi95, "%d mpiruns: the test needs other data: %+v", r, o)
		should.Hold(t, o.Runs == r && o.Decided == (r == 24), "%d mpiruns: %s, decided %v", r, o.Verdict, o.Decided)
	}
	should.Equal(t, f.Outcomes[0].Verdict, Violated)
}

func TestARefusedOrAWeakLookGivesNoVerdictAndStopsNothing(t *testing.T) {
	refused := looking(t, MethodDefault, Schedule{[]int{3, 4}, []float64{.5, .5}}, 5)
	must.Hold(t, refused.Refused != nil, "the test needs a refusal")
	weak := looking(t, MethodDefault, Schedule{[]int{3, 10}, []float64{.5, .5}}, 5) // 1/C(6,3) > .05/5
	must.Hold(t, weak.Refused == nil && weak.looks[0].weak && !weak.looks[1].weak, "the test needs a look that is weak")
	for name, f := range map[string]*Family{"refused": refused, "weak": weak} {
		o := Outcome{PAdjusted: .01, Ratio: 2, Lo95: 1.9, Hi95: 2.1}
		should.Equal(t, f.verdict(0, &o, Pair{Orig: []float64{2}, Other: []float64{1}}), Undecided, name)
	}
	o := Outcome{PAdjusted: 1, PKept: 1, raw: 1, Ratio: 1}
	refused.judge(&o, Pair{Orig: []float64{2}, Other: []float64{1}}, 0)
	should.Hold(t, !o.Stopped, "more mpiruns were refused, not needless")
	// 1/C(10,5)/.5 is above .05/13, which a lone test needs, but 13 tests like it are significant.
	many := looking(t, MethodDefault, Schedule{[]int{5, 20}, []float64{.5, .5}}, 13)
	must.Do(t, many.Look(slices.Repeat([]Pair{{Orig: slow(5, 1010, 1), Other: slow(5, 1000, 1)}}, 13)))
	got := many.Outcomes[0]
	should.Hold(t, many.looks[0].weak && got.PAdjusted <= .05 && got.Verdict == Undecided && !got.Done(), "significant without a verdict: %+v", got)
}

// A check that a new one would resemble: of guidelines, paired, with a minimum slowdown.
func TestOnlyViolationsOfPairedTestsOfGuidelinesHaveAChanceOfReplication(t *testing.T) {
	cfg := Default()
	cfg.Test = TestSignedRank
	guidelines := must.Get(NewDesign(cfg, Once(20), 1))(t)
	folders := must.Get(NewComparison(Default(), Greater, true, 20, 20, 1))(t)
	unpaired, paper := cfg, cfg
	unpaired.Test, paper.Method = TestRankSum, MethodPaper
	for name, c := range map[string]struct {
		d       *Design
		verdict Verdict
		want    bool
	}{
		"violated":           {guidelines, Violated, true},
		"marginal":           {guidelines, Marginal, false},
		"between folders":    {folders, Violated, false},
		"by the rank sum":    {must.Get(NewDesign(unpaired, Once(20), 1))(t), Violated, false},
		"by the paper alone": {must.Get(NewDesign(paper, Once(20), 1))(t), Violated, false},
	} {
		f := c.d.Family(0)
		f.Outcomes[0] = Outcome{Ratio: 1.2, Lo95: 1.1, Hi95: 1.3, Runs: 20, Verdict: c.verdict}
		f.pairs[0] = Pair{Orig: slow(20, 1200, 0), Other: slow(20, 1000, 0)}
		f.Replicate()
		should.Equal(t, f.Outcomes[0].Replication > 0, c.want, name)
	}
}

// Steps of 10 ns read as 19, 20 or 21 ns where two are meant.
func TestOneStepOfTheClockIsInvisibleAndTwoAreNoted(t *testing.T) {
	d := must.Get(NewDesign(Default(), Once(10), 1))(t)
	for _, c := range []struct {
		ns                float64
		verdict           Verdict
		visible, twoSteps bool
	}{
		{14.9, Violated, false, true}, {15, Violated, true, true}, {24.9, Violated, true, true}, {25, Violated, true, false},
		{30, Violated, true, false}, {20, Marginal, true, false}, {-20, Kept, true, false},
	} {
		f := d.Family(10)
		f.pairs[0] = Pair{Orig: slow(10, 1000+c.ns, 100), Other: slow(10, 1000, 100)}
		for i := range f.pairs[0].Orig { // the same in every mpirun
			f.pairs[0].Orig[i] = f.pairs[0].Other[i] + c.ns
		}
		f.Outcomes[0].Verdict = c.verdict
		should.Hold(t, f.VisibleAt(0) == c.visible && f.OnTwoSteps(0) == c.twoSteps, "%+v: %v, %v", c, f.VisibleAt(0), f.OnTwoSteps(0))
	}
	unpaired := must.Get(NewComparison(Default(), TwoSided, false, 3, 2, 1))(t).Family(10)
	unpaired.pairs[0] = Pair{Orig: []float64{120, 118}, Other: []float64{90, 100, 130}} // medians 119 and 100
	should.Hold(t, unpaired.VisibleAt(0), "folders of different numbers of mpiruns are compared by medians")
}

func TestDataThatNoTestTakesAreAnErrorOfEveryAlternative(t *testing.T) {
	for _, alternative := range Alternatives {
		f := must.Get(NewComparison(Default(), alternative, false, 10, 10, 1))(t).Family(0)
		bad := slow(10, 1000, 1)
		bad[3] = math.NaN()
		should.Hold(t, f.Look([]Pair{{Orig: bad, Other: slow(10, 1000, 1)}}) != nil, "%s: the call", alternative)
		should.Hold(t, f.Look([]Pair{{Orig: slow(10, 1000, 1), Other: bad}}) != nil, "%s: the other side", alternative)
		should.Hold(t, f.spend(0, 0, math.NaN()) != nil, "%s: a p-value of NaN", alternative)
		huge := Pair{Orig: slow(10, 1000, 1), Other: slow(10, math.MaxFloat64/1.01, 0)}
		should.Hold(t, f.Look([]Pair{huge}) != nil, "%s: beyond all numbers with the minimum slowdown", alternative)
	}
	unknown := looking(t, MethodDefault, Once(10), 1)
	unknown.Adjust = "by"
	should.Hold(t, unknown.Look([]Pair{{Orig: slow(10, 1000, 1), Other: slow(10, 1000, 1)}}) != nil, "an adjustment that nobody knows")
	wrong := looking(t, MethodDefault, Once(10), 1)
	wrong.finding = []float64{0}
	should.Hold(t, wrong.Look([]Pair{{Orig: slow(10, 1000, 1), Other: slow(10, 1000, 1)}}) != nil, "a look without a share of the level")
}

// What all cases of an mpirun have in common is divided out of both sides, if it is known of every mpirun.
func TestTheFactorOfAnMpirunIsTakenFromBothSides(t *testing.T) {
	f := looking(t, MethodDefault, Once(6), 1)
	quiet := Pair{Orig: slow(6, 1100, 1), Other: slow(6, 1000, 1)}
	loud := Pair{Factor: []float64{1, 2, 4, 8, 16, 32}}
	for i, by := range loud.Factor {
		loud.Orig, loud.Other = append(loud.Orig, quiet.Orig[i]*by), append(loud.Other, quiet.Other[i]*by)
	}
	got := f.aligned(&rankSum, loud)
	should.Hold(t, slices.Equal(got.Orig, quiet.Orig) && slices.Equal(got.Other, quiet.Other), "%v", got)
	got = f.aligned(&signedRank, loud)
	should.Hold(t, slices.Equal(got.Orig, loud.Orig) && slices.Equal(got.Other, loud.Other), "ratios of pairs have no factor: %v", got)
	loud.Factor = loud.Factor[:3]
	got = f.aligned(&rankSum, loud)
	should.Hold(t, slices.Equal(got.Orig, loud.Orig) && slices.Equal(got.Other, loud.Other), "known of three mpiruns of six: %v", got)
}

func TestNumbersSayWhatTheTestComputed(t *testing.T) {
	d := must.Get(NewDesign(Config{Method: MethodDefault, Test: TestRankSum, Adjust: AdjustBH, Alpha: .05, MinSlowdown: 1.05}, Once(4), 30))(t)
	f := d.Family(1)
	same := Pair{Orig: []float64{20, 21, 22, 23}, Other: []float64{10, 21, 12, 24}}
	pairs := make([]Pair, 30)
	pairs[0], pairs[1] = same, same
	pairs[2] = Pair{Orig: []float64{40, 41, 42, 43}, Other: []float64{10, 11, 12, 13}}
	pairs[4] = Pair{Orig: []float64{10, 11, 12, 13}, Other: []float64{40, 41, 42, 43}}
	must.Do(t, f.Look(pairs))
	should.Hold(t, f.Numbers(4).Equal == 0 && f.Numbers(4).Slower == 0, "%+v", f.Numbers(4))
	should.Hold(t, f.Numbers(3) == nil, "nothing was computed without data")
	n := f.Numbers(0)
	// U = 3 pairs of 20, 3 of 21 and a half for the tie, 3 + … : 20 and 21 beat 10 and 12, 22 and 23 beat 21 as well.
	should.Hold(t, n.Statistic == 2+2.5+3+3 && n.Largest == 16 && n.R == 4 && n.Family == 30, "%+v", n)
	should.Hold(t, n.ByChance == 2 && n.Rank == 3 && n.Slower == 2 && n.Equal == 1 && n.Tick == 1, "%+v", n)
	should.Hold(t, n.Difference == 5 && n.Alpha == .05 && n.KeptAlpha == .05 && !n.Screen && n.Test == &rankSum, "%+v", n)
	near(t, "least p-value of 4 and 4", n.PMin, 1.0/70)
	should.Equal(t, f.Numbers(2).Rank, 1)
}

func TestAWeakLookKeepsWhatItDoesNotFind(t *testing.T) {
	for method, want := range map[Method]Verdict{MethodDefault: Kept, MethodPaper: Undecided} { // the paper's says nothing more
		f := looking(t, method, Schedule{[]int{10, 20}, []float64{.5, .5}}, 1)
		f.looks[0].weak = true
		o := Outcome{PAdjusted: 1, PKept: .001, Ratio: 1}
		should.Equal(t, f.verdict(0, &o, Pair{Orig: []float64{1}, Other: []float64{1}}), want, "%s", method)
	}
}

func TestOnceGivesReplicationsAndErrors(t *testing.T) {
	d := must.Get(NewDesign(Default(), Once(10), 1))(t)
	f := must.Get(d.Judge(0, []Pair{{Orig: slow(10, 2000, 1), Other: slow(10, 1000, 1)}}))(t)
	should.Hold(t, f.Outcomes[0].Replication > 0, "%+v", f.Outcomes[0])
	_, err := d.Judge(0, []Pair{{Orig: slow(10, -1, 0), Other: slow(10, 1000, 1)}})
	should.Hold(t, err != nil, "medians below 0")
}

func TestAnEarlierDoubtIsForgotten(t *testing.T) {
	f := looking(t, MethodDefault, Once(10), 1)
	o := Outcome{OnClock: true, TooNear: true, PAdjusted: .01, Ratio: 2, Lo95: 1.9, Hi95: 2.1}
	f.judge(&o, Pair{Orig: []float64{2}, Other: []float64{1}}, 0)
	should.Hold(t, o.Verdict == Violated && !o.OnClock && !o.TooNear, "%+v", o)
}

func TestRatiosAreNearFromWhereChecksDifferAndOnlyWhereThatIsKnown(t *testing.T) {
	should.Hold(t, !Near(even, even, 0) && Near(1.2500001, even, 0), "of checks that do not differ")
	f := looking(t, MethodDefault, Once(10), 1)
	should.Hold(t, !f.near(2), "it is not known how checks differ")
}

// Two steps of the clock may be one and a half apart; of 4 ns the call takes 2, and 5 would be a slowdown.
func TestTheClockHidesASlowdownBelowOneAndAHalfSteps(t *testing.T) {
	for tick, want := range map[float64]bool{0: false, .4: false, 2: false, 2.01: true, 5: true} {
		f := looking(t, MethodDefault, Once(10), 1)
		f.tick = tick
		should.Equal(t, f.hides(Pair{Orig: []float64{2}, Other: []float64{4}}), want, "steps of %g", tick)
	}
	f := looking(t, MethodDefault, Once(10), 1)
	f.tick = .5
	should.Hold(t, f.hides(Pair{Orig: []float64{4.5}, Other: []float64{4}}), "half a nanosecond of a clock with such steps")
}

// The numbers of drawings are from a program in Python that knows only docs/dev/statistics.md: 9 of the first row have
// a p-value of just the level, which counts; in the second row the clock's steps hide 7, and in the third 29 that are
// significant are less than 5 % slower.
func TestMpirunsAreDrawnAgainAsAnotherProgramDrawsThem(t *testing.T) {
	wide := []float64{1020, 1300, 1180, 1250, 1090, 960, 1210, 1150}
	low := []float64{1040, 1060, 1050, 1075, 1030, 1065, 1045, 1055}
	cfg := Default()
	cfg.Test = TestSignedRank
	for _, c := range []struct {
		orig        []float64
		level, tick float64
		want        float64
	}{{wide, 1. / 128, 0, 52}, {wide, 1. / 128, 80, 45}, {low, 1. / 64, 0, 54}} {
		f := must.Get(NewDesign(cfg, Once(8), 1))(t).Family(c.tick)
		f.Between = .03
		got := f.redrawn(f.looks[0].test, Pair{Orig: c.orig, Other: slow(8, 1000, 0)}, c.level)
		should.Hold(t, math.Abs(got-(c.want+.5)/101) < 1e-9, "%+v: %.1f drawings", c, 101*got-.5)
	}
}

// Where checks do not differ, and 1.25× is a slowdown.
func TestWhatEveryDrawingFindsIsNotDrawn(t *testing.T) {
	cfg := Default()
	cfg.Test, cfg.MinSlowdown = TestSignedRank, even
	for name, c := range map[string]struct {
		orig        []float64
		level, tick float64
		between     float64
		want        bool
	}{
		"all alike":                                 {[]float64{12, 12, 12, 12}, .0625, 1, 0, true},
		"no p-value of four mpiruns is so small":    {[]float64{12, 12, 12, 12}, .0624, 1, 0, false},
		"steps that are too wide":                   {[]float64{12, 12, 12, 12}, .0625, 1.01, 0, false},
		"one below the minimum slowdown":            {[]float64{12, 12, 12, 7.4}, .0625, 1, 0, false},
		"one three times as far as another one":     {[]float64{12, 12, 12, 48}, .0625, 1, 0, true},
		"one farther than that":                     {[]float64{12, 12, 12, 49}, .0625, 1, 0, false},
		"another check may be below":                {[]float64{8, 8, 8, 8}, .0625, 1, .03, false},
		"another check may be above three times it": {[]float64{12, 12, 12, 48}, .0625, 1, .03, false},
		"no medians":                                {[]float64{12, 12, 12, -1}, .0625, 1, 0, false},
	} {
		f := must.Get(NewDesign(cfg, Once(4), 1))(t).Family(c.tick)
		f.Between = c.between
		pair := Pair{Orig: c.orig, Other: slow(4, 6, 0)}
		should.Equal(t, f.alwaysFound(f.looks[0].test, pair, c.level), c.want, name)
		if c.want {
			should.Equal(t, f.redrawn(f.looks[0].test, pair, c.level), 100.5/101, name)
		}
	}
}

// What is as likely as not, or more, is drawn again; what is less likely is not.
func TestOnlyAProbableReplicationIsDrawn(t *testing.T) {
	cfg := Default()
	cfg.Test, cfg.MinSlowdown = TestSignedRank, even
	for ratio, drawn := range map[float64]bool{even: true, 1.2499: false} {
		f := must.Get(NewDesign(cfg, Once(10), 1))(t).Family(0)
		f.Outcomes[0] = Outcome{Ratio: ratio, Lo95: ratio, Hi95: ratio, Runs: 10, Verdict: Violated}
		f.pairs[0] = Pair{Orig: slow(10, 900, 1), Other: slow(10, 1000, 1)} // no drawing is violated
		f.Replicate()
		should.Equal(t, f.Outcomes[0].Replication < .01, drawn, "%g: %g", ratio, f.Outcomes[0].Replication)
	}
}
