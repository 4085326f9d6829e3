package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// splitPart gives the split experiment a fifth of alpha: its family is small, and the other family
// is to lose little.
const splitPart = 5

// levels divides alpha so that a check as a whole errs with alpha: between the family of monotony
// and patterns and the split experiment.
func levels(m *results.Manifest, cfg judge.Config) (own, split judge.Config) {
	own, split = cfg, cfg
	ofCollective := func(t guidelines.Test) bool { return t.Type == guidelines.Split && !guidelines.IsMessage(t.Function) }
	planned := m.SplitExperiment || m.FollowUps[protocol.ModeSplit] != nil
	if planned && cfg.Method.Rules().FollowsUp && slices.ContainsFunc(m.Plan.Tests, ofCollective) {
		split.Alpha = cfg.Alpha / splitPart
		own.Alpha = cfg.Alpha * (splitPart - 1) / splitPart
	}
	return own, split
}

// judgeSplit judges split-robustness from the medians, without a test. The method experiment tests
// what it suspects.
func (a *Analysis) judgeSplit() {
	plan := &a.manifest.Plan
	for i, t := range plan.Tests {
		if t.Type != guidelines.Split {
			continue
		}
		v := &a.verdicts[i]
		parts := a.usableParts(t)
		a.settle(v, judge.Once(a.family.Looks[0]), append([]int{t.Case}, parts...)...)
		v.MedianS = Seconds(a.set.Cases[t.Case].MedianOf(a.family.Looks[0]))
		switch {
		case v.Verdict != "":
		case len(parts) == 0:
			v.Verdict, v.Reason = judge.NotMeasured, "no smaller size was measured"
		default:
			a.suspect(v, t, parts)
		}
	}
}

type suspicion struct {
	part, calls int // index into Plan.Cases; k
	ratio       float64
	suspicious  bool // the ratio is beyond the tolerance
}

// compare compares a size with a smaller one. It takes the mpiruns that both have for certain.
func (a *Analysis) compare(t guidelines.Test, part int) suspicion {
	runs := a.family.Looks[0]
	whole, of := a.set.Cases[t.Case].MedianOf(runs), a.set.Cases[part].MedianOf(runs)
	k := int(guidelines.SplitFactor(t.Msize, a.manifest.Plan.Cases[part].Msize))
	return suspicion{part, k, whole / (float64(k) * of), judge.SplitSuspected(whole, of, k, a.cfg.SplitTolerance)}
}

// suspect gives a verdict about the part with the largest ratio. If none is suspicious, it takes
// the largest part.
func (a *Analysis) suspect(v *Verdict, t guidelines.Test, parts []int) {
	yes, no := a.byMedians()
	v.Verdict = no
	chosen := a.compare(t, parts[len(parts)-1])
	for _, part := range parts {
		if s := a.compare(t, part); s.suspicious && (v.Verdict == no || s.ratio > chosen.ratio) {
			v.Verdict, chosen = yes, s
		}
	}
	a.about(v, chosen)
}

// byMedians returns the verdicts that medians without a test allow.
func (a *Analysis) byMedians() (yes, no judge.Verdict) {
	if !a.cfg.Method.Rules().FollowsUp && !a.manifest.SeenOnce() {
		return judge.Violated, judge.Kept
	}
	return judge.Suspected, judge.NotSuspected
}

func (a *Analysis) about(v *Verdict, s suspicion) {
	v.MsizeOther, v.K = a.manifest.Plan.Cases[s.part].Msize, s.calls
	v.OtherMedianS = Seconds(a.set.Cases[s.part].MedianOf(a.family.Looks[0]))
	v.Ratio = Number(s.ratio)
}

// usableParts returns the smaller sizes that were measured, ascending as in the Plan: a smaller
// size that failed does not spoil the others.
func (a *Analysis) usableParts(t guidelines.Test) []int {
	return lists.Keep(t.Others, func(o int) bool {
		return a.set.Cases[o].Status == protocol.StatusOK && a.manifest.Plan.Cases[o].Msize > 0
	})
}

