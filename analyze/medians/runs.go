package medians

import (
	"math"
	"slices"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// CaseMedians holds the run medians of a case, or of one side of an experiment.
type CaseMedians struct {
	Cell
	Variant  string
	MockupOf string // the collective that a mock-up stands for
	NP       int
	Mode     protocol.Mode
	Calls    int     // in a row, which one time covers
	Pair     int     // the comparison whose sides took turns, from 1, or 0
	MedianNS float64 // of the run medians
	// LoNS and HiNS are its 95 % interval, or NaN for fewer than six mpiruns; only the method
	// CaseMedians sets them.
	LoNS, HiNS float64
	Runs       []RunMedian
}

type RunMedian struct {
	Run        int     // from 1
	NS         float64 // NaN without a valid sample
	Samples    int     // valid ones
	Outliers   int     // of these, left out by the filter
	Invalid    int     // left out since they were out of sync
	FinishedAt string  // the mpirun
	Usage      Usage
}

func (r *RunMedian) Seconds() *float64 {
	if math.IsNaN(r.NS) {
		return nil
	}
	s := r.NS / 1e9
	return &s
}

// CaseMedians lists stage 2's cases with a valid run median, in the Plan's order.
func (s *Set) CaseMedians() []CaseMedians {
	var out []CaseMedians
	for i := range s.Cases {
		if s.Cases[i].Status != protocol.StatusOK {
			continue
		}
		c := s.medians(side{mode: protocol.ModeMeasure, plan: i, calls: 1}, &s.Cases[i])
		c.Runs = slices.DeleteFunc(c.Runs, func(r RunMedian) bool { return math.IsNaN(r.NS) })
		c.LoNS, c.HiNS = stats.MedianInterval(Valid(s.Cases[i].Medians), 0.95)
		if len(c.Runs) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// AllMedians lists everything that tests rest on, even without a valid sample: the cases of
// stage 2 in the Plan's order, then the cases of the experiments.
func (s *Set) AllMedians() []CaseMedians {
	var out []CaseMedians
	for i := range s.Cases {
		out = append(out, s.medians(side{mode: protocol.ModeMeasure, plan: i, calls: 1}, &s.Cases[i]))
	}
	for _, mode := range protocol.FollowUps {
		x := s.manifest.FollowUps[mode]
		if x == nil {
			continue
		}
		var seen []*Case
		for i, f := range x.Comparisons {
			for _, of := range []side{{mode, f.Case, 1, i + 1}, {mode, f.Part, f.Calls, i + 1}} {
				if s.sides[of] == nil {
					of.pair = 0
				}
				if k := s.sides[of]; k != nil && !slices.Contains(seen, k) {
					seen = append(seen, k)
					out = append(out, s.medians(of, k))
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(c CaseMedians) bool { return len(c.Runs) == 0 })
}

func (s *Set) medians(at side, of *Case) CaseMedians {
	k, mode := s.manifest.Plan.Cases[at.plan], at.mode
	c := CaseMedians{Cell: CellOf(k), Variant: k.Variant, MockupOf: s.mockups[k.Function], NP: k.Shape.NP, Mode: mode, Calls: at.calls, Pair: at.pair, MedianNS: of.Median()}
	for run, n := range of.samples {
		if n.Total > 0 {
			c.Runs = append(c.Runs, RunMedian{Run: run + 1, NS: of.Medians[run], Samples: n.Total - n.Invalid, Outliers: n.Outliers, Invalid: n.Invalid,
				FinishedAt: s.FinishedAt(mode, k.Shape, run+1), Usage: of.UsageIn(run + 1)})
		}
	}
	return c
}

// CaseBound holds an upper bound of a case's run-time that needs no common clock (S-MCCALPIN); it
// includes two barriers.
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
