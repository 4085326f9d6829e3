package medians

import (
	"fmt"
	"math"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// GeneralCases cases, and not fewer, tell how fast an mpirun was in general.
const GeneralCases = 20

// General returns how much slower each mpirun up to a number was in general. It compares them by
// the shape's cases that all of them have, indexes them by run-1, and returns nil for fewer than 20
// cases. Messages count only where few collectives are measured: they change no verdict about these.
func (s *Set) General(shape guidelines.Shape, runs int) []float64 {
	var collectives, messages [][]float64
	for _, i := range s.manifest.Plan.CasesOf(shape) {
		k, into := &s.Cases[i], &collectives
		if guidelines.IsMessage(s.manifest.Plan.Cases[i].Function) {
			into = &messages
		}
		if k.Status == protocol.StatusOK && k.Problem(runs) == "" {
			*into = append(*into, k.Medians[:runs])
		}
	}
	if len(collectives) < GeneralCases {
		collectives = append(collectives, messages...)
	}
	if len(collectives) < GeneralCases {
		return nil
	}
	return stats.General(collectives)
}

// LastGeneral returns General of all mpiruns, or of as many as have enough cases: after an interim
// look some cases are not measured any further.
func (s *Set) LastGeneral(shape guidelines.Shape) []float64 {
	made := len(s.Took[shape.String()])
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

// An mpirun is slow when many cases take longer than in the median mpirun: more than slowShare of
// its shape's cases take slowFactor times as long. With few cases or mpiruns that happens by
// chance.
const (
	slowFactor = 1.2
	slowShare  = 0.3
	slowCases  = 10
	slowRuns   = 5
)

type SlowMpirun struct {
	Shape string  `json:"shape"`
	Run   int     `json:"run"`   // from 1
	Share float64 `json:"share"` // of its cases
	Ratio float64 `json:"ratio"` // of their run medians to the median of all mpiruns, in their median
}

func (m SlowMpirun) String() string {
	return fmt.Sprintf("mpirun %d of %s (%.0f %% of its cases, %.2f× in their median)", m.Run, m.Shape, 100*m.Share, m.Ratio)
}

// Slow names the slow mpiruns. They stay in the data: a library that has such mpiruns is slow in
// them, and dropping them would choose the result.
func (s *Set) Slow() []SlowMpirun {
	var out []SlowMpirun
	for _, shape := range s.manifest.Plan.Shapes {
		ratios := map[int][]float64{} // by run, to the median mpiruns of the cases
		most := 0
		for _, i := range s.manifest.Plan.CasesOf(shape) {
			k := &s.Cases[i]
			if k.Status != protocol.StatusOK || k.Runs < slowRuns {
				continue
			}
			usual := k.Median()
			most = max(most, len(k.Medians))
			for run, m := range k.Medians {
				if !math.IsNaN(m) {
					ratios[run] = append(ratios[run], m/usual)
				}
			}
		}
		for run := range most {
			slower := slices.DeleteFunc(slices.Clone(ratios[run]), func(x float64) bool { return x <= slowFactor })
			share := float64(len(slower)) / float64(len(ratios[run]))
			if len(ratios[run]) >= slowCases && share > slowShare {
				out = append(out, SlowMpirun{Shape: shape.String(), Run: run + 1, Share: share, Ratio: stats.MedianFinite(slower)})
			}
		}
	}
	return out
}
