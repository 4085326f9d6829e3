package analyze

import (
	"cmp"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// FollowedUp holds comparisons that were measured and judged by themselves: in mpiruns of their
// own, so that the data that chose them do not test them, and as a family of their own.
type FollowedUp struct {
	*judge.Family
	Answers []Answered
}

type Answered struct {
	results.Comparison
	judge.Outcome
	Problem       string   // why there is no outcome, or ""
	WholeS, PartS *float64 // medians of both sides, seconds, of one call each
}

// Compare plans a comparison of a test's call with its other side of a size.
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
func Follow(m *results.Manifest, set *medians.Set, mode protocol.Mode, d *judge.Design, comparisons []results.Comparison) (x *FollowedUp, err error) {
	at := make([]int, len(comparisons))
	for i := range at {
		at[i] = i
	}
	return follow(m, set, mode, d, comparisons, at)
}

// follow does so with some of the comparisons.
func follow(m *results.Manifest, set *medians.Set, mode protocol.Mode, d *judge.Design, comparisons []results.Comparison, some []int) (x *FollowedUp, err error) {
	x = &FollowedUp{Answers: make([]Answered, len(some))}
	pairs := make([]judge.Pair, len(some))
	for i, at := range some {
		c := comparisons[at]
		a, whole, parts := &x.Answers[i], set.InTurns(mode, at, c.Case, 1), set.InTurns(mode, at, c.Part, c.Calls)
		a.Comparison = c
		a.Problem = cmp.Or(sideProblem(&m.Plan, c.Case, whole, d.R()), sideProblem(&m.Plan, c.Part, parts, d.R()))
		if a.Problem != "" {
			continue
		}
		pairs[i] = judge.Pair{Orig: whole.Medians, Other: parts.Medians}
		if m.Plan.Tests[c.Test].Tolerant {
			pairs[i].Other = allowed(d.Config, parts.Medians)
		}
		a.WholeS, a.PartS = Seconds(stats.MedianFinite(pairs[i].Orig)), Seconds(stats.MedianFinite(pairs[i].Other)/float64(c.Calls))
	}
	x.Family = d.Family(float64(set.TickNS))
	x.Between = betweenOf(m, d.Config).Tau
	if err := x.Once(pairs); err != nil {
		return nil, err
	}
	for i, o := range x.Outcomes {
		x.Answers[i].Outcome = o
	}
	return x, nil
}

func (x *FollowedUp) Of(test int) *Answered {
	return lists.First(x.Answers, func(a Answered) bool { return a.Test == test })
}

// sideProblem returns why one side of a comparison cannot be judged, or "".
func sideProblem(plan *guidelines.Plan, i int, k *medians.Case, runs int) string {
	function := plan.Cases[i].Function
	if k == nil {
		return function + " has not been measured"
	}
	problem := k.Problem(runs)
	if k.Status != protocol.StatusOK {
		problem = cmp.Or(k.Message, string(k.Status))
	}
	return phrase.When(problem != "", "%s: %s", function, problem)
}

// followed judges the mpiruns of a mode; it returns nil if nothing was planned.
func (a *Analysis) followed(mode protocol.Mode, cfg judge.Config) (*FollowedUp, error) {
	plan := a.manifest.FollowUps[mode]
	if plan == nil {
		return nil, nil
	}
	d, err := judge.NewDesign(cfg, judge.Once(a.manifest.Runs(mode)), len(plan.Comparisons))
	if err != nil {
		return nil, err
	}
	return Follow(a.manifest, a.set, mode, d, plan.Comparisons)
}

// followedOf judges a part of them as a family; it returns nil if it has none.
func (a *Analysis) followedOf(mode protocol.Mode, cfg judge.Config, of func(results.Comparison) bool) (*FollowedUp, error) {
	var some []int
	all := a.manifest.Following(mode)
	for i, c := range all {
		if of(c) {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		return nil, nil
	}
	d, err := judge.NewDesign(cfg, judge.Once(a.manifest.Runs(mode)), len(some))
	if err != nil {
		return nil, err
	}
	return follow(a.manifest, a.set, mode, d, all, some)
}

// at returns the place of a test's answer in its family.
func (x *FollowedUp) at(test int) int {
	return slices.IndexFunc(x.Answers, func(a Answered) bool { return a.Test == test })
}

// again plans comparisons in mpiruns of their own; it returns nil if there are none.
func again(list []results.Comparison, mpiruns int) *results.FollowUps {
	if len(list) == 0 {
		return nil
	}
	return &results.FollowUps{R: mpiruns, Comparisons: list}
}

// pairing returns how many mpiruns this many tests need to pair well at a level.
func (a *Analysis) pairing(level float64, tests int) int {
	return max(a.family.Looks[0], judge.Pairing(level, tests))
}

// Again plans to measure wanted violations again, as a family of their own.
func (a *Analysis) Again(wanted func(i int, v *Verdict) bool) *results.FollowUps {
	list, r := a.comparisons(wanted), a.family.R()
	if a.cfg.Method.Rules().Plans {
		r = a.pairing(a.cfg.Alpha, len(list))
	}
	return again(list, r)
}

func (a *Analysis) comparisons(wanted func(i int, v *Verdict) bool) (list []results.Comparison) {
	for i := range a.verdicts {
		v := &a.verdicts[i]
		if v.Verdict != judge.Violated || !wanted(i, v) {
			continue
		}
		if c, ok := Compare(&a.manifest.Plan, i, v.MsizeOther); ok {
			c.Part = a.other(i)
			list = append(list, c)
		}
	}
	return list
}

// Confirmation judges the tests that were measured again; it returns nil if none were planned.
func (a *Analysis) Confirmation() (*FollowedUp, error) {
	return a.followed(protocol.ModeConfirm, a.cfg)
}

// SpeedAgain returns the yardstick's reading while a shape was measured again.
func (a *Analysis) SpeedAgain(shape guidelines.Shape) medians.Speed { return a.set.SpeedAgain(shape) }

// Alone holds a test's answer for some mpiruns alone, not adjusted. It explains a verdict, and
// changes none.
type Alone struct {
	Mpiruns int `json:"mpiruns"`
	Effect  `column:""`
	Verdict judge.Verdict `json:"verdict" column:"verdict"`
}

func aloneIn(o judge.Outcome) Alone { return Alone{o.Runs, TestedBy(o).Effect, o.Verdict} }

// Elsewhere holds a violation as measured again under another condition, in mpiruns of its own.
type Elsewhere struct {
	Alone  `column:""`
	Malloc string `json:"malloc,omitempty"` // its state, if not as in the check
}

// Alternate plans to measure all violations again with both sides alternating call by call.
func (a *Analysis) Alternate() *results.FollowUps {
	return again(a.comparisons(func(int, *Verdict) bool { return true }), a.fewAgain())
}

// InMalloc plans to measure violations again in a state of malloc. Where the check's is fresh, a side
// without page faults takes no block that the state decides about; the other state shows none.
func (a *Analysis) InMalloc(state string) *results.FollowUps {
	faults := func(perCall *float64) bool { return perCall != nil && *perCall >= medians.ManyFaults }
	plan := again(a.comparisons(func(_ int, v *Verdict) bool {
		return state == protocol.MallocFresh || faults(v.PageFaults) || faults(v.OtherPageFaults)
	}), a.fewAgain())
	if plan != nil {
		plan.Malloc = state
	}
	return plan
}

// fewAgain returns the number of mpiruns for a question that is adjusted for no other.
func (a *Analysis) fewAgain() int { return min(a.family.R(), judge.Pairing(a.cfg.Alpha, 1)) }

// elsewhere judges what was measured under another condition. Each test has half of alpha, as its
// two-sided interval, and is not adjusted: other mpiruns chose its question, which does not depend
// on the other tests' questions.
func (a *Analysis) elsewhere(mode protocol.Mode, of func(*Verdict) **Elsewhere) error {
	if !a.cfg.Method.Rules().Slowdown {
		return nil
	}
	cfg := a.cfg
	cfg.Adjust, cfg.Alpha, cfg.BetweenChecks = judge.AdjustNone, a.cfg.Alpha/2, 0
	f, err := a.followed(mode, cfg)
	if err != nil || f == nil || f.Refused != nil {
		return err
	}
	plan := a.manifest.FollowUps[mode]
	for _, x := range f.Answers {
		v := &a.verdicts[x.Test]
		if v.Verdict != judge.Violated || v.MsizeOther != a.manifest.Plan.Cases[x.Part].Msize || x.Problem != "" {
			continue
		}
		*of(v) = &Elsewhere{aloneIn(x.Outcome), plan.Malloc}
	}
	return nil
}
