package analyze

import (
	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// MinSplits says how many calls of size part carry size bytes: k = ⌈m_j/m_i⌉.
func MinSplits(size, part int64) int {
	if part < 1 {
		return 0
	}
	return int((size-1)/part + 1)
}

// IsSplitSuspected tells whether a call is slower than k calls on 1/k of the
// data by more than the tolerance, a fraction of k·part (S-PGMPI §4.3,
// STATISTICS §4). Both times are medians of run medians in one unit.
func IsSplitSuspected(whole, part float64, k int, tolerance float64) bool {
	return whole > (1+tolerance)*float64(k)*part
}

// split judges split-robustness from the medians, without a test.
func (c *Collector) split(r *Report, cfg Config) {
	yes, no := Suspected, NotSuspected
	if cfg.Method == MethodPaper {
		yes, no = Violated, Kept
	}
	for i, t := range c.manifest.Plan.Tests {
		if t.Type != guidelines.Split {
			continue
		}
		v := &r.Verdicts[i]
		parts := c.usableParts(t)
		c.settle(v, append([]int{t.Case}, parts...))
		v.MedianS = seconds(c.cases[t.Case].median())
		switch {
		case v.Verdict == Undecided:
			r.Incomplete = append(r.Incomplete, incomplete(v))
			continue
		case v.Verdict != "":
			continue
		case len(parts) == 0:
			v.Verdict, v.Reason = NotMeasured, "no smaller size was measured"
			continue
		}
		v.Verdict = no
		whole, chosen := c.cases[t.Case].median(), parts[len(parts)-1]
		for _, part := range parts {
			k := MinSplits(v.Msize, c.manifest.Plan.Cases[part].Msize)
			if IsSplitSuspected(whole, c.cases[part].median(), k, cfg.SplitTolerance) {
				v.Verdict, chosen = yes, part
			}
		}
		v.MsizeOther = c.manifest.Plan.Cases[chosen].Msize
		v.K = MinSplits(v.Msize, v.MsizeOther)
		part := c.cases[chosen].median()
		v.OtherMedianS = seconds(part)
		v.Ratio = number(whole / (float64(v.K) * part))
	}
}

// usableParts are the smaller sizes that were measured, ascending as in the
// Plan: a smaller size that failed does not spoil the others.
func (c *Collector) usableParts(t guidelines.Test) []int {
	var parts []int
	for _, o := range t.Others {
		if c.cases[o].status == results.StatusOK && c.manifest.Plan.Cases[o].Msize > 0 {
			parts = append(parts, o)
		}
	}
	return parts
}
