package medians

import (
	"math"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// CaseMedians are the run medians of a case in stage 2.
type CaseMedians struct {
	Cell
	NP       int
	MedianNS float64 // of the run medians
	// LoNS and HiNS are its 95 % interval; NaN: fewer than six mpiruns.
	LoNS, HiNS float64
	Runs       []RunMedian
}

// RunMedian is the run median of an mpirun.
type RunMedian struct {
	Run     int // from 1
	NS      float64
	Samples int // that are valid
}

// CaseMedians lists the cases that have a valid run median, in the Plan's order.
func (s *Set) CaseMedians() []CaseMedians {
	var out []CaseMedians
	for i, k := range s.manifest.Plan.Cases {
		of := &s.Cases[i]
		if of.Status != protocol.StatusOK {
			continue
		}
		c := CaseMedians{Cell: CellOf(k), NP: k.Shape.NP, MedianNS: of.Median()}
		c.LoNS, c.HiNS = stats.MedianInterval(Valid(of.Medians), 0.95)
		for run, ns := range of.Medians {
			if n := of.samples[run]; !math.IsNaN(ns) {
				c.Runs = append(c.Runs, RunMedian{run + 1, ns, n.Total - n.Invalid})
			}
		}
		if len(c.Runs) > 0 {
			out = append(out, c)
		}
	}
	return out
}
