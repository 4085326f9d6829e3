package remedy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// group has the ways to choose algorithms of one collective, the best first. Other groups reach none of its cells.
type group struct {
	function string
	ways     [][]tuning.Choice
}

// mostVariables is how many algorithms of a collective are tried by its variable.
const mostVariables = 2

// groupsOf returns every way that the library has for choices: rules or a tree for their sizes, and for each of the
// algorithms a variable for all. by tells how many times faster they were, and same which of them the library takes
// anyway: only a variable skips its way to these. It also returns what no format can say.
func groupsOf(t tuning.Target, choices []tuning.Choice, by map[string]float64, same map[string]bool) (groups []group, refused []tuning.Rejected) {
	for _, of := range analyze.Grouped(choices, func(c tuning.Choice) string { return c.Function }) {
		g := group{function: of[0].Function}
		var sized []tuning.Choice
		always, gain := map[string][]tuning.Choice{}, map[string]float64{}
		for _, c := range of {
			ways, why := tuning.Ways(t, c)
			for _, w := range ways {
				if w.Always() && len(without([]tuning.Choice{w}, always[c.Algorithm])) > 0 {
					always[c.Algorithm] = append(always[c.Algorithm], w)
				}
			}
			if first := lists.First(ways, func(w tuning.Choice) bool { return !w.Always() }); first != nil && !same[c.Key()] {
				sized = append(sized, *first)
			}
			if gain[c.Algorithm] += math.Log(max(1, by[c.Key()])); len(ways) == 0 {
				refused = append(refused, c.Rejected("it cannot be written: "+why))
			}
		}
		if len(sized) > 0 {
			g.ways = append(g.ways, sized)
		}
		names := slices.SortedFunc(maps.Keys(always), func(a, b string) int {
			return cmp.Or(-cmp.Compare(gain[a], gain[b]), cmp.Compare(a, b))
		})
		for _, name := range names[:min(len(names), mostVariables)] {
			g.ways = append(g.ways, always[name])
		}
		if len(g.ways) > 0 {
			groups = append(groups, g)
		}
	}
	return groups, refused
}

// tryOf proves the faster algorithms of an exploration, each collective's by the way that seemed best first. A collective
// of which nothing is held is tried by its other ways.
func (x *mending) tryOf(ctx context.Context, held setting, e *explore.Exploration, list []tuning.Choice) (setting, error) {
	by, same := map[string]float64{}, map[string]bool{}
	for _, c := range list {
		for _, found := range e.Cells {
			if found.Function == c.Function && found.NP == c.NP && slices.Contains(c.Sizes, found.Msize) && found.Own != nil {
				by[c.Key()], same[c.Key()] = max(by[c.Key()], orZero(found.Own.Ratio)), found.Word == explore.SameAlgorithm
			}
		}
	}
	groups, refused := groupsOf(x.target, list, by, same)
	for _, r := range refused {
		x.tell(run.Event{Sentence: fmt.Sprintf("taken back: %s: %s", r.Label, r.Reason)})
	}
	x.found.Rejected = append(x.found.Rejected, refused...)
	if err := x.order(ctx, held, groups); err != nil {
		return held, err
	}
	if err := x.widen(ctx, groups); err != nil {
		return held, err
	}
	for turn := range 1 + mostVariables {
		choices := slices.Clone(held.choices)
		for _, g := range groups {
			isHeld := slices.ContainsFunc(held.choices, func(c tuning.Choice) bool { return c.Function == g.function })
			if turn < len(g.ways) && !isHeld {
				choices = append(choices, g.ways[turn]...)
			}
		}
		var err error
		if held, err = x.prove(ctx, held, choices); err != nil {
			return held, err
		}
	}
	return held, nil
}

// fewChoosing mpiruns of each way tell which seems best. They prove nothing.
const fewChoosing = 5

