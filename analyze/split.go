package analyze

import (
	"cmp"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// IsSplitSuspected tells whether a call is slower than k calls on 1/k of the
// data by more than the tolerance, a fraction of k·part (S-PGMPI §4.3,
// docs/statistics.md). Both times are medians of run medians in one unit.
func IsSplitSuspected(whole, part float64, k int, tolerance float64) bool {
	return whole > (1+tolerance)*float64(k)*part
}

// split judges split-robustness from the medians, without a test. What it
// suspects, experiment tests.
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
		c.settle(v, append([]int{t.Case}, parts...), c.schedule.Looks[0])
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
			k := int(guidelines.SplitFactor(v.Msize, c.manifest.Plan.Cases[part].Msize))
			if IsSplitSuspected(whole, c.cases[part].median(), k, cfg.SplitTolerance) {
				v.Verdict, chosen = yes, part
			}
		}
		v.MsizeOther = c.manifest.Plan.Cases[chosen].Msize
		v.K = int(guidelines.SplitFactor(v.Msize, v.MsizeOther))
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
		if c.cases[o].status == protocol.StatusOK && c.manifest.Plan.Cases[o].Msize > 0 {
			parts = append(parts, o)
		}
	}
	return parts
}

// FollowUps plans the experiment on split-robustness from the medians of stage
// 2: one follow-up for each suspicion, about the m_i that is reported. Its R is
// that of the check, with looks the first of them at which a lone violation
// among so many could be found. It is nil where there is nothing to follow up:
// no suspicion, method paper, or an R that is too small.
func (c *Collector) FollowUps(cfg Config) (*results.SplitPlan, error) {
	if cfg.Method == MethodPaper {
		return nil, nil
	}
	if err := c.checkPlan(); err != nil {
		return nil, err
	}
	r := c.frame(cfg)
	c.split(r, cfg)
	plan := &results.SplitPlan{}
	for i, v := range r.Verdicts {
		if v.Verdict != Suspected {
			continue
		}
		t := c.manifest.Plan.Tests[i]
		for _, part := range t.Others {
			if c.manifest.Plan.Cases[part].Msize == v.MsizeOther {
				plan.FollowUps = append(plan.FollowUps, results.FollowUp{Test: i, Case: t.Case, Part: part, Calls: v.K})
			}
		}
	}
	for _, at := range c.schedule.Looks {
		_, refusal, err := NewProcedure(cfg, at, len(plan.FollowUps))
		if err != nil {
			return nil, err
		}
		if refusal == nil && len(plan.FollowUps) > 0 {
			plan.R = at
			return plan, nil
		}
	}
	return nil, nil
}

// SplitExperiment is what the verdicts on suspected split-robustness rest on: a
// family of its own, measured in mpiruns of its own.
type SplitExperiment struct {
	R      int     `json:"r"`      // mpiruns per shape
	Test   string  `json:"test"`   // what was used
	Adjust string  `json:"adjust"` // what was used
	M      int     `json:"m"`      // follow-ups: tests in this family
	PMin   float64 `json:"p_min"`  // smallest p-value attainable
	// TotalError bounds the error of both families together: 2·alpha.
	TotalError float64  `json:"total_error"`
	Refused    *Refusal `json:"refused"` // null: R is large enough; else they stay suspected
}

// experiment tests the follow-ups like patterns whose mock-up is k calls
// (docs/statistics.md).
func (c *Collector) experiment(r *Report, cfg Config) error {
	m := c.manifest
	if cfg.Method == MethodPaper || m.Split == nil || len(m.Split.FollowUps) == 0 {
		return nil
	}
	p, refusal, err := NewProcedure(cfg, m.Runs(protocol.ModeSplit), len(m.Split.FollowUps))
	if err != nil {
		return err
	}
	p.Tick = float64(c.tickNS)
	r.Split = &SplitExperiment{R: p.R, Test: p.Test, Adjust: p.Adjust, M: p.M, PMin: p.PMin, TotalError: 2 * cfg.Alpha, Refused: refusal}
	if refusal != nil {
		return nil
	}
	pairs := make([]Pair, len(m.Split.FollowUps))
	for i, f := range m.Split.FollowUps {
		v := &r.Verdicts[f.Test]
		whole, parts := c.followed[followKey{f.Case, 1}], c.followed[followKey{f.Part, f.Calls}]
		if whole == nil || parts == nil || whole.status != protocol.StatusOK || parts.status != protocol.StatusOK {
			c.unfollowed(r, v, "its experiment has not been measured")
			continue
		}
		if problem := cmp.Or(whole.problem(p.R), parts.problem(p.R)); problem != "" {
			c.unfollowed(r, v, "its experiment: "+problem)
			continue
		}
		pairs[i] = Pair{Orig: whole.medians, Other: parts.medians}
	}
	outcomes, err := p.Apply(pairs)
	if err != nil {
		return err
	}
	for i, f := range m.Split.FollowUps {
		if len(pairs[i].Orig) == 0 {
			continue
		}
		v := &r.Verdicts[f.Test]
		v.set(outcomes[i], nil)
		v.Reason, v.Runs = "", p.R
		v.K, v.MsizeOther = f.Calls, m.Plan.Cases[f.Part].Msize
		v.MedianS = seconds(median(pairs[i].Orig))
		v.OtherMedianS = seconds(median(pairs[i].Other) / float64(f.Calls))
	}
	return nil
}

// unfollowed leaves a suspicion as it is, and counts its test as incomplete.
func (c *Collector) unfollowed(r *Report, v *Verdict, why string) {
	v.Reason = why
	r.Incomplete = append(r.Incomplete, incomplete(v))
}
