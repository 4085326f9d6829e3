package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MedianInterval returns the narrowest interval between two values of x, at the same rank from the
// least and from the largest, that holds the median of the population with the given confidence, such
// as .95: the sign test inverted, exact for any distribution without ties and too wide with them
// (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., §3.2). It returns NaN for too few
// values; for .95 that is fewer than six. All values must be finite.
func MedianInterval(x []float64, confidence float64) (lo, hi float64) {
	n := len(x)
	signs := distuv.Binomial{N: float64(n), P: 0.5}
	least := -1 // rank from 0
	for least+1 < (n+1)/2 && 2*signs.CDF(float64(least+1)) <= 1-confidence {
		least++
	}
	if least < 0 {
		return math.NaN(), math.NaN()
	}
	ascending := sorted(x)
	return ascending[least], ascending[n-1-least]
}