// order puts the best way of each group first: the one that gains most and seems to slow nothing.
func (x *mending) order(ctx context.Context, held setting, groups []group) error {
	groups = lists.Keep(groups, func(g group) bool { return len(g.ways) > 1 })
	if len(groups) == 0 {
		return nil
	}
	x.tell(run.Event{Step: fmt.Sprintf("which way to set the algorithms of %s is the better one?", conf.Plural(len(groups), "collective"))})
	var all []tuning.Choice
	sides := []setting{held}
	for n := range 1 + mostVariables {
		side := setting{choices: slices.Clone(held.choices)}
		for _, g := range groups {
			if n < len(g.ways) {
				side.choices = append(side.choices, g.ways[n]...)
			}
		}
		if len(side.choices) == len(held.choices) {
			break
		}
		all = append(all, without(side.choices, held.choices)...)
		side.folder = filepath.Join(x.work, nameOf("way", side.choices))
		if refused, err := side.write(x.target); err != nil || len(refused) > 0 {
			return err // no order is known
		}
		sides = append(sides, side)
	}
	plan := *x.plan // five mpiruns need no control
	plan.Tests, plan.Cases = nil, lists.Keep(plan.Cases, func(k guidelines.Case) bool {
		return !analyze.IsMockup(k.Function) && changes(all, medians.CellOf(k))
	})
	envs := lists.Map(sides, func(s setting) map[string]string { return s.env })
	ab, err := x.sides(ctx, filepath.Join(x.work, nameOf("ways", all)), &plan, fewChoosing, envs...)
	if err != nil {
		return err
	}
	helps, _ := questions(x.Config.Analyze, x.found, all)
	helps.Only = nil
	return ab.Judged(ctx, func(of []*analyze.Side) error {
		scores := make([][]float64, len(groups))
		for n := range sides[1:] {
			found, err := series.Compare(of[alone], of[1+n], helps)
			if err != nil {
				return err
			}
			for i, g := range groups {
				if n < len(g.ways) {
					scores[i] = append(scores[i], x.score(found, g.ways[n]))
				}
			}
		}
		for i := range groups {
			byScore(groups[i].ways, scores[i])
		}
		return nil
	})
}

// score adds up the logarithms of what a way gains. What seems to harm comes after all that does not.
func (x *mending) score(found *series.Comparison, way []tuning.Choice) (sum float64) {
	for _, k := range found.Cases {
		switch ratio := orZero(k.Ratio); {
		case ratio <= 0 || !changes(way, k.Cell):
		case ratio >= x.found.Harm:
			return math.Inf(-1)
		case ratio*x.found.MinSlowdown <= 1:
			sum -= math.Log(ratio)
		}
	}
	return sum
}

// byScore sorts ways, the best first; equal ones stay as they are.
func byScore(ways [][]tuning.Choice, scores []float64) {
	at := map[string]float64{}
	for n, w := range ways {
		at[w[0].Key()] = scores[n]
	}
	slices.SortStableFunc(ways, func(a, b []tuning.Choice) int { return -cmp.Compare(at[a[0].Key()], at[b[0].Key()]) })
}

// gap lies between a size at which a choice helps and one at which it was not seen to, or helps as well (both).
type gap struct {
	choice    *tuning.Choice
	other     *tuning.Choice // at bad, if the same algorithm helps there
	good, bad int64
}

func (g gap) middle(unit int64) int64 {
	m := tuning.Between(min(g.good, g.bad), max(g.good, g.bad)) / unit * unit
	if m <= min(g.good, g.bad) || m >= max(g.good, g.bad) {
		return 0
	}
	return m
}

// widen finds the borders of choices that are first in their groups: by mpiruns in the middle between measured sizes, by
// ratio, two at most. It never goes beyond a size at which the algorithm was seen to help.
func (x *mending) widen(ctx context.Context, groups []group) error {
	var gaps []gap
	for _, g := range groups {
		gaps = append(gaps, gapsOf(g.ways[0])...)
	}
	const looks = 2
	for n := range looks {
		wanted := map[explore.Pair][]int64{}
		for _, g := range gaps {
			if m := g.middle(x.unit(g.choice.Function)); m > 0 {
				p := explore.Pair{Function: g.choice.Function, Algorithm: g.choice.Algorithm}
				wanted[p] = lists.With(wanted[p], m)
			}
		}
		if len(wanted) == 0 {
			break
		}
		x.tell(run.Event{Step: fmt.Sprintf("where do the ranges of %s end?", conf.Plural(len(gaps), "choice"))})
		e, err := x.look(ctx, fmt.Sprintf("border-%d", n+1), wanted)
		if err != nil {
			return x.unless(ctx, err, "no ranges between the measured sizes were looked for")
		}
		gaps = x.nearer(gaps, e)
	}
	for _, g := range gaps {
		g.widened()
	}
	return nil
}

