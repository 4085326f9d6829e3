package series

import (
	"math"
	"slices"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Forty ratios with intervals of ±2 %, half of them 10 % elsewhere in the baseline.
func TestHowFarChecksDifferComesFromTheBaselines(t *testing.T) {
	ratios := make([]float64, 40)
	for i := range ratios {
		ratios[i] = 1
	}
	night := nightly(1, ratios...)
	for i := range ratios {
		if i%2 == 0 {
			ratios[i] = 1.1
		}
	}
	now := nightly(2, ratios...)
	for _, r := range []*analyze.Report{night, now} {
		r.Method, r.MinSlowdown = judge.MethodDefault, 1.05
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			lo, hi := *v.Ratio/1.02, *v.Ratio*1.02
			v.RatioLo95, v.RatioHi95, v.Verdict = &lo, &hi, judge.Kept
		}
	}
	x := tonight{now, &Baselines{Nights: []*Check{CheckOf(night, "night-1")}}}
	se := math.Log(1.02) / 1.959964
	want := math.Sqrt((math.Pow(math.Log(1.1)/1.959964, 2) - 2*se*se) / 2)
	should.Hold(t, math.Abs(x.between()-want) < 1e-9, "%g, want %g", x.between(), want)
	x.widen()
	should.Hold(t, now.Between.Source == analyze.TauMeasured && math.Abs(now.Between.Tau-want) < 1e-9, "%+v", now.Between)
	for i, v := range now.Verdicts {
		must.Hold(t, v.AnotherLo95 != nil && *v.AnotherLo95 < *v.RatioLo95, "%+v", v)
		should.Hold(t, (v.Verdict == judge.Undecided) == (i%2 == 0), "%d: %s %g", i, v.Verdict, *v.Ratio)
	}
	x = tonight{nightly(3, 1, 1, 1), &Baselines{Nights: []*Check{CheckOf(night, "night-1")}}}
	should.Equal(t, x.between(), 0, "three tests tell nothing")
}

// answering makes a check and its only baseline of n tests each, whose ratios differ by these factors: the rest by 1.
// Intervals have no width, so that the i-th factor alone says how far the i-th answers differ.
func answering(n int, factors ...float64) tonight {
	ratios := slices.Repeat([]float64{1}, n)
	night := nightly(1, ratios...)
	copy(ratios, factors)
	now := nightly(2, ratios...)
	for _, r := range []*analyze.Report{night, now} {
		r.Method, r.MinSlowdown = judge.MethodDefault, 1.05
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			v.Msize, v.MsizeOther = int64(i), int64(i)
			v.RatioLo95, v.RatioHi95, v.Verdict = v.Ratio, v.Ratio, judge.Kept
		}
	}
	return tonight{now, &Baselines{Nights: []*Check{CheckOf(night, "night-1")}}}
}

// differing is the deviation between two checks whose answers are a factor apart.
func differing(factor float64) float64 { return math.Log(factor) / 1.959964 / math.Sqrt2 }

func TestTwentyAnswersSayHowFarNinetyFivePercentOfThemDiffer(t *testing.T) {
	rising := make([]float64, 40)
	for i := range rising {
		rising[i] = 1.1 + float64(i)/100
	}
	for n, want := range map[int]float64{
		19: 0, 20: differing(rising[18]), 21: differing(rising[19]), 40: differing(rising[37]),
	} {
		got := answering(n, rising[:n]...).between()
		should.Hold(t, math.Abs(got-want) < 1e-9, "%d answers: %g, want %g", n, got, want)
	}
	should.Equal(t, answering(20).between(), leastBetween, "equal answers")
	wide := answering(20, rising[:20]...)
	for i := range wide.Verdicts { // intervals that hold each other's ratio
		v := &wide.Verdicts[i]
		v.RatioLo95, v.RatioHi95 = analyze.Number(*v.Ratio/2), analyze.Number(*v.Ratio*2)
	}
	should.Equal(t, wide.between(), leastBetween, "answers that agree within their intervals")
}

// Twenty violated tests of 400 say how far checks differ by themselves, whichever check violates them; nineteen do not.
func TestTestsThatEitherCheckViolatesSayHowFarChecksDiffer(t *testing.T) {
	for violated, want := range map[int]float64{19: leastBetween, 20: differing(1.2)} {
		x := answering(400, slices.Repeat([]float64{1.2}, violated)...)
		night := x.Nights[0]
		for i := range violated {
			if i%2 == 0 {
				x.Verdicts[i].Verdict = judge.Violated
			} else {
				night.Points[i].Verdict = judge.Violated
			}
		}
		should.Hold(t, math.Abs(x.between()-want) < 1e-9, "%d violated: %g, want %g", violated, x.between(), want)
	}
}

// Each of these leaves out one of twenty answers.
func TestAnswersThatCannotBeComparedSayNothing(t *testing.T) {
	for name, spoil := range map[string]func(now *analyze.Verdict, night *Point){
		"no test in the baseline":  func(now *analyze.Verdict, _ *Point) { now.Msize = 1000 },
		"another size beside it":   func(_ *analyze.Verdict, night *Point) { night.MsizeOther++ },
		"no ratio":                 func(now *analyze.Verdict, _ *Point) { now.Ratio = nil },
		"no lower bound":           func(now *analyze.Verdict, _ *Point) { now.RatioLo95 = nil },
		"no upper bound":           func(now *analyze.Verdict, _ *Point) { now.RatioHi95 = nil },
		"no ratio in the baseline": func(_ *analyze.Verdict, night *Point) { night.Ratio = nil },
		"a suspicion":              func(now *analyze.Verdict, _ *Point) { now.Verdict = judge.NotSuspected },
		"a suspicion before":       func(_ *analyze.Verdict, night *Point) { night.Verdict = judge.Suspected },
	} {
		x := answering(20)
		spoil(&x.Verdicts[7], &x.Nights[0].Points[7])
		should.Equal(t, x.between(), 0, name)
	}
}

func TestOnlyWhatIsKeptByLessThanChecksDifferIsUndecided(t *testing.T) {
	few, paper, known := answering(3), answering(20), answering(20)
	paper.Method = judge.MethodPaper
	known.Between = analyze.Between{Tau: .5, Source: analyze.TauMeasured}
	for name, x := range map[string]tonight{"three answers": few, "the paper's method": paper, "known already": known} {
		before := x.Between
		x.widen()
		should.Hold(t, x.Between == before && x.Verdicts[0].AnotherLo95 == nil, "%s: %+v", name, x.Between)
	}
	x := answering(21, slices.Repeat([]float64{1.04}, 21)...)
	x.Verdicts[0].Verdict = judge.Violated
	x.Verdicts[1].Gated = &analyze.Gated{}
	x.Verdicts[2].Ratio = nil
	x.Verdicts[3].Ratio = analyze.Number(.5)
	tau := differing(1.04)
	x.widen()
	should.Hold(t, math.Abs(x.Between.Tau-tau) < 1e-9, "%+v", x.Between)
	for i, want := range []judge.Verdict{judge.Violated, judge.Kept, judge.Kept, judge.Kept, judge.Undecided} {
		v := x.Verdicts[i]
		said := v.Reason == analyze.TooNear(1.05, x.Between.Tau)
		should.Hold(t, v.Verdict == want && said == (want == judge.Undecided), "%d: %s, %q", i, v.Verdict, v.Reason)
	}
}
