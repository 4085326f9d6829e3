package stats

import (
	"fmt"
	"math"
)

// Autocorrelation returns the autocorrelation of x at the lags 1 to lags; element 0 belongs to lag
// 1. x is in the order of measurement. It is R's acf: c_h/c_0 with
// c_h = Σ (x_t − x̄)(x_{t+h} − x̄)/n, whose divisor is n at every lag (S-REVISITED §5.3). It is an
// error (ErrUndefined) where all values are equal, and (ErrRange) where lags is not below the
// number of values.
func Autocorrelation(x []float64, lags int) ([]float64, error) {
	if err := check(x); err != nil {
		return nil, err
	}
	if lags < 1 || lags >= len(x) {
		return nil, fmt.Errorf("lag %d of %d values: %w", lags, len(x), ErrRange)
	}
	mean, _ := moments(x)
	d := make([]float64, len(x))
	c0 := 0.0
	for i, v := range x {
		d[i] = v - mean
		c0 += d[i] * d[i]
	}
	if constant(x) || !(c0 > 0) || !finite(c0) {
		return nil, fmt.Errorf("autocorrelation of %d equal values: %w", len(x), ErrUndefined)
	}
	out := make([]float64, lags)
	for i := range out {
		sum := 0.0
		for t, v := range d[i+1:] {
			sum += d[t] * v
		}
		out[i] = sum / c0
	}
	return out, nil
}

// AutocorrelationBound returns 1.96/√n: of n independent values, an autocorrelation lies beyond ±
// this bound in about 5 % of all cases, at each lag.
func AutocorrelationBound(n int) float64 { return 1.96 / math.Sqrt(float64(n)) }

// Inefficiency returns how many of n values in a row are worth one independent value. For an
// estimated mean it is 1 + 2·Σ r_h over the lags before the first one whose autocorrelation is not
// above the bound. acf comes from Autocorrelation; dependence beyond its last lag is not seen, so
// this is a lower bound.
func Inefficiency(acf []float64, n int) float64 {
	bound := AutocorrelationBound(n)
	out := 1.0
	for _, r := range acf {
		if r <= bound {
			break
		}
		out += 2 * r
	}
	return out
}

// RankAutocorrelation returns the autocorrelation of x's midranks at lag 1. z says how many
// standard deviations it is above its mean if every order of x is equally likely. Mean and variance
// are exact without ties: −1/n, and Dufour and Roy's, Some robust exact results on sample
// autocorrelations and tests of randomness, J. Econometrics 29, 1985.
func RankAutocorrelation(x []float64) (r, z float64, err error) {
	if err := check(x); err != nil {
		return 0, 0, err
	}
	doubled := doubledMidranks(x)
	ranks := make([]float64, len(x))
	for i, rank := range doubled {
		ranks[i] = float64(rank)
	}
	acf, err := Autocorrelation(ranks, 1)
	if err != nil {
		return 0, 0, err
	}
	n := float64(len(x))
	variance := (5*n*n*n*n - 14*n*n*n - 9*n*n + 26*n + 16) / (5 * (n - 1) * (n - 1) * n * n * (n + 1))
	return acf[0], (acf[0] + 1/n) / math.Sqrt(variance), nil
}
