package medians

import (
	"math"

	"pgmpi/internal/stats"
)

// CaseBound is an upper bound of a case's run-time that needs no common clock
// (S-MCCALPIN); it includes two barriers.
type CaseBound struct {
	Cell
	MedianS  float64  `json:"median_s"`  // median over mpiruns of the medians, seconds
	MinS     float64  `json:"min_s"`     // seconds
	SamplesS *float64 `json:"samples_s"` // median of run medians of the samples, seconds
}

func (s *Set) Bounds() []CaseBound {
	var out []CaseBound
	for i, k := range s.manifest.Plan.Cases {
		of := &s.Cases[i]
		if len(of.bounds) == 0 {
			continue
		}
		var medians []float64
		least := of.bounds[0].MinNS
		for _, o := range of.bounds {
			medians, least = append(medians, float64(o.MedianNS)), min(least, o.MinNS)
		}
		b := CaseBound{Cell: CellOf(k), MedianS: stats.MedianFinite(medians) / 1e9, MinS: float64(least) / 1e9}
		if samples := of.Median() / 1e9; !math.IsNaN(samples) {
			b.SamplesS = &samples
		}
		out = append(out, b)
	}
	return out
}
