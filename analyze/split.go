package analyze

import (
	"cmp"
	"fmt"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// splitPart is the part of alpha that the split experiment has, a fifth: its family
// is small, and the other is to lose little.
const splitPart = 5

// levels divides alpha between the family of monotony and patterns and that of the
// split experiment, so that a check as a whole errs with alpha.
func levels(m *results.Manifest, cfg judge.Config) (own, split judge.Config) {
	own, split = cfg, cfg
	if cfg.Method != judge.MethodPaper && (m.SplitExperiment || m.Split != nil) {
		split.Alpha = cfg.Alpha / splitPart
		own.Alpha = cfg.Alpha * (splitPart - 1) / splitPart
	}
	return own, split
}

// judgeSplit judges split-robustness from the medians, without a test. What it
// suspects, experiment tests.
func (a *Analysis) judgeSplit() {
	plan := &a.Manifest.Plan
	for i, t := range plan.Tests {
		if t.Type != guidelines.Split {
			continue
		}
		v := &a.Verdicts[i]
		parts := a.usableParts(t)
		a.settle(v, judge.Once(a.Family.Looks[0]), append([]int{t.Case}, parts...)...)
		v.MedianS = Seconds(a.Set.Cases[t.Case].MedianOf(a.Family.Looks[0]))
		switch {
		case v.Verdict == judge.Undecided:
			a.isIncomplete(v)
		case v.Verdict != "":
		case len(parts) == 0:
			v.Verdict, v.Reason = judge.NotMeasured, "no smaller size was measured"
		default:
			a.suspect(v, t, parts)
		}
	}
}

// suspicion is a smaller size of which k calls are faster than one call.
type suspicion struct {
	part, calls int // index into Plan.Cases; k
	ratio       float64
	suspicious  bool // the ratio is beyond the tolerance
}

// compare compares a size with a smaller one, by the medians of the mpiruns that
// both have for certain.
func (a *Analysis) compare(t guidelines.Test, part int) suspicion {
	runs := a.Family.Looks[0]
	whole, of := a.Set.Cases[t.Case].MedianOf(runs), a.Set.Cases[part].MedianOf(runs)
	k := int(guidelines.SplitFactor(t.Msize, a.Manifest.Plan.Cases[part].Msize))
	return suspicion{part, k, whole / (float64(k) * of), judge.SplitSuspected(whole, of, k, a.Cfg.SplitTolerance)}
}

// suspect gives a verdict about the part with the largest ratio, or about the largest
// part where none is suspicious.
func (a *Analysis) suspect(v *Verdict, t guidelines.Test, parts []int) {
	yes, no := judge.Suspected, judge.NotSuspected
	if a.Cfg.Method == judge.MethodPaper {
		yes, no = judge.Violated, judge.Kept
	}
	v.Verdict = no
	chosen := a.compare(t, parts[len(parts)-1])
	for _, part := range parts {
		if s := a.compare(t, part); s.suspicious && (v.Verdict == no || s.ratio > chosen.ratio) {
			v.Verdict, chosen = yes, s
		}
	}
	a.about(v, chosen)
}

// about fills in what a verdict from medians is about.
func (a *Analysis) about(v *Verdict, s suspicion) {
	v.MsizeOther, v.K = a.Manifest.Plan.Cases[s.part].Msize, s.calls
	v.OtherMedianS = Seconds(a.Set.Cases[s.part].MedianOf(a.Family.Looks[0]))
	v.Ratio = Number(s.ratio)
}

// usableParts are the smaller sizes that were measured, ascending as in the
// Plan: a smaller size that failed does not spoil the others.
func (a *Analysis) usableParts(t guidelines.Test) []int {
	var parts []int
	for _, o := range t.Others {
		if a.Set.Cases[o].Status == protocol.StatusOK && a.Manifest.Plan.Cases[o].Msize > 0 {
			parts = append(parts, o)
		}
	}
	return parts
}

// FollowUps plans the experiment on split-robustness from the medians of stage
// 2: one follow-up for each suspicion, about the m_i that is reported, and for what the
// baselines violate, so that there both sides are tests: violatedBefore gives the smaller
// size of which k calls were faster there, 0 for none; it may be nil. It is measured
// in as many mpiruns as pair well, but no more than the check has. It is nil where
// there is nothing to follow up: no suspicion, method paper, or an R that is too small.
func FollowUps(m *results.Manifest, set *medians.Set, cfg judge.Config, violatedBefore func(*Verdict) int64) (*results.SplitPlan, error) {
	if cfg.Method == judge.MethodPaper {
		return nil, nil
	}
	a, err := begin(m, set, cfg)
	if err != nil {
		return nil, err
	}
	a.judgeSplit()
	plan := &results.SplitPlan{}
	for i, v := range a.Verdicts {
		other := v.MsizeOther
		if v.Verdict == judge.NotSuspected && violatedBefore != nil {
			other = violatedBefore(&v)
		} else if v.Verdict != judge.Suspected {
			continue
		}
		t := m.Plan.Tests[i]
		for _, part := range a.usableParts(t) {
			if size := m.Plan.Cases[part].Msize; size == other {
				plan.FollowUps = append(plan.FollowUps, results.FollowUp{Test: i, Case: t.Case, Part: part, Calls: int(guidelines.SplitFactor(t.Msize, size))})
			}
		}
	}
	_, split := levels(m, cfg)
	plan.R = min(a.Family.R(), max(a.Family.Looks[0], judge.Pairing(split.Alpha, len(plan.FollowUps))))
	d, err := judge.NewDesign(split, judge.Once(plan.R), len(plan.FollowUps))
	if err != nil || d.M == 0 || d.Refused != nil {
		return nil, err
	}
	return plan, nil
}

// untested is the strongest suspicion of a test beside the one that was followed up.
func (a *Analysis) untested(f results.FollowUp) (strongest suspicion, ok bool) {
	t := a.Manifest.Plan.Tests[f.Test]
	for _, part := range a.usableParts(t) {
		if s := a.compare(t, part); part != f.Part && s.suspicious && (!ok || s.ratio > strongest.ratio) {
			strongest, ok = s, true
		}
	}
	return strongest, ok
}

// SplitExperiment is what the verdicts on suspected split-robustness rest on: a
// family of its own, measured in mpiruns of its own.
type SplitExperiment struct {
	R       int            `json:"r"`       // mpiruns per shape
	Test    judge.TestName `json:"test"`    // what was used
	Adjust  judge.Adjust   `json:"adjust"`  // what was used
	M       int            `json:"m"`       // follow-ups: tests in this family
	Alpha   float64        `json:"alpha"`   // its level, which with that of the other family makes the check's
	PMin    float64        `json:"p_min"`   // smallest p-value attainable
	Refused *judge.Refusal `json:"refused"` // null: R is large enough; else they stay suspected
}

// measured are both sides of a follow-up in an experiment; why: they are not there.
func (a *Analysis) Measured(mode protocol.Mode, f results.FollowUp, runs int) (pair judge.Pair, why string) {
	whole, parts := a.Set.Side(mode, f.Case, 1), a.Set.Side(mode, f.Part, f.Calls)
	if whole == nil || parts == nil || whole.Status != protocol.StatusOK || parts.Status != protocol.StatusOK {
		return pair, " has not been measured"
	}
	if problem := cmp.Or(whole.Problem(runs), parts.Problem(runs)); problem != "" {
		return pair, ": " + problem
	}
	return judge.Pair{Orig: whole.Medians, Other: parts.Medians}, ""
}

// experiment tests the follow-ups like patterns whose mock-up is k calls
// (docs/dev/statistics.md).
func (a *Analysis) experiment() error {
	m := a.Manifest
	if a.Cfg.Method == judge.MethodPaper || m.Split == nil || len(m.Split.FollowUps) == 0 {
		return nil
	}
	_, split := levels(m, a.Cfg)
	d, err := judge.NewDesign(split, judge.Once(m.Runs(protocol.ModeSplit)), len(m.Split.FollowUps))
	if err != nil {
		return err
	}
	a.split = d.Family(float64(a.Set.TickNS))
	if d.Refused != nil {
		return nil
	}
	pairs := make([]judge.Pair, d.M)
	for i, f := range m.Split.FollowUps {
		pair, why := a.Measured(protocol.ModeSplit, f, d.R())
		if why != "" { // it stays suspected
			a.Verdicts[f.Test].Reason = "its experiment" + why
			a.isIncomplete(&a.Verdicts[f.Test])
			continue
		}
		pairs[i] = pair
	}
	if err := a.split.Look(pairs); err != nil {
		return err
	}
	for i, f := range m.Split.FollowUps {
		o := a.split.Outcomes[i]
		if o.Runs == 0 {
			continue
		}
		v := &a.Verdicts[f.Test]
		if rest, ok := a.untested(f); ok && o.Verdict != judge.Violated {
			v.Reason = fmt.Sprintf("%s against %d calls of %s, where it was tested; the medians suggest it here as well", o.Verdict, f.Calls, conf.HumanSize(m.Plan.Cases[f.Part].Msize))
			a.about(v, rest)
			continue
		}
		v.set(o, nil)
		v.Reason = ""
		v.K, v.MsizeOther = f.Calls, m.Plan.Cases[f.Part].Msize
		v.MedianS = Seconds(stats.MedianFinite(pairs[i].Orig))
		v.OtherMedianS = Seconds(stats.MedianFinite(pairs[i].Other) / float64(f.Calls))
	}
	return nil
}
