package analyze

import (
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
)

// RunMedian is what a case took in one mpirun: a row of medians.csv.
type RunMedian struct {
	medians.Cell
	MockupOf   string // the collective that a mock-up stands for
	NP         int
	Calls      int // in a row, which MedianS is of together
	Mode       protocol.Mode
	Run        int      // from 1
	MedianS    *float64 // seconds; nil: none of the samples is valid
	N          int      // samples that it is of
	Outliers   int      // left out by the filter
	Invalid    int      // left out since they were out of sync
	FinishedAt string   // the mpirun
	Usage      medians.Usage
}

// RunMedians are all that the tests rest on: those of stage 2, case by case in the
// Plan's order, then those of the experiment on split-robustness.
func (a *Analysis) RunMedians() []RunMedian {
	plan := &a.manifest.Plan
	of := map[string]string{}
	for _, t := range plan.Tests {
		if t.Type == guidelines.Pattern {
			of[t.Mockup] = t.Function
		}
	}
	var out []RunMedian
	add := func(mode protocol.Mode, i, calls int, k *medians.Case) {
		c := plan.Cases[i]
		for n, samples := range k.SamplesOf() {
			if samples.Total == 0 {
				continue
			}
			row := RunMedian{Cell: medians.CellOf(c), NP: c.Shape.NP, Calls: calls, Mode: mode, Run: n + 1, MedianS: seconds(k.Medians[n]),
				N: samples.Total - samples.Invalid - samples.Outliers, Outliers: samples.Outliers, Invalid: samples.Invalid,
				FinishedAt: a.set.FinishedAt(mode, c.Shape, n+1), Usage: k.UsageIn(n + 1)}
			if isMockup(c.Function) {
				row.MockupOf = of[c.Function]
			}
			out = append(out, row)
		}
	}
	for i := range a.set.Cases {
		add(protocol.ModeMeasure, i, 1, &a.set.Cases[i])
	}
	for _, mode := range []protocol.Mode{protocol.ModeSplit, protocol.ModeConfirm, protocol.ModeExplore} {
		x, _ := a.manifest.Experiment(mode)
		if x == nil {
			continue
		}
		var seen [][2]int
		for _, f := range x.FollowUps {
			for _, side := range [][2]int{{f.Case, 1}, {f.Part, f.Calls}} {
				if k := a.set.Side(mode, side[0], side[1]); k != nil && !slices.Contains(seen, side) {
					seen = append(seen, side)
					add(mode, side[0], side[1], k)
				}
			}
		}
	}
	return out
}
