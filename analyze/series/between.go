package series

import (
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
)

const (
	enoughPairs  = 20   // answers in two checks, for how far ratios differ between them
	leastBetween = 0.01 // of it: intervals are no more exact
)

// between returns by how much ratios of this check and of the baselines differ beyond their
// intervals: with this standard deviation of the true log ratio 95 % of the answers agree. It asks
// the tests that either check violates, or all if these are few, and returns 0 if all are few.
func (t tonight) between() float64 {
	var all, violated []float64
	now := CheckOf(t.Report, "")
	for _, night := range t.Nights {
		for i := range now.Points {
			a, b := &now.Points[i], night.find(now.Points[i].Asked)
			if b == nil || a.MsizeOther != b.MsizeOther || !a.hasInterval() || !b.hasInterval() {
				continue
			}
			tau := apart(a, b)
			if all = append(all, tau); a.Verdict == judge.Violated || b.Verdict == judge.Violated {
				violated = append(violated, tau)
			}
		}
	}
	if len(violated) >= enoughPairs {
		all = violated
	}
	if len(all) < enoughPairs {
		return 0
	}
	slices.Sort(all)
	return max(leastBetween, all[min(len(all)-1, int(math.Ceil(0.95*float64(len(all))))-1)])
}

func (p *Point) hasInterval() bool {
	return p.Ratio != nil && p.RatioLo95 != nil && p.RatioHi95 != nil && p.Verdict.Tested()
}

// apart returns the least standard deviation between checks with which two answers agree at 95 %.
func apart(a, b *Point) float64 {
	const twoSided95 = 1.959964
	d := math.Log(*a.Ratio / *b.Ratio) / twoSided95
	for _, p := range []*Point{a, b} {
		se := math.Log(*p.RatioHi95 / *p.RatioLo95) / (2 * twoSided95)
		d = math.Sqrt(max(0, d*d-se*se))
	}
	return d / math.Sqrt2
}

// widen says how far other checks may be, by what the baselines show. What is kept by less than that
// is undecided, unless the gate has something to say of it.
func (t tonight) widen() {
	if t.Report.Between.Source == analyze.TauMeasured || !t.Method.Rules().Slowdown {
		return
	}
	tau := t.between()
	if tau == 0 {
		return
	}
	t.OfAnotherCheck(analyze.Between{Tau: tau, Source: analyze.TauMeasured})
	for i := range t.Verdicts {
		v := &t.Verdicts[i]
		if v.Verdict == judge.Kept && v.Gated == nil && v.Ratio != nil && judge.Near(*v.Ratio, t.MinSlowdown, tau) {
			v.Verdict, v.Reason = judge.Undecided, analyze.TooNear(t.MinSlowdown, tau)
		}
	}
}
