package analyze

import (
	"cmp"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// judgeSplit judges split-robustness from the medians, without a test. What it
// suspects, experiment tests.
func (a *Analysis) judgeSplit() {
	plan := &a.manifest.Plan
	for i, t := range plan.Tests {
		if t.Type != guidelines.Split {
			continue
		}
		v, whole := &a.verdicts[i], a.set.Cases[t.Case].Median()
		parts := a.usableParts(t)
		a.settle(v, judge.Once(a.family.Looks[0]), append([]int{t.Case}, parts...)...)
		v.MedianS = seconds(whole)
		switch {
		case v.Verdict == judge.Undecided:
			a.isIncomplete(v)
		case v.Verdict != "":
		case len(parts) == 0:
			v.Verdict, v.Reason = judge.NotMeasured, "no smaller size was measured"
		default:
			a.suspect(v, whole, parts)
		}
	}
}

// suspect gives a verdict about the largest part that is suspicious, or else
// about the largest.
func (a *Analysis) suspect(v *Verdict, whole float64, parts []int) {
	yes, no := judge.Suspected, judge.NotSuspected
	if a.cfg.Method == judge.MethodPaper {
		yes, no = judge.Violated, judge.Kept
	}
	calls := func(part int) int { return int(guidelines.SplitFactor(v.Msize, a.manifest.Plan.Cases[part].Msize)) }
	v.Verdict = no
	chosen := parts[len(parts)-1]
	for _, part := range parts {
		if judge.SplitSuspected(whole, a.set.Cases[part].Median(), calls(part), a.cfg.SplitTolerance) {
			v.Verdict, chosen = yes, part
		}
	}
	part := a.set.Cases[chosen].Median()
	v.MsizeOther, v.K = a.manifest.Plan.Cases[chosen].Msize, calls(chosen)
	v.OtherMedianS = seconds(part)
	v.Ratio = number(whole / (float64(v.K) * part))
}

// usableParts are the smaller sizes that were measured, ascending as in the
// Plan: a smaller size that failed does not spoil the others.
func (a *Analysis) usableParts(t guidelines.Test) []int {
	var parts []int
	for _, o := range t.Others {
		if a.set.Cases[o].Status == protocol.StatusOK && a.manifest.Plan.Cases[o].Msize > 0 {
			parts = append(parts, o)
		}
	}
	return parts
}

// FollowUps plans the experiment on split-robustness from the medians of stage
// 2: one follow-up for each suspicion, about the m_i that is reported. Its R is
// the check's; with looks it is the first look at which a single violation could
// be found. It is nil where there is nothing to follow up: no suspicion,
// method paper, or an R that is too small.
func FollowUps(m *results.Manifest, set *medians.Set, cfg judge.Config) (*results.SplitPlan, error) {
	if cfg.Method == judge.MethodPaper {
		return nil, nil
	}
	a, err := begin(m, set, cfg)
	if err != nil {
		return nil, err
	}
	a.judgeSplit()
	plan := &results.SplitPlan{}
	for i, v := range a.verdicts {
		if v.Verdict != judge.Suspected {
			continue
		}
		t := m.Plan.Tests[i]
		for _, part := range t.Others {
			if m.Plan.Cases[part].Msize == v.MsizeOther {
				plan.FollowUps = append(plan.FollowUps, results.FollowUp{Test: i, Case: t.Case, Part: part, Calls: v.K})
			}
		}
	}
	for _, at := range a.family.Looks {
		d, err := judge.NewDesign(cfg, judge.Once(at), len(plan.FollowUps))
		if err != nil {
			return nil, err
		}
		if d.Refused == nil && d.M > 0 {
			plan.R = at
			return plan, nil
		}
	}
	return nil, nil
}

// SplitExperiment is what the verdicts on suspected split-robustness rest on: a
// family of its own, measured in mpiruns of its own.
type SplitExperiment struct {
	R      int            `json:"r"`      // mpiruns per shape
	Test   judge.TestName `json:"test"`   // what was used
	Adjust judge.Adjust   `json:"adjust"` // what was used
	M      int            `json:"m"`      // follow-ups: tests in this family
	PMin   float64        `json:"p_min"`  // smallest p-value attainable
	// TotalError bounds the error of both families together: 2·alpha.
	TotalError float64        `json:"total_error"`
	Refused    *judge.Refusal `json:"refused"` // null: R is large enough; else they stay suspected
}

// experiment tests the follow-ups like patterns whose mock-up is k calls
// (docs/statistics.md).
func (a *Analysis) experiment() error {
	m := a.manifest
	if a.cfg.Method == judge.MethodPaper || m.Split == nil || len(m.Split.FollowUps) == 0 {
		return nil
	}
	d, err := judge.NewDesign(a.cfg, judge.Once(m.Runs(protocol.ModeSplit)), len(m.Split.FollowUps))
	if err != nil {
		return err
	}
	a.split = d.Family(float64(a.set.TickNS))
	if d.Refused != nil {
		return nil
	}
	pairs := make([]judge.Pair, d.M)
	for i, f := range m.Split.FollowUps {
		whole, parts := a.set.Split(f.Case, 1), a.set.Split(f.Part, f.Calls)
		why := ""
		if whole == nil || parts == nil || whole.Status != protocol.StatusOK || parts.Status != protocol.StatusOK {
			why = "its experiment has not been measured"
		} else if problem := cmp.Or(whole.Problem(d.R()), parts.Problem(d.R())); problem != "" {
			why = "its experiment: " + problem
		}
		if why != "" { // it stays suspected
			a.verdicts[f.Test].Reason = why
			a.isIncomplete(&a.verdicts[f.Test])
			continue
		}
		pairs[i] = judge.Pair{Orig: whole.Medians, Other: parts.Medians}
	}
	if err := a.split.Look(pairs); err != nil {
		return err
	}
	for i, f := range m.Split.FollowUps {
		o := a.split.Outcomes[i]
		if o.Runs == 0 {
			continue
		}
		v := &a.verdicts[f.Test]
		v.set(o, nil)
		v.Reason = ""
		v.K, v.MsizeOther = f.Calls, m.Plan.Cases[f.Part].Msize
		v.MedianS = seconds(stats.MedianFinite(pairs[i].Orig))
		v.OtherMedianS = seconds(stats.MedianFinite(pairs[i].Other) / float64(f.Calls))
	}
	return nil
}
