package stats

import (
	"math"
	"testing"

	"pgmpi/testkit/should"
)

// The ranks are from binomial tables: qbinom(.025, n, .5) in R, the n-th to the last likewise.
func TestTheIntervalOfAMedianIsThatOfTheBinomialDistribution(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 8: 1, 9: 2, 10: 2, 12: 3, 15: 4, 20: 6, 24: 7, 30: 10, 100: 40} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(n - i) // n, …, 1: a value is its rank
		}
		lo, hi := MedianInterval(x, 0.95)
		if want == 0 {
			should.Hold(t, math.IsNaN(lo) && math.IsNaN(hi), "%d values: %v to %v, want none", n, lo, hi)
			continue
		}
		should.Hold(t, lo == float64(want) && hi == float64(n+1-want), "%d values: %v to %v, want ranks %d and %d", n, lo, hi, want, n+1-want)
	}
}
