package analyze

import (
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

func TestStandingsInAnotherConditionAreConditional(t *testing.T) {
	for s, want := range map[Standing]bool{GoneInTurns: true, OneMalloc: true, Smaller: true, NotShown: true, Sure: false, NearLimit: false, Unsteady: false} {
		should.Equal(t, s.Conditional(), want, "%s", s)
	}
}

// Where one test has a probability of replication, those without it are not sure to be found again.
func TestOnlyViolationsHaveAStandingAndReplicationCountsWhereOneIsKnown(t *testing.T) {
	violated := Verdict{Verdict: judge.Violated, Tested: Tested{Effect: Effect{Number(2), Number(1.9), Number(2.1)}}}
	kept := Verdict{Verdict: judge.Kept}
	rated := violated
	rated.Replication, rated.Firm = Number(.97), true
	unsteady := violated
	unsteady.Replication = Number(.5)
	near := unsteady
	near.RatioHi95 = Number(1.26) // 1.2 times the threshold
	beyond := unsteady
	beyond.RatioHi95 = Number(1.27)
	for name, c := range map[string]struct {
		verdicts []Verdict
		want     []Standing
		firm     []bool
	}{
		"none is rated":      {[]Verdict{violated, kept}, []Standing{Sure, ""}, []bool{false, false}},
		"one is rated":       {[]Verdict{violated, rated, kept}, []Standing{Unsteady, Sure, ""}, []bool{false, true, false}},
		"near the threshold": {[]Verdict{near, beyond}, []Standing{NearLimit, Unsteady}, []bool{false, false}},
	} {
		r := Report{MinSlowdown: 1.05, Verdicts: c.verdicts}
		r.Stand()
		for i, v := range r.Verdicts {
			should.Hold(t, v.Standing == c.want[i] && v.Firm == c.firm[i], "%s: verdict %d is %q, firm %v", name, i, v.Standing, v.Firm)
		}
	}
	v := Verdict{Verdict: judge.Violated}
	should.Equal(t, v.stands(false, 1.26), Unsteady, "without an interval")
}

// An end that is unknown is 0 or infinite, and touches.
func TestIntervalsAreApartWhereOneEndsBeforeTheOtherBegins(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		lo, hi, otherLo, otherHi float64
		want                     bool
	}{
		{1.9, 2.1, 1.3, 1.5, true},
		{1.9, 2.1, 2.3, 2.5, true},
		{1.9, 2.1, 1.8, 2, false},
		{1.9, 2.1, 1.3, 1.9, false}, // they touch
		{1.9, 2.1, 2.1, 2.5, false},
		{1.9, 2.1, none, 1.5, true},
		{1.9, 2.1, 1.3, none, false},
		{1.9, 2.1, 2.3, none, true},
		{none, 2.1, none, 1e-9, false},
		{none, 2.1, none, .5, false},
		{none, 1, 1.5, none, true},
		{.5, none, 1e9, 2e9, false},
		{.5, none, none, .25, true},
		{.5, .75, .9, .95, true}, // all below 1
		{none, .5, none, none, false},
		{none, none, none, -.5, true},
	} {
		v := Verdict{Tested: Tested{Effect: Effect{Number(1), Number(c.lo), Number(c.hi)}}}
		e := &Elsewhere{Alone: Alone{Effect: Effect{Number(1), Number(c.otherLo), Number(c.otherHi)}}}
		should.Equal(t, v.Apart(e), c.want, "%v", c)
		should.Hold(t, !v.Apart(nil), "nothing was measured elsewhere")
	}
}

func TestTheLeastRatioIsOneThatIsKnown(t *testing.T) {
	apart := Elsewhere{Alone: Alone{Effect: Effect{nil, Number(1.3), Number(1.5)}}}
	v := Verdict{Tested: Tested{Effect: Effect{Number(2), Number(1.9), Number(2.1)}}, Alternating: &apart}
	should.Equal(t, *v.Least().Ratio, 2., "the other has no ratio")
	apart.Ratio = Number(2)
	should.Equal(t, v.Least(), v.Effect, "the ratio is the same")
	apart.Ratio, v.Ratio = Number(.5), nil
	should.Hold(t, v.Least().Ratio == nil, "%v", v.Least())
}

// By hand: exp(.1645) = 1.1788 for the interval of TestAnotherChecksIntervalHasWhatDiffersBetweenChecks.
func TestAnotherChecksIntervalNeedsARatioWithAnInterval(t *testing.T) {
	whole := Effect{Number(1), Number(.9), Number(1.1)}
	for name, c := range map[string]struct {
		method judge.Method
		once   string
		effect Effect
		want   bool
	}{
		"a ratio with its interval": {judge.MethodDefault, "", whole, true},
		"no slowdown is judged":     {judge.MethodPaper, "", whole, false},
		"seen once":                 {judge.MethodDefault, "1 mpirun", whole, false},
		"no ratio":                  {judge.MethodDefault, "", Effect{nil, Number(.9), Number(1.1)}, false},
		"no lower end":              {judge.MethodDefault, "", Effect{Number(1), nil, Number(1.1)}, false},
		"no upper end":              {judge.MethodDefault, "", Effect{Number(1), Number(.9), nil}, false},
	} {
		r := Report{Method: c.method, Verdicts: []Verdict{{Tested: Tested{Effect: c.effect}}}}
		r.SeenOnce = c.once
		r.OfAnotherCheck(Between{.03, TauQuiet})
		v := r.Verdicts[0]
		should.Hold(t, (v.AnotherLo95 != nil && v.AnotherHi95 != nil) == c.want, "%s: %v, %v", name, v.AnotherLo95, v.AnotherHi95)
		should.Hold(t, !c.want || math.Abs(*v.AnotherHi95-1.1788) < 1e-4 && math.Abs(*v.AnotherLo95-1/1.1788) < 1e-4, "%s: %v", name, v)
		should.Equal(t, r.Between == Between{.03, TauQuiet}, c.method == judge.MethodDefault && c.once == "", "%s", name)
	}
	should.Equal(t, TooNear(1.05, .03), "kept in this check, but nearer to 1.05× than checks differ (3 %)")
}

func TestAGuidelineThatAnotherCheckMayNotKeepIsUndecided(t *testing.T) {
	m, cfg := fixture.Manifest(), judge.Default()
	runs := fixture.Measured(m, 10000, 20000, 10000, 20000, 10000, 20000)
	v := analyzed(t, m, runs, cfg).Verdicts[2]
	should.Hold(t, v.Verdict == judge.Kept && v.Reason == "", "%+v", v)
	cfg.BetweenChecks = .2
	v = analyzed(t, m, runs, cfg).Verdicts[2]
	should.Hold(t, v.Verdict == judge.Undecided && v.Reason == TooNear(cfg.MinSlowdown, .2), "%s: %q", v.Verdict, v.Reason)
}
