package analyze

import (
	"fmt"
	"math"

	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/measure/results"
)

// seeOnce describes what was imported from too few mpiruns, or as means: ratios of medians, with an interval
// as far as samples within the mpiruns give one. There is no test, so nothing is violated and nothing kept.
func (a *Analysis) seeOnce() {
	a.decided = make([]int, len(a.family.Looks))
	for _, i := range a.tests {
		v := &a.verdicts[i]
		orig, other := a.sides(i)
		v.MedianS, v.OtherMedianS = Seconds(orig.Median()), Seconds(other.Median())
		if t := &a.manifest.Plan.Tests[i]; v.Verdict == "" {
			a.settle(v, judge.Once(a.family.R()), t.Case, t.Others[0])
		}
		if v.Verdict != "" {
			if v.Verdict == judge.Undecided {
				a.isIncomplete(v)
			}
			continue
		}
		ratio := orig.Median() / other.Median()
		half := 1.96 * math.Hypot(orig.Spread(), other.Spread())
		v.Ratio, v.RatioLo95, v.RatioHi95 = Number(ratio), Number(ratio*math.Exp(-half)), Number(ratio*math.Exp(half))
		v.Runs, v.Verdict, v.Reason = orig.Runs, judge.Undecided, once(a.manifest)
		if ratio >= a.cfg.MinSlowdown && (v.RatioLo95 == nil || *v.RatioLo95 > 1) {
			v.Verdict = judge.SeenOnce
		}
	}
}

// once says why nothing is decided.
func once(m *results.Manifest) string {
	if m.Imported.Statistic == results.Mean {
		return "means, of which there is no test"
	}
	return fmt.Sprintf("%s: another may differ", conf.Plural(m.R, "mpirun"))
}
