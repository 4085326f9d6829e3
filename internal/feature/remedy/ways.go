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
	"pgmpi/internal/feature/remedy/border"
	"pgmpi/internal/feature/remedy/reach"
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
func groupsOf(t tuning.Target, choices []tuning.Choice, by map[string]float64, same map[string]bool) (groups []group,
	refused []tuning.Rejected) {
	for _, of := range analyze.Grouped(choices, func(c tuning.Choice) string { return c.Function }) {
		g := group{function: of[0].Function}
		var sized []tuning.Choice
		always, gain := map[string][]tuning.Choice{}, map[string]float64{}
		for _, c := range of {
			ways, why := tuning.Ways(t, c)
			for _, w := range ways {
				if w.Always() && len(reach.Without([]tuning.Choice{w}, always[c.Algorithm])) > 0 {
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
			if found.Function == c.Function && found.NP == c.NP && found.Msize == c.Sizes[0] && found.Own != nil {
				by[c.Key()] = max(by[c.Key()], orZero(found.Own.Ratio))
				same[c.Key()] = found.Word == explore.SameAlgorithm
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
	of := conf.Plural(len(groups), "collective")
	x.tell(run.Event{Step: fmt.Sprintf("which way to set the algorithms of %s is the better one?", of)})
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
		all = append(all, reach.Without(side.choices, held.choices)...)
		side.folder = filepath.Join(x.work, nameOf("way", side.choices))
		if refused, err := side.write(x.target); err != nil || len(refused) > 0 {
			return err // no order is known
		}
		sides = append(sides, side)
	}
	plan := *x.plan // five mpiruns need no control
	plan.Tests, plan.Cases = nil, lists.Keep(plan.Cases, func(k guidelines.Case) bool {
		return !analyze.IsMockup(k.Function) && reach.By(all, medians.CellOf(k))
	})
	envs := lists.Map(sides, func(s setting) map[string]string { return s.env })
	ab, err := x.sides(ctx, filepath.Join(x.work, nameOf("ways", all)), &plan, fewChoosing, envs...)
	if err != nil {
		return err
	}
	helps, _ := questions(x.Config.Analyze, x.found, all)
	helps.Only = nil
	err = ab.Judged(ctx, func(measured []*analyze.Side) error {
		scores := make([][]float64, len(groups))
		for n := range sides[1:] {
			found, err := series.Compare(measured[alone], measured[1+n], helps)
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
	if slices.ContainsFunc(ab.Sides[withIt:], func(c *run.Campaign) bool { return c.Lost != nil }) {
		return nil // no order is known: the proof finds what ends an mpirun
	}
	return err
}

// score adds up the logarithms of what a way gains. What seems to harm comes after all that does not.
func (x *mending) score(found *series.Comparison, way []tuning.Choice) (sum float64) {
	for _, k := range found.Cases {
		switch ratio := orZero(k.Ratio); {
		case ratio <= 0 || !reach.By(way, k.Cell):
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

// widen finds the borders of choices that are first in their groups: by mpiruns in the middle between measured sizes, by
// ratio, two at most. It never goes beyond a size at which the algorithm was seen to help.
func (x *mending) widen(ctx context.Context, groups []group) error {
	var gaps []border.Gap
	for _, g := range groups {
		gaps = append(gaps, border.Gaps(g.ways[0])...)
	}
	const looks = 2
	for n := range looks {
		wanted := map[explore.Pair][]int64{}
		for _, g := range gaps {
			if m := g.Middle(x.unit(g.Choice.Function)); m > 0 {
				p := explore.Pair{Function: g.Choice.Function, Algorithm: g.Choice.Algorithm}
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
		gaps = border.Nearer(gaps, x.unit, func(c *tuning.Choice, size int64) bool {
			return slices.ContainsFunc(e.Cells, func(k explore.Cell) bool {
				return k.Function == c.Function && k.NP == c.NP && k.Msize == size && k.Own != nil &&
					mockups.Algorithm(k.Own.Function) == c.Algorithm && orZero(k.Own.Ratio) >= x.found.MinSlowdown
			})
		})
	}
	for _, g := range gaps {
		g.Widen()
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
