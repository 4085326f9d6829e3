package analyze

import (
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Alone is what a test says of some mpiruns alone, not adjusted. It explains a verdict, and
// changes none.
type Alone struct {
	Mpiruns int `json:"mpiruns"`
	Effect  `column:""`
	Verdict judge.Verdict `json:"verdict" column:"verdict"`
}

func aloneIn(o judge.Outcome) Alone { return Alone{o.Runs, TestedBy(o).Effect, o.Verdict} }

// Elsewhere is a violation measured again in mpiruns of their own under another condition.
type Elsewhere struct {
	Alone  `column:""`
	Malloc string `json:"malloc,omitempty"` // its state, if not as in the check
}

// OnlyRepeated tells whether a violation is shown not to hold where both sides alternate.
func (v *Verdict) OnlyRepeated() bool {
	return v.Verdict == judge.Violated && v.Alternating != nil && v.Alternating.Verdict == judge.Kept
}

// Alternate plans to measure all violations again with both sides alternating call by call.
func (a *Analysis) Alternate() *results.FollowUps {
	return again(a.comparisons(func(int, *Verdict) bool { return true }), a.fewAgain())
}

// InMalloc plans to measure violations with page faults again in a state of malloc.
func (a *Analysis) InMalloc(state string) *results.FollowUps {
	faults := func(perCall *float64) bool { return perCall != nil && *perCall >= medians.ManyFaults }
	plan := again(a.comparisons(func(_ int, v *Verdict) bool { return faults(v.PageFaults) || faults(v.OtherPageFaults) }), a.fewAgain())
	if plan != nil {
		plan.Malloc = state
	}
	return plan
}

// fewAgain is the number of mpiruns for a question that is adjusted for no other.
func (a *Analysis) fewAgain() int { return min(a.family.R(), judge.Pairing(a.cfg.Alpha, 1)) }

// elsewhere judges what was measured under another condition, each test at half of alpha, as its
// two-sided interval, and not adjusted: its question was chosen by other mpiruns, and does not depend on the others'.
func (a *Analysis) elsewhere(mode protocol.Mode, of func(*Verdict) **Elsewhere) error {
	if !a.cfg.Method.Rules().Slowdown {
		return nil
	}
	cfg := a.cfg
	cfg.Adjust, cfg.Alpha = judge.AdjustNone, a.cfg.Alpha/2
	f, err := a.followed(mode, cfg)
	if err != nil || f == nil || f.Refused != nil {
		return err
	}
	plan, _ := a.manifest.Experiment(mode)
	for _, x := range f.Answers {
		v := &a.verdicts[x.Test]
		if v.Verdict != judge.Violated || v.MsizeOther != a.manifest.Plan.Cases[x.Part].Msize || x.Problem != "" {
			continue
		}
		*of(v) = &Elsewhere{aloneIn(x.Outcome), plan.Malloc}
	}
	return nil
}
