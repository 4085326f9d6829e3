package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// MedianInterval returns the narrowest interval between two values of x that holds the population's
// median. The values have the same rank from the least and from the largest, and the interval has
// the given confidence, such as .95. This inverts the sign test, exact for any distribution without
// ties and too wide with them (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., §3.2).
// It returns NaN for too few values; for .95 that is fewer than six. All values must be finite.
func MedianInterval(x []float64, confidence float64) (lo, hi float64) {
	n := len(x)
	atMost := func(k int) float64 { return mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5) } // of n fair coins, k heads
	least := -1                                                                                  // rank from 0
	for least+1 < (n+1)/2 && 2*atMost(least+1) <= 1-confidence {
		least++
	}
	if least < 0 {
		return math.NaN(), math.NaN()
	}
	ascending := sorted(x)
	return ascending[least], ascending[n-1-least]
}

// MedianByBlocks returns an interval that holds the median of a series with the given confidence.
// Neighbours in the series resemble each other. The limits are the order statistics at the ends of
// the normal interval of the share below the median (R. S. Woodruff, JASA 47, 1952), with the
// variance of that share over all resamples of a moving-block bootstrap (H. R. Künsch, Ann.
// Statist. 17, 1989), which for a mean needs no resampling. block is the length of a block,
// ascending is x sorted.
func MedianByBlocks(x, ascending []float64, block int, confidence float64) (lo, hi float64) {
	n := len(x)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	median := MedianSorted(ascending)
	below := func(i int) float64 { // ties lie half below
		switch {
		case x[i] < median:
			return 1
		case x[i] > median:
			return 0
		}
		return 0.5
	}
	block = max(1, min(block, n))
	sum, of, squares := 0.0, 0.0, 0.0
	for i := range x {
		sum += below(i)
		if i >= block {
			sum -= below(i - block)
		}
		if i >= block-1 {
			of += sum
			squares += sum * sum
		}
	}
	blocks := float64(n - block + 1)
	variance := max(0, squares/blocks-(of/blocks)*(of/blocks)) / float64(block) / float64(n)
	half := math.Sqrt2 * math.Erfinv(confidence) * math.Sqrt(variance)
	return quantileSorted(ascending, max(0, 0.5-half)), quantileSorted(ascending, min(1, 0.5+half))
}
