package medians

import (
	"slices"

	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// GeneralCases are the fewest cases that can tell how fast an mpirun was in general.
const GeneralCases = 20

// General returns how much slower each of the first mpiruns of a shape was in general than
// the others, by run-1, from the shape's cases that all these mpiruns have. It returns nil
// for fewer than 20 cases.
func (s *Set) General(shape guidelines.Shape, runs int) []float64 {
	var cases [][]float64
	for _, i := range s.manifest.Plan.CasesOf(shape) {
		k := &s.Cases[i]
		if k.Status == protocol.StatusOK && k.Problem(runs) == "" {
			cases = append(cases, k.Medians[:runs])
		}
	}
	if len(cases) < GeneralCases {
		return nil
	}
	return stats.General(cases)
}

// LastGeneral is General of all mpiruns, or of as many as have enough cases: after an interim
// look some cases are not measured any further.
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
