package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// gonum's stat and distuv have all of this, but would add 2 MB of linear algebra to the
// program.

// NormalCDF is Φ, the distribution function of the standard normal distribution.
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// StudentQuantile is the p-quantile, p > ½, of Student's t with this many degrees of freedom.
func StudentQuantile(p float64, freedom int) float64 {
	nu := float64(freedom)
	t := mathext.InvRegIncBeta(nu/2, 0.5, 2*(1-p))
	return math.Sqrt(nu * (1 - t) / t)
}

func average(x []float64) float64 { return floats.Sum(x) / float64(len(x)) }

// codeviation is Σ (x−x̄)(y−ȳ) by the corrected two passes of Chan, Golub and LeVeque.
func codeviation(x, y []float64) float64 {
	mx, my := average(x), average(y)
	var sum, restX, restY float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		sum += dx * dy
		restX += dx
		restY += dy
	}
	return sum - restX*restY/float64(len(x))
}

// Pearson is the correlation of the pairs (x_i, y_i), from −1 to 1. It is an error
// (ErrUndefined) for fewer than two pairs or where one side is constant.
func Pearson(x, y []float64) (float64, error) {
	if err := checkPaired(x, y); err != nil {
		return 0, err
	}
	r := codeviation(x, y) / math.Sqrt(codeviation(x, x)*codeviation(y, y))
	if constant(x) || constant(y) || !finite(r) {
		return 0, fmt.Errorf("correlation of %d pairs: %w", len(x), ErrUndefined)
	}
	return max(-1, min(1, r)), nil
}

func constant(x []float64) bool { return slices.Min(x) == slices.Max(x) }
