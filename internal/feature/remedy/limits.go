package remedy

import (
	"context"
	"slices"

	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/measure/host"
	"pgmpi/mockups"
)

// slowSends returns, of cells where several smaller messages or calls are faster and that are not mended yet, what may
// mend them: those on a node, then those between nodes.
func (t *Task) slowSends(cells []Cell) (out []tuning.Sends) {
	for _, nodes := range []bool{false, true} {
		slow := lists.Keep(cells, func(c Cell) bool { return t.sendsSlowly(c) && t.betweenNodes(c) == nodes })
		if len(slow) == 0 {
			continue
		}
		least := slices.Min(lists.Map(slow, func(c Cell) int64 { return c.Msize }))
		sizes := lists.Keep(reach.Sizes(&t.checked.Plan, "", 0), func(size int64) bool {
			return least <= size && size <= tuning.MostEager && !slices.Contains(t.Config.Check.Around, size)
		})
		out = append(out, tuning.Sends{Library: tuning.LibraryOf(t.checked.Rank.Library, t.checked.Rank.LibVersion),
			Layer: t.checked.PML[slow[0].Shape], Nodes: nodes, Sizes: sizes})
	}
	return out
}

func (t *Task) sendsSlowly(c Cell) bool {
	return c.SplitOf > 0 && c.Msize <= tuning.MostEager && unmended([]Cell{c})[mockups.AnyRanks(c.Function)] != nil
}

// betweenNodes tells whether a cell's messages go from node to node. Of a collective some may.
func (t *Task) betweenNodes(c Cell) bool {
	f, _ := mockups.Get(c.Function)
	return f.Message && t.checked.Factors.Apart(c.Shape, f.Ranks) == host.OtherNode
}

// tryLimits proves eager limits, variable by variable, while there are cells that they may mend.
func (x *mending) tryLimits(ctx context.Context, held setting) (setting, error) {
	for _, sends := range x.slowSends(x.found.Cells) {
		for _, of := range sends.Limits() {
			if len(x.slowSends(x.found.Cells)) == 0 {
				return held, nil
			}
			var err error
			if held, err = x.bisect(ctx, held, of); err != nil {
				return held, err
			}
		}
	}
	return held, nil
}

// bisect proves one of several limits that ascend, besides what is held: first the middle one, then a larger one where
// that leaves cells, or a smaller one where it does harm.
func (x *mending) bisect(ctx context.Context, held setting, of []tuning.Choice) (setting, error) {
	best := held
	for low, high := 0, len(of); low < high && len(x.slowSends(x.found.Cells)) > 0; {
		mid := (low + high) / 2
		c := of[mid]
		c.NP = x.found.Cells[0].NP
		cells, proofs := slices.Clone(x.found.Cells), len(x.found.Proofs)
		tried, err := x.prove(ctx, held, append(slices.Clone(held.choices), c))
		holds := len(reach.Without([]tuning.Choice{c}, tried.choices)) == 0
		switch made := x.found.Proofs[proofs:]; {
		case holds && (len(best.choices) == len(held.choices) || faster(x.found.Cells) > faster(cells)):
			best, low = tried, mid+1
		case len(tried.choices) < len(held.choices):
			return tried, err // what was held harms
		default:
			if len(best.choices) > len(held.choices) {
				x.found.Cells = cells
			}
			if high = mid; holds || len(made) == 0 || made[0].Helped == 0 {
				high = low // no other value is better
			}
			for i := range made {
				made[i].Holds = false
			}
		}
		if err != nil {
			return best, err
		}
	}
	return best, nil
}

func faster(cells []Cell) int {
	return lists.Count(cells, func(c Cell) bool { return c.State.Settled() || c.State == CellFaster })
}
