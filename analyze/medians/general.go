package medians

import (
	"math"
	"slices"

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

// LastGeneral is General of as many mpiruns as there are, or as have the cases for
// it: after an interim look some are not measured any further.
func (s *Set) LastGeneral(shape guidelines.Shape) []float64 {
	made := len(s.WallNS[shape.String()])
	for _, runs := range slices.Backward(append(slices.Clone(s.manifest.Looks), made)) {
		if runs > made {
			continue
		}
		if out := s.General(shape, runs); out != nil {
			return out
		}
	}
	return nil
}
