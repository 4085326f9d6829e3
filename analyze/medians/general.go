package medians

import (
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// generalCases are the fewest cases whose median says how fast an mpirun was in general.
const generalCases = 20

// General is how much slower each of the first mpiruns of a shape was in general than
// the others, by run-1, from the shape's cases that all these mpiruns have. nil: they
// are fewer than 20.
func (s *Set) General(shape guidelines.Shape, runs int) []float64 {
	var cases [][]float64
	for _, i := range s.manifest.Plan.CasesOf(shape) {
		k := &s.Cases[i]
		if k.Status == protocol.StatusOK && k.Problem(runs) == "" {
			cases = append(cases, k.Medians[:runs])
		}
	}
	if len(cases) < generalCases {
		return nil
	}
	return stats.General(cases)
}
