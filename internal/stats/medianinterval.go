package stats

import "math"

// MedianInterval returns the narrowest interval between two values of x, at the same rank from the
// least and from the largest, that holds the median of the population with the given confidence, such
// as .95: the sign test inverted, exact for any distribution without ties and too wide with them
// (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., §3.2). It returns NaN for too few
// values; for .95 that is fewer than six. All values must be finite.
func MedianInterval(x []float64, confidence float64) (lo, hi float64) {
	n := len(x)
	least := -1 // rank from 0
	below := 0.0
	for k := 0; k < (n+1)/2; k++ {
		below += math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
		if 2*below > 1-confidence {
			break
		}
		least = k
	}
	if least < 0 {
		return math.NaN(), math.NaN()
	}
	ascending := sorted(x)
	return ascending[least], ascending[n-1-least]
}

func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	some, _ := math.Lgamma(float64(k + 1))
	rest, _ := math.Lgamma(float64(n - k + 1))
	return all - some - rest
}
