package stats

import (
	"errors"
	"math"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// permutations calls f with every order of x.
func permutations(x []float64, k int, f func([]float64)) {
	if k == len(x) {
		f(x)
		return
	}
	for i := k; i < len(x); i++ {
		x[k], x[i] = x[i], x[k]
		permutations(x, k+1, f)
		x[k], x[i] = x[i], x[k]
	}
}

func TestRankAutocorrelationIsStandardisedOverAllOrders(t *testing.T) {
	x := []float64{3, 1, 400, 15, 92, 6, 5}
	for n := 4; n <= len(x); n++ {
		count, sum, squares := 0.0, 0.0, 0.0
		permutations(x[:n], 0, func(x []float64) {
			_, z := must.Two(RankAutocorrelation(x))(t)
			count, sum, squares = count+1, sum+z, squares+z*z
		})
		mean, variance := sum/count, squares/count
		should.Hold(t, math.Abs(mean) <= 1e-12 && math.Abs(variance-1) <= 1e-12, "n = %d: z has mean %g and variance %g, want 0 and 1", n, mean, variance)
	}
	// Ranks 1 … 5: as in TestAutocorrelationByHandAndAsR.
	r, _, _ := RankAutocorrelation([]float64{1, 10, 11, 5000, 1e6})
	should.Hold(t, math.Abs(r-0.4) <= 1e-15, "r %g of ascending values, want 0.4", r)
	_, _, err := RankAutocorrelation([]float64{2, 2, 2})
	should.Hold(t, errors.Is(err, ErrUndefined), "equal values: %v", err)
}
