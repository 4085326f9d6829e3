package medians

import (
	"math"
	"slices"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// addSums fills in the mock-ups of one mpirun that are sums of calls that were measured.
func (s *Set) addSums(run int) {
	for i, parts := range s.manifest.Sums {
		k := &s.Cases[i]
		k.Runs++
		k.Medians[run-1], k.spread[run-1] = 0, 0
		n := Count{Total: math.MaxInt}
		for _, p := range parts {
			part := &s.Cases[p]
			k.Medians[run-1] += part.Medians[run-1]
			k.spread[run-1] = math.Hypot(k.spread[run-1], part.spread[run-1]*part.Medians[run-1])
			if n.Total > part.samples[run-1].Total {
				n = part.samples[run-1]
			}
			if part.Status != protocol.StatusOK {
				k.worsen(protocol.CaseResult{Status: part.Status, Message: part.Message})
			}
		}
		k.spread[run-1] /= k.Medians[run-1]
		k.samples[run-1] = n
	}
}

// within returns the standard error of the logarithm of a series' median, by a block bootstrap within the
// series, whose blocks are as long as neighbours resemble each other; NaN for fewer than leastSeries samples.
func within(series []float64) float64 {
	acf, err := Autocorrelation(series)
	if err != nil || len(series) < leastSeries {
		return math.NaN()
	}
	block := 1
	if acf != nil { // the first lag below the bound
		bound := stats.AutocorrelationBound(len(series))
		if block = 1 + slices.IndexFunc(acf, func(r float64) bool { return r < bound }); block == 0 {
			block = Lags
		}
	}
	lo, hi := stats.MedianByBlocks(series, slices.Sorted(slices.Values(series)), block, 0.95)
	return (math.Log(hi) - math.Log(lo)) / (2 * 1.96)
}

// Spread is the standard error of the logarithm of the median of the run medians as far as the samples of each
// mpirun show it; NaN: they do not. How mpiruns differ is not in it.
func (c *Case) Spread() float64 {
	sum := 0.0
	for _, s := range c.spread {
		sum += s * s
	}
	return math.Sqrt(sum) / float64(len(c.spread))
}
