package samples

import (
	"math"
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Side describes the call, or its other side, in every mpirun.
type Side struct {
	Function string
	Msize    int64 // bytes
	Calls    int   // split: k calls are compared with the one; else 1
	Visits   int   // parts in which an mpirun made its samples: 1 if in a row, 0 if unknown
	Runs     []SideRun
	// Medians over the mpiruns of the fields of SideRun; nil and 0 if no mpirun has them.
	ACF                    []float64
	ACFBound, Inefficiency float64
}

// SideRun describes the samples of one mpirun in nanoseconds, of ONE call.
type SideRun struct {
	Run                 int
	Samples, Late, Long int
	Valid               int     // in sync
	Min, Q1, Median, Q3 float64 // of the valid ones, or NaN without any
	Kept                []float64
	RunMedian           float64   // of Kept, what the outlier filter left, in the order of measurement
	WarmupEnd           int       // first repetition after a warm-up, or −1 if none was seen
	ACF                 []float64 // of Kept, from lag 1 on; nil if they are too few, or all equal
	Usage               medians.Usage
	ACFBound            float64 // most of ACF lies within it if samples do not depend on each other
}

func (s *Side) Add(run *results.Run, plan int) error {
	if run == nil {
		return nil
	}
	at := slices.IndexFunc(run.Cases, func(k results.CaseInfo) bool { return k.Plan == plan })
	if at < 0 || run.Cases[at].Status != protocol.StatusOK {
		return nil
	}
	s.Visits = max(s.Visits, lists.Count(run.Order, func(i int) bool { return i == at }))
	valid := protocol.Valid(run.Samples[at])
	var flagged protocol.CaseResult
	flagged.Count(run.Samples[at])
	nan := math.NaN()
	out := SideRun{Run: run.Run, Samples: len(run.Samples[at]), Late: flagged.Late, Long: flagged.Long, Valid: len(valid),
		Usage: medians.UsageOf(&run.Cases[at]), Min: nan, Q1: nan, Median: nan, Q3: nan, RunMedian: nan, WarmupEnd: -1}
	if len(valid) > 0 {
		if err := out.describe(valid); err != nil {
			return err
		}
	}
	s.Runs = append(s.Runs, out)
	return nil
}

// describe filters the samples as medians.Set does, and sums them up.
func (s *SideRun) describe(valid []float64) error {
	kept, fences, err := stats.Tukey(valid, stats.TukeyFactor)
	if err != nil {
		return err
	}
	if s.WarmupEnd, err = stats.WarmupEnd(valid); err != nil {
		return err
	}
	s.Min = slices.Min(valid)
	s.Q1, s.Median, s.Q3 = fences.Q1, stats.MedianFinite(valid), fences.Q3
	s.Kept, s.RunMedian = kept, stats.MedianFinite(kept)
	s.ACFBound = stats.AutocorrelationBound(len(s.Kept))
	s.ACF, err = medians.Autocorrelation(s.Kept)
	return err
}

func (s *Side) Dependence() {
	var bounds, inefficiencies []float64
	lags := make([][]float64, medians.Lags)
	for _, r := range s.Runs {
		for h, x := range r.ACF {
			lags[h] = append(lags[h], x)
		}
		if r.ACF != nil {
			bounds = append(bounds, r.ACFBound)
			inefficiencies = append(inefficiencies, stats.Inefficiency(r.ACF, len(r.Kept)))
		}
	}
	if len(bounds) == 0 {
		return
	}
	s.ACF = lists.Map(lags, stats.MedianFinite)
	s.ACFBound, s.Inefficiency = stats.MedianFinite(bounds), stats.MedianFinite(inefficiencies)
}
