package remedy

import (
	"cmp"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

func cellOf(cells []Cell, cell medians.Cell) *Cell {
	return lists.First(cells, func(c Cell) bool { return c.Cell == cell })
}

// violatedCells returns the collectives and sizes that a report calls violated: firm ones
// first, then by ratio.
func violatedCells(r *analyze.Report) []Cell {
	out := []Cell{}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Verdict != judge.Violated {
			continue
		}
		c := cellOf(out, v.Cell())
		if c == nil {
			out = append(out, Cell{Cell: v.Cell(), NP: v.NP, State: CellNotProved, By: []string{}, PageFaults: v.PageFaults})
			c = &out[len(out)-1]
		}
		c.Guidelines, c.Firm = append(c.Guidelines, v.Guideline), c.Firm || v.Firm
		if v.Type == guidelines.Split {
			c.SplitOf = v.MsizeOther
		}
		if v.Ratio != nil && (c.Ratio == nil || *v.Ratio > *c.Ratio) {
			c.Ratio = v.Ratio
		}
		switch {
		case v.Mockup == "":
		case v.Standing == analyze.GoneInTurns: // a program would not see the mock-up's gain
			c.Gone = true
		case orZero(v.Ratio) >= c.MockupRatio:
			c.Mockup, c.MockupRatio = v.Mockup, orZero(v.Ratio)
		}
	}
	slices.SortStableFunc(out, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(rank(a.Firm), rank(b.Firm)), -cmp.Compare(orZero(a.Ratio), orZero(b.Ratio)))
	})
	return out
}

func rank(firm bool) int {
	if firm {
		return 0
	}
	return 1
}

func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// With mallocKeeps, glibc's malloc gives nothing back to the kernel.
var mallocKeeps = map[string]string{"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}

func environmentChoice(cells []Cell, measured []int64) (tuning.Choice, bool) {
	c := tuning.Choice{Kind: tuning.ByEnv, Env: mallocKeeps, Measured: measured}
	for _, cell := range cells {
		if cell.Msize < tuning.MallocFrom && !(orZero(cell.PageFaults) >= tuning.FaultsFrom) {
			continue
		}
		c.NP = cmp.Or(c.NP, cell.NP)
		c.Sizes = lists.With(c.Sizes, cell.Msize)
	}
	slices.Sort(c.Sizes)
	return c, len(c.Sizes) > 0
}

// algorithmChoices returns the faster algorithms that an exploration has found for violated cells. It
// notes the findings in the cells.
func algorithmChoices(e *explore.Exploration, cells []Cell, p *guidelines.Plan, list []protocol.Algorithms, extend bool) (out []tuning.Choice) {
	for i := range e.Cells {
		found := &e.Cells[i]
		of := cellOf(cells, found.Cell)
		if of == nil {
			continue
		}
		of.Explored = string(found.Word)
		if found.Word != explore.OwnAlgorithm && found.Word != explore.SameAlgorithm {
			continue
		}
		name := mockups.Algorithm(found.Own.Function)
		c := tuning.Choice{Function: found.Function, NP: found.NP, Kind: tuning.OwnAlgorithm, Algorithm: name, Value: valueOf(list, found.Function, name),
			Sizes: []int64{found.Msize}, Measured: reach.Sizes(p, found.Function, found.NP), Extend: extend}
		twice := slices.ContainsFunc(out, func(o tuning.Choice) bool {
			return o.Function == c.Function && o.NP == c.NP && o.Sizes[0] == c.Sizes[0]
		})
		if !twice { // other shapes of as many processes
			out = append(out, c)
		}
	}
	return out
}

func valueOf(list []protocol.Algorithms, collective, name string) int {
	for _, a := range list {
		for _, x := range a.Names {
			if base, _, _ := mockups.Parameters(name); a.Collective == collective && x.Name == base {
				return x.Value
			}
		}
	}
	return 0
}

// forOne tells whether a choice is for one collective, not for the library as a whole.
func forOne(c tuning.Choice) bool { return c.Kind == tuning.OwnAlgorithm }
