package medians

import (
	"math"

	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// generalCases are the fewest cases whose median says how fast an mpirun was in general.
const generalCases = 20

// General is how much slower each of the first mpiruns of a shape was in general than
// the others, by run-1: the median over the shape's cases of run median to the case's
// median, for cases that all these mpiruns have. nil: they are fewer than 20.
func (s *Set) General(shape guidelines.Shape, runs int) []float64 {
	ratios := make([][]float64, runs)
	cases := 0
	for _, i := range s.manifest.Plan.CasesOf(shape) {
		k := &s.Cases[i]
		if k.Status != protocol.StatusOK || k.Problem(runs) != "" {
			continue
		}
		cases++
		usual := k.MedianOf(runs)
		for run, m := range k.Medians[:runs] {
			ratios[run] = append(ratios[run], math.Log(m/usual))
		}
	}
	if cases < generalCases {
		return nil
	}
	out := make([]float64, runs)
	for run, r := range ratios {
		out[run] = math.Exp(stats.MedianFinite(r))
	}
	return out
}
