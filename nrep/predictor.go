package nrep

import (
	"math"
	"slices"
	"time"

	"pgmpi/internal/stats"
)

type Predictor struct {
	cfg  Config
	next int
}

// NewPredictor starts a prediction for a valid Config. It looks at the metrics at
// t_i = min + step·(2^i − 1) samples, i = 0, 1, …, and last at max.
func NewPredictor(cfg Config) *Predictor {
	return &Predictor{cfg: cfg, next: min(cfg.Min, cfg.Max)}
}

// Next returns the total number of samples that the next check point needs. It no longer grows
// after Done has returned stop.
func (p *Predictor) Next() int { return p.next }

// Done looks at all samples so far, in the order of measurement. With fewer than
// Next() it does nothing. Otherwise it judges the first Next() of them. stop means
// that they are enough or that max is reached, and then Next() is the prediction;
// converged means that all selected metrics were below their thresholds. Without stop, Next()
// is the check point after this one.
func (p *Predictor) Done(samples []float64) (stop, converged bool) {
	if len(samples) < p.next {
		return false, false
	}
	// An undefined metric is NaN, which is not below a threshold.
	fails := func(metric string) bool { return !(p.cfg.Metric(metric, samples[:p.next]) < p.cfg.Threshold(metric)) }
	converged = len(p.cfg.Metrics) > 0 && !slices.ContainsFunc(p.cfg.Metrics, fails)
	if converged || p.next >= p.cfg.Max {
		return true, converged
	}
	p.next = min(p.cfg.Max, p.next+(p.next-p.cfg.Min)+max(1, p.cfg.Step)) // 2·t + step − min, without overflow
	return false, false
}

// Metric computes a metric of samples, in the order of measurement. It returns NaN if the metric is
// undefined or unknown.
func (c Config) Metric(metric string, x []float64) float64 {
	switch metric {
	case MetricRSE:
		return RSE(x)
	case MetricCovMean:
		return covMean(x, c.CovMean.Window)
	case MetricCovMedian:
		return covMedian(x, c.CovMedian.Window)
	}
	return math.NaN()
}

func (c Config) Threshold(metric string) float64 {
	switch metric {
	case MetricRSE:
		return c.RSE
	case MetricCovMean:
		return c.CovMean.Threshold
	case MetricCovMedian:
		return c.CovMedian.Threshold
	}
	return math.NaN()
}

// ForMinTime returns how many repetitions take MinTime, by the median of samples in seconds. It returns
// no more than Max, and 0 for no MinTime or no samples. A prediction bounds the error of the mean in
// the mpiruns that predict; run medians of a few dozen short calls still differ by that error, though
// more of them would cost next to nothing.
func (c Config) ForMinTime(samples []float64) int {
	if c.MinTime == 0 || len(samples) == 0 {
		return 0
	}
	median := stats.MedianSorted(slices.Sorted(slices.Values(samples)))
	n := math.Ceil(time.Duration(c.MinTime).Seconds() / median)
	if !(n < float64(c.Max)) { // NaN too
		return c.Max
	}
	return int(n)
}

// Kept returns how often a case is repeated in an mpirun that measures, from what a prediction took and
// its samples in seconds. More than Enough make the medians of mpiruns no closer to each other
// (docs/dev/notes/0.4/time.md).
func (c Config) Kept(predicted int, samples []float64) int {
	n := max(1, predicted, c.ForMinTime(samples))
	if c.Enough > 0 {
		n = min(n, max(c.Enough, c.Min))
	}
	return n
}

func MaxOverPredictions(predictions []int) int {
	return slices.Max(append([]int{0}, predictions...))
}

// filterAbove limits the samples of a prefix that is not filtered. The mean of a longer one is taken
// after a Tukey filter.
const filterAbove = 10

// RSE returns the relative standard error of the mean of the filtered samples. It is sd/(√n·mean) with
// divisor n−1 in sd, and NaN for fewer than two samples, a mean of 0, or a sample that is not finite.
// (S-PGMPI §4.2, metric 1)
func RSE(x []float64) float64 {
	if !allFinite(x) {
		return math.NaN()
	}
	kept := filtered(slices.Sorted(slices.Values(x)))
	return coefficientOfVariation(kept) / math.Sqrt(float64(len(kept)))
}

// covMean returns the coefficient of variation, sd/mean, of the means of prefixes. These are the
// `window` longest prefixes of x, each filtered by itself. It is NaN where x is shorter than the
// window, the window is below 2, or as for RSE. (S-PGMPI §4.2, metric 2)
func covMean(x []float64, window int) float64 {
	return overPrefixes(x, window, func(sorted []float64) float64 { return mean(filtered(sorted)) })
}

// covMedian does the same with the medians of the unfiltered prefixes. (S-PGMPI §4.2, metric 3)
func covMedian(x []float64, window int) float64 {
	return overPrefixes(x, window, stats.MedianSorted)
}

// overPrefixes gives each of the `window` longest prefixes, in ascending order, to a statistic. It
// returns the coefficient of variation of the results.
func overPrefixes(x []float64, window int, statistic func(sorted []float64) float64) float64 {
	n := len(x)
	if window < 2 || window > n || !allFinite(x) {
		return math.NaN()
	}
	// Sort once; the next shorter prefix is this one without its last sample.
	prefix := slices.Sorted(slices.Values(x))
	results := make([]float64, window)
	for i := range results {
		results[i] = statistic(prefix)
		at, _ := slices.BinarySearch(prefix, x[n-1-i])
		prefix = slices.Delete(prefix, at, at+1)
	}
	return coefficientOfVariation(results)
}

func filtered(sorted []float64) []float64 {
	if len(sorted) <= filterAbove {
		return sorted
	}
	return stats.TukeySorted(sorted, stats.TukeyFactor)
}

// coefficientOfVariation returns sd/mean; NaN if either is undefined or the mean is 0.
func coefficientOfVariation(x []float64) float64 {
	m, sd, err := stats.MeanSD(x)
	if err != nil || m == 0 {
		return math.NaN()
	}
	return sd / m
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func allFinite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
