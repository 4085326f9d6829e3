package samples

import (
	"cmp"
	"math"
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/nrep"
)

type CaseSamples struct {
	medians.Cell
	Runs        []RunSamples // stage 2, by mpirun
	Predictions []RunSamples // stage 1
	NREP        nrep.Config  // of stage 1
}

// RunSamples holds the valid samples of one mpirun, in the order of measurement.
type RunSamples struct {
	Run           int
	Seconds       []float64
	Lo, Hi        float64 // fences of the outlier filter, in seconds
	Median        float64 // the run median, in seconds
	StoppedBefore bool    // stage 1: the predictor stopped because its metrics were satisfied
}

// Add takes in an mpirun of stage 1 or 2. It skips one without valid samples of the case.
func (c *CaseSamples) Add(run *results.Run, plan int) error {
	at := slices.IndexFunc(run.Cases, func(k results.CaseInfo) bool { return k.Plan == plan })
	if at < 0 || run.Cases[at].Status != protocol.StatusOK {
		return nil
	}
	s, err := OfRun(run.Run, protocol.ValidSeconds(run.Samples[at]))
	if err != nil || s == nil {
		return err
	}
	s.StoppedBefore = run.Cases[at].Converged
	if run.Mode == protocol.ModeNREP {
		c.Predictions = append(c.Predictions, *s)
	} else {
		c.Runs = append(c.Runs, *s)
	}
	return nil
}

// OfRun describes the valid samples of an mpirun. It returns nil if there are none.
func OfRun(run int, valid []float64) (*RunSamples, error) {
	if len(valid) == 0 {
		return nil, nil
	}
	kept, fences, err := stats.Tukey(valid, stats.TukeyFactor)
	if err != nil {
		return nil, err
	}
	return &RunSamples{Run: run, Seconds: valid, Lo: fences.Lo, Hi: fences.Hi, Median: stats.MedianFinite(kept)}, nil
}

func (r *RunSamples) Kept() []float64 {
	return slices.DeleteFunc(slices.Clone(r.Seconds), func(s float64) bool { return s < r.Lo || s > r.Hi })
}

// Typical returns the mpiruns with the least, the middle and the largest run median. It repeats
// none.
func (c *CaseSamples) Typical() []RunSamples {
	by := slices.Clone(c.Runs)
	slices.SortStableFunc(by, func(a, b RunSamples) int { return cmp.Compare(a.Median, b.Median) })
	switch n := len(by); {
	case n <= 2:
		return by
	default:
		return []RunSamples{by[0], by[(n-1)/2], by[n-1]}
	}
}

// Metric returns an nrep metric of a prediction's first samples. ns holds the numbers of samples.
func (c *CaseSamples) Metric(metric string, of RunSamples, ns []int) []float64 {
	out := make([]float64, len(ns))
	for i, n := range ns {
		out[i] = math.NaN()
		if n <= len(of.Seconds) {
			out[i] = c.NREP.Metric(metric, of.Seconds[:n])
		}
	}
	return out
}
