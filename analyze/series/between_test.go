package series

import (
	"math"
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
