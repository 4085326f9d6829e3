package analyze

import (
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Elsewhere is a violation measured again in mpiruns of their own under another condition.
type Elsewhere struct {
	Runs      int      `json:"runs"`
	Ratio     *float64 `json:"ratio" column:"ratio"`
	RatioLo95 *float64 `json:"ratio_lo95"`
	RatioHi95 *float64 `json:"ratio_hi95"`
	Holds     Holds    `json:"holds" column:"holds"`
	Malloc    string   `json:"malloc,omitempty"` // its state, if not as in the check
}

var conditions = map[protocol.Mode]func(*Verdict) **Elsewhere{
	protocol.ModeAlternate: func(v *Verdict) **Elsewhere { return &v.Alternating },
	protocol.ModeMalloc:    func(v *Verdict) **Elsewhere { return &v.OtherMalloc },
}

// Holds tells whether a violation was seen under another condition.
type Holds string

const (
	HoldsYes  Holds = "yes"     // violated there too
	HoldsNo   Holds = "no"      // shown to be less than min_slowdown times slower there
	HoldsOpen Holds = "unknown" // the data show neither
)

// no tells whether a violation is shown not to hold there.
func (e *Elsewhere) no() bool { return e != nil && e.Holds == HoldsNo }

// OnlyRepeated tells whether a violation is shown not to hold where both sides alternate.
func (v *Verdict) OnlyRepeated() bool { return v.Verdict == judge.Violated && v.Alternating.no() }

// How often both sides alternate in an mpirun: until each has taken about as long together.
const (
	fewestTurns, mostTurns = 5, 20
	turnsNS                = 1e6
)

// Alternate plans to measure all violations again by turns of single calls.
func (a *Analysis) Alternate() *results.FollowUps {
	return a.again(func(v *Verdict, c *results.Comparison) bool {
		c.NRep = min(mostTurns, max(fewestTurns, int(turnsNS/a.set.Cases[c.Case].Median())))
		return true
	})
}

// InMalloc plans to measure violations with page faults again in a state of malloc.
func (a *Analysis) InMalloc(state string) *results.FollowUps {
	plan := a.again(func(v *Verdict, _ *results.Comparison) bool { return faults(v.PageFaults) || faults(v.OtherPageFaults) })
	if plan != nil {
		plan.Malloc = state
	}
	return plan
}

func faults(perCall *float64) bool { return perCall != nil && *perCall >= medians.ManyFaults }

// again plans to measure violations again under another condition, or returns nil where none
// is wanted.
func (a *Analysis) again(wanted func(*Verdict, *results.Comparison) bool) *results.FollowUps {
	// Each question is one of its own at alpha: more mpiruns than one such test needs help little.
	plan := &results.FollowUps{R: min(a.family.R(), judge.Pairing(a.cfg.Alpha, 1))}
	for i := range a.verdicts {
		v := &a.verdicts[i]
		if c, ok := Compare(&a.manifest.Plan, i, v.MsizeOther); ok && v.Verdict == judge.Violated && wanted(v, &c) {
			plan.Comparisons = append(plan.Comparisons, c)
		}
	}
	if len(plan.Comparisons) == 0 {
		return nil
	}
	return plan
}

// elsewhere judges what was measured under another condition, each test at alpha and not
// adjusted: its question was chosen by other mpiruns, and does not depend on the others'.
func (a *Analysis) elsewhere(mode protocol.Mode, of func(*Verdict) **Elsewhere) error {
	plan, _ := a.manifest.Experiment(mode)
	if plan == nil || !a.cfg.Method.Rules().Slowdown {
		return nil
	}
	cfg := a.cfg
	cfg.Adjust = judge.AdjustNone
	d, err := judge.NewDesign(cfg, judge.Once(a.manifest.Runs(mode)), len(plan.Comparisons))
	if err != nil || d.Refused != nil {
		return err
	}
	f, err := Follow(a.manifest, a.set, mode, d, plan.Comparisons)
	if err != nil {
		return err
	}
	for i, c := range f.Comparisons {
		v, o := &a.verdicts[c.Test], f.Outcomes[i]
		if v.Verdict != judge.Violated || v.MsizeOther != a.manifest.Plan.Cases[c.Part].Msize || f.Problems[i] != "" {
			continue
		}
		e := &Elsewhere{Runs: o.Runs, Ratio: Number(o.Ratio), RatioLo95: Number(o.Lo95), RatioHi95: Number(o.Hi95), Holds: HoldsOpen, Malloc: plan.Malloc}
		switch {
		case o.Verdict == judge.Violated:
			e.Holds = HoldsYes
		case o.PKept <= cfg.Alpha:
			e.Holds = HoldsNo
		}
		*of(v) = e
	}
	return nil
}
