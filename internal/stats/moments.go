package stats

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// NormalCDF is Φ, the distribution function of the standard normal distribution.
func NormalCDF(x float64) float64 { return distuv.UnitNormal.CDF(x) }

// StudentQuantile is the p-quantile of Student's t with this many degrees of freedom.
func StudentQuantile(p float64, freedom int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile(p)
}

// Pearson is the correlation of the pairs (x_i, y_i), from −1 to 1. It is an error
// (ErrUndefined) for fewer than two pairs or where one side is constant.
func Pearson(x, y []float64) (float64, error) {
	if err := checkPaired(x, y); err != nil {
		return 0, err
	}
	r := stat.Correlation(x, y, nil)
	if constant(x) || constant(y) || !finite(r) {
		return 0, fmt.Errorf("correlation of %d pairs: %w", len(x), ErrUndefined)
	}
	return max(-1, min(1, r)), nil
}

func constant(x []float64) bool { return slices.Min(x) == slices.Max(x) }
