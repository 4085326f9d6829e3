package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/testkit/should"
)

// Of independent values the interval is Woodruff's: for n = 100 the ranks 50 ± 1.96·√25 = 40.2 and 59.8.
func TestMedianByBlocksOfIndependentValuesIsWoodruffs(t *testing.T) {
	x := make([]float64, 100)
	for i, at := range rand.New(rand.NewPCG(1, 2)).Perm(100) {
		x[i] = float64(at + 1)
	}
	lo, hi := MedianByBlocks(x, sorted(x), 1, 0.95)
	should.Hold(t, math.Abs(lo-40.8) < .1 && math.Abs(hi-60.2) < .1, "%g to %g", lo, hi)
	lo, hi = MedianByBlocks(nil, nil, 3, 0.95)
	should.Hold(t, math.IsNaN(lo) && math.IsNaN(hi), "%g to %g of nothing", lo, hi)
	lo, hi = MedianByBlocks([]float64{7, 7, 7}, []float64{7, 7, 7}, 5, 0.95)
	should.Hold(t, lo == 7 && hi == 7, "%g to %g of a constant", lo, hi)
}

// x_t = .6·x_(t−1) + e: taken for independent, the interval holds the median too rarely.
func TestMedianByBlocksHoldsTheMedianOfSeriesThatDependOnThemselves(t *testing.T) {
	held := map[int]int{}
	const series = 400
	random := rand.New(rand.NewPCG(3, 4))
	for range series {
		x, now := make([]float64, 1000), 0.0
		for i := range x {
			now = .6*now + random.NormFloat64()
			x[i] = now
		}
		for _, block := range []int{1, 20} {
			if lo, hi := MedianByBlocks(x, sorted(x), block, 0.95); lo <= 0 && 0 <= hi {
				held[block]++
			}
		}
	}
	should.Hold(t, held[20] > .90*series && held[20] < .98*series && held[1] < .80*series, "held %v of %d", held, series)
}
