package nrep

import (
	"math"
	"slices"

	"pgmpi/internal/stats"
)

// filterAbove is the number of samples above which a prefix goes through the Tukey
// filter before its mean is taken.
const filterAbove = 10

// RSE is the relative standard error of the mean, sd/(√n·mean) with divisor n−1 in sd,
// of the filtered samples. It is NaN for fewer than two samples, a mean of 0, or a
// sample that is not finite. (S-PGMPI §4.2, metric 1)
func RSE(x []float64) float64 {
	if !allFinite(x) {
		return math.NaN()
	}
	kept := filtered(slices.Sorted(slices.Values(x)))
	return coefficientOfVariation(kept) / math.Sqrt(float64(len(kept)))
}

// covMean is the coefficient of variation, sd/mean, of the means of the `window` longest
// prefixes of x, each filtered by itself. It is NaN where x is shorter than the window, the
// window is below 2, or as for RSE. (S-PGMPI §4.2, metric 2)
func covMean(x []float64, window int) float64 {
	return overPrefixes(x, window, func(sorted []float64) float64 { return mean(filtered(sorted)) })
}

// covMedian is covMean with the medians of the unfiltered prefixes. (S-PGMPI §4.2, metric 3)
func covMedian(x []float64, window int) float64 {
	return overPrefixes(x, window, stats.MedianSorted)
}

// overPrefixes computes a statistic of each of the `window` longest prefixes, which it
// is given in ascending order, and returns the coefficient of variation of the results.
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