// unit is what sizes between the measured ones are multiples of: of all that conformance calls use, too.
func (x *mending) unit(function string) int64 {
	c, _ := mockups.Get(function)
	d, _ := c.Elements(x.plan.Datatype, x.plan.Op)
	return max(16, int64(d.Bytes))
}

func (x *mending) look(ctx context.Context, name string, wanted map[explore.Pair][]int64) (*explore.Exploration, error) {
	const repetitions = 100
	f := *x.Config
	f.Job.MPIRuns, f.Job.Looks, f.Gate, f.NREP.Fixed = 0, nil, series.DefaultGate(), repetitions
	path := filepath.Join(x.work, nameOf(name, perhaps(x.found.Cells)))
	c, err := x.campaign(ctx, explore.Beside(wanted), &f, path)
	if err != nil {
		return nil, err
	}
	if err := c.Open(); err != nil {
		return nil, err
	}
	defer c.Close()
	found, err := c.Do(ctx)
	if err != nil {
		return nil, err
	}
	return found.Value.(*explore.Exploration), nil
}

// gapsOf returns the gaps beside choices for single sizes. Between two of one algorithm there is one gap.
func gapsOf(way []tuning.Choice) (out []gap) {
	for i := range way {
		c := &way[i]
		at := slices.Index(c.Measured, c.Sizes[0])
		if c.Always() || c.Extend || at < 0 {
			continue
		}
		beside := func(at int) *tuning.Choice {
			return lists.First(way, func(o tuning.Choice) bool {
				return o.NP == c.NP && o.Algorithm == c.Algorithm && slices.Contains(o.Sizes, c.Measured[at])
			})
		}
		if at > 0 && beside(at-1) == nil {
			out = append(out, gap{c, nil, c.Sizes[0], c.Measured[at-1]})
		}
		if at+1 < len(c.Measured) {
			out = append(out, gap{c, beside(at + 1), c.Sizes[0], c.Measured[at+1]})
		}
	}
	return out
}

// nearer halves each gap: its middle helps, or not. Where an algorithm helps at both ends, and not in the middle, there
// are two gaps from then on.
func (x *mending) nearer(gaps []gap, e *explore.Exploration) (out []gap) {
	for _, g := range gaps {
		m := g.middle(x.unit(g.choice.Function))
		helps := slices.ContainsFunc(e.Cells, func(c explore.Cell) bool {
			return c.Function == g.choice.Function && c.NP == g.choice.NP && c.Msize == m && c.Own != nil &&
				mockups.Algorithm(c.Own.Function) == g.choice.Algorithm && orZero(c.Own.Ratio) >= x.found.MinSlowdown
		})
		switch {
		case m == 0:
			out = append(out, g)
		case helps && g.other != nil: // all between is its
			out = append(out, gap{g.choice, nil, g.bad, g.bad})
		case helps:
			out = append(out, gap{g.choice, nil, m, g.bad})
		case g.other != nil:
			out = append(out, gap{g.choice, nil, g.good, m}, gap{g.other, nil, g.bad, m})
		default:
			out = append(out, gap{g.choice, nil, g.good, m})
		}
	}
	return out
}

// widened lets a choice hold up to where it was seen to help.
func (g gap) widened() {
	from, to := min(g.choice.Sizes[0], g.good), max(g.choice.Sizes[0], g.good)
	if from < to && g.other == nil {
		g.choice.Ranges = append(g.choice.Ranges, tuning.Range{From: from, To: to + 1})
		slices.SortFunc(g.choice.Ranges, func(a, b tuning.Range) int { return cmp.Compare(a.From, b.From) })
	}
}
