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

// FollowedUp are comparisons that were measured in mpiruns of their own, so that what chose
// them does not test them, and judged as a family of their own.
type FollowedUp struct {
	*judge.Family
	Comparisons []results.Comparison
	Problems    []string // why a comparison has no outcome; "": it has one
	pairs       []judge.Pair
}

// Compare plans to compare the call of a test with its other side of a size.
func Compare(plan *guidelines.Plan, test int, size int64) (c results.Comparison, ok bool) {
	t := plan.Tests[test]
	for _, part := range t.Others {
		if plan.Cases[part].Msize == size {
			c = results.Comparison{Test: test, Case: t.Case, Part: part, Calls: 1}
			if t.Type == guidelines.Split {
				c.Calls = int(guidelines.SplitFactor(t.Msize, size))
			}
			return c, true
		}
	}
	return c, false
}

// Follow judges comparisons by a design, in one look with all mpiruns of the mode.
func Follow(m *results.Manifest, set *medians.Set, mode protocol.Mode, d *judge.Design, comparisons []results.Comparison) (*FollowedUp, error) {
	x := &FollowedUp{Comparisons: comparisons, Problems: make([]string, len(comparisons)), pairs: make([]judge.Pair, len(comparisons))}
	for i, c := range comparisons {
		whole, parts := set.Side(mode, c.Case, 1), set.Side(mode, c.Part, c.Calls)
		x.Problems[i] = cmp.Or(sideProblem(&m.Plan, c.Case, whole, d.R()), sideProblem(&m.Plan, c.Part, parts, d.R()))
		if x.Problems[i] == "" {
			x.pairs[i] = judge.Pair{Orig: whole.Medians, Other: parts.Medians}
			if m.Plan.Tests[c.Test].Tolerant {
				x.pairs[i].Other = allowed(d.Config, parts.Medians)
			}
		}
	}
	var err error
	x.Family, err = d.Judge(float64(set.TickNS), x.pairs)
	return x, err
}

// sideProblem says why one side of a comparison cannot be judged, if so.
func sideProblem(plan *guidelines.Plan, i int, k *medians.Case, runs int) string {
	function := plan.Cases[i].Function
	if k == nil {
		return function + " has not been measured"
	}
	problem := k.Problem(runs)
	if k.Status != protocol.StatusOK {
		problem = cmp.Or(k.Message, string(k.Status))
	}
	if problem == "" {
		return ""
	}
	return function + ": " + problem
}

// Times are the medians of both sides of a comparison, in seconds, of one call each.
func (x *FollowedUp) Times(i int) (whole, part *float64) {
	return Seconds(stats.MedianFinite(x.pairs[i].Orig)), Seconds(stats.MedianFinite(x.pairs[i].Other) / float64(x.Comparisons[i].Calls))
}

// Again plans to measure tests of the Plan again, in as many mpiruns as pair well.
func (a *Analysis) Again(tests []int) *results.FollowUps {
	plan := &results.FollowUps{R: a.family.R()}
	for _, i := range tests {
		if c, ok := Compare(&a.manifest.Plan, i, a.Report.Verdicts[i].MsizeOther); ok {
			plan.Comparisons = append(plan.Comparisons, c)
		}
	}
	if len(plan.Comparisons) == 0 {
		return nil
	}
	if a.cfg.Method.Rules().Plans {
		plan.R = max(a.family.Looks[0], judge.Pairing(a.cfg.Alpha, len(plan.Comparisons)))
	}
	return plan
}

// Confirmation judges the tests that were measured again; it is nil if none were planned.
func (a *Analysis) Confirmation() (*FollowedUp, error) {
	plan := a.manifest.Confirm
	if plan == nil {
		return nil, nil
	}
	d, err := judge.NewDesign(a.cfg, judge.Once(a.manifest.Runs(protocol.ModeConfirm)), len(plan.Comparisons))
	if err != nil {
		return nil, err
	}
	return Follow(a.manifest, a.set, protocol.ModeConfirm, d, plan.Comparisons)
}

// SpeedAgain returns the yardstick's reading while a shape was measured again.
func (a *Analysis) SpeedAgain(shape guidelines.Shape) medians.Speed { return a.set.SpeedAgain(shape) }
