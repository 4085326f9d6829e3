package stats

import (
	"fmt"
	"math"
	"slices"
)

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