// PlanSplit plans the experiment on split-robustness, and on messages, from the medians of stage 2. It plans one
// comparison for each suspicion, with the m_i that is reported, and for what the baselines violate,
// so that both checks test it. violatedBefore returns the smaller size of which k calls were faster
// there, or 0; it may be nil. The experiment has no more mpiruns than the check. PlanSplit returns
// nil if there is nothing to follow up, the method follows nothing up, or R is too small.
func PlanSplit(m *results.Manifest, set *medians.Set, cfg judge.Config, violatedBefore func(*Verdict) int64) (*results.FollowUps, error) {
	if !cfg.Method.Rules().FollowsUp {
		return nil, nil
	}
	a, err := begin(m, set, cfg)
	if err != nil {
		return nil, err
	}
	a.judgeSplit()
	a.judgeMessages()
	var list, messages []results.Comparison
	for i, v := range a.verdicts {
		other := v.MsizeOther
		if v.Verdict == judge.NotSuspected && violatedBefore != nil {
			other = violatedBefore(&v)
		} else if v.Verdict != judge.Suspected {
			continue
		}
		c, ok := Compare(&m.Plan, i, other)
		switch {
		case !ok || !slices.Contains(a.usableParts(m.Plan.Tests[i]), c.Part):
		case a.ofMessages(c):
			messages = append(messages, c)
		default:
			list = append(list, c)
		}
	}
	_, split := levels(m, cfg)
	list, r, err := a.planned(list, split, 0)
	if err != nil {
		return nil, err
	}
	messages, r, err = a.planned(messages, cfg, r)
	return again(append(list, messages...), r), err
}

// planned returns a family with the mpiruns that test it: these, or for 0 as many as it needs. It leaves out a family
// of which they could show nothing.
func (a *Analysis) planned(list []results.Comparison, cfg judge.Config, mpiruns int) ([]results.Comparison, int, error) {
	if len(list) == 0 {
		return nil, mpiruns, nil
	}
	r := cmp.Or(mpiruns, min(a.family.R(), a.pairing(cfg.Alpha, len(list))))
	d, err := judge.NewDesign(cfg, judge.Once(r), len(list))
	if err != nil || d.Refused != nil {
		return nil, mpiruns, err
	}
	return list, r, nil
}

// untested returns the strongest suspicion of a test besides the one that was followed up.
func (a *Analysis) untested(f results.Comparison) (strongest suspicion, ok bool) {
	t := a.manifest.Plan.Tests[f.Test]
	for _, part := range a.usableParts(t) {
		if s := a.compare(t, part); part != f.Part && s.suspicious && s.ratio > strongest.ratio {
			strongest, ok = s, true
		}
	}
	return strongest, ok
}

// SplitExperiment describes the tests of suspected split-robustness: a family of its own, measured
// in mpiruns of its own.
type SplitExperiment struct {
	R       int            `json:"r"`       // mpiruns per shape
	Test    judge.TestName `json:"test"`    // the test that was used
	Adjust  judge.Adjust   `json:"adjust"`  // the adjustment that was used
	M       int            `json:"m"`       // follow-ups: tests in this family
	Alpha   float64        `json:"alpha"`   // its level; the two families' levels add up to the check's
	PMin    float64        `json:"p_min"`   // smallest p-value attainable
	Refused *judge.Refusal `json:"refused"` // null if R is large enough; else the suspicions stay
}

func (x *FollowedUp) summary() *SplitExperiment {
	if x == nil {
		return nil
	}
	return &SplitExperiment{x.R(), x.Test(0).Name, x.Adjust, x.M, x.Alpha, x.PMin(0), x.Refused}
}

// experiment tests the follow-ups like patterns whose mock-up is k calls
// (docs/dev/statistics.md). Messages are a family of their own.
func (a *Analysis) experiment() (err error) {
	if !a.cfg.Method.Rules().FollowsUp {
		return nil
	}
	_, split := levels(a.manifest, a.cfg)
	ofCollectives := func(c results.Comparison) bool { return !a.ofMessages(c) }
	if a.split, err = a.followedOf(protocol.ModeSplit, split, ofCollectives); err != nil {
		return err
	}
	if a.messages, err = a.followedOf(protocol.ModeSplit, a.cfg, a.ofMessages); err != nil {
		return err
	}
	for _, x := range []*FollowedUp{a.split, a.messages} {
		if x == nil || x.Refused != nil {
			continue
		}
		for _, f := range x.Answers {
			a.take(f)
		}
	}
	return nil
}

func (a *Analysis) take(f Answered) {
	v, part := &a.verdicts[f.Test], a.manifest.Plan.Cases[f.Part]
	if f.Problem != "" { // it stays suspected
		v.Reason = "its experiment: " + f.Problem
		a.isIncomplete(v)
		return
	}
	if v.Type == guidelines.Split {
		if rest, ok := a.untested(f.Comparison); ok && f.Verdict != judge.Violated {
			v.Reason = fmt.Sprintf("%s against %d calls of %s, where it was tested; the medians suggest it here as well", f.Verdict, f.Calls, conf.HumanSize(part.Msize))
			a.about(v, rest)
			return
		}
		v.K, v.MsizeOther = f.Calls, part.Msize
	}
	v.set(f.Outcome, nil)
	v.Reason, v.MedianS, v.OtherMedianS = "", f.WholeS, f.PartS
}
