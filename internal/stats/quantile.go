package stats

import (
	"fmt"
	"math"
	"slices"
)

// Quantile returns the p-quantile of x, in its unit, for 0 ≤ p ≤ 1. It is R's type 7: with
// h = (n−1)p and f its fraction, (1−f)·x₍h₎ + f·x₍h+1₎ (0-based order statistics).
func Quantile(x []float64, p float64) (float64, error) {
	if err := check(x); err != nil {
		return 0, err
	}
	if !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("quantile %v: %w", p, ErrRange)
	}
	return quantileSorted(sorted(x), p), nil
}

// MedianSorted returns the middle value of ascending x, or the mean of two. It returns NaN for no
// values.
func MedianSorted(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	if n%2 == 1 {
		return x[n/2]
	}
	return (x[n/2-1] + x[n/2]) / 2
}

// MedianFinite returns MedianSorted for finite values in any order.
func MedianFinite(x []float64) float64 { return MedianSorted(sorted(x)) }

// MeanSD returns the mean and the standard deviation (divisor n−1) of x. The deviation of a single
// value is NaN.
func MeanSD(x []float64) (mean, sd float64, err error) {
	if err := check(x); err != nil {
		return 0, 0, err
	}
	mean, squares := moments(x)
	return mean, math.Sqrt(squares / float64(len(x)-1)), nil
}

func sorted(x []float64) []float64 { return slices.Sorted(slices.Values(x)) }

// quantileSorted returns Quantile without its checks. The conversions keep a compiler from fusing
// the multiplications into the sum, which would move the last bit.
func quantileSorted(x []float64, p float64) float64 {
	h := float64(len(x)-1) * p
	k := int(h)
	if k+1 >= len(x) {
		return x[len(x)-1]
	}
	f := h - float64(k)
	return float64((1-f)*x[k]) + float64(f*x[k+1])
}

// Pearson returns the correlation of the pairs (x_i, y_i), from −1 to 1. It is an error
// (ErrUndefined) for fewer than two pairs or if one side is constant.
func Pearson(x, y []float64) (float64, error) {
	if err := checkPaired(x, y); err != nil {
		return 0, err
	}
	meanX, squaresX := moments(x)
	meanY, squaresY := moments(y)
	products := 0.0
	for i := range x {
		products += (x[i] - meanX) * (y[i] - meanY)
	}
	r := products / math.Sqrt(squaresX*squaresY)
	if constant(x) || constant(y) || !finite(r) {
		return 0, fmt.Errorf("correlation of %d pairs: %w", len(x), ErrUndefined)
	}
	return max(-1, min(1, r)), nil
}

func constant(x []float64) bool { return slices.Min(x) == slices.Max(x) }
