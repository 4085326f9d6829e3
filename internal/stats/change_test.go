package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"pgmpi/testkit/should"
)

func TestAStretchIsFoundWhereItBeginsAndEnds(t *testing.T) {
	for name, c := range map[string]struct {
		y        []float64
		from, to int
		p        float64 // R: number of stretches × 2 kinds × t.test(y[in], y[out], var.equal = TRUE)$p.value
	}{
		// 3, 4 or 5 values may be the beginning; p.value = 5.46555e-10.
		"a beginning": {[]float64{0, .01, 0, .26, .26, .26, .25, .26}, 0, 3, 3.27933e-09},
		// Only one stretch leaves three values on either side; p.value = 6.15901e-10.
		"within":           {[]float64{0, .01, .02, .3, .32, .31, .01, 0, .02}, 3, 6, 1.23180e-09},
		"without a spread": {[]float64{1, 1, 1, 2, 2, 2}, 0, 3, 0},
		"none is as large": {[]float64{0, 0, 0, .03, .03, .03}, 0, 0, 1},
		"two of three":     {[]float64{0, .01, 0, .01, 0, .3, 0, .3}, 0, 0, 1},
		"too few":          {[]float64{0, 0, 1, 1, 1}, 0, 0, 1},
		"nothing":          {nil, 0, 0, 1},
		"all the same":     {[]float64{2, 2, 2, 2, 2, 2}, 0, 0, 1},
	} {
		from, to, p := Changed(c.y, 3, .05)
		should.Hold(t, math.Abs(p-c.p) <= 1e-4*c.p+1e-100, "%s: p = %v, want %v", name, p, c.p)
		should.Hold(t, p == 1 || from == c.from && to == c.to, "%s: from %d to %d, want %d to %d", name, from, to, c.from, c.to)
	}
}

// A stretch of 7 in 2,000 nights is found where it is, and ten times the nights take at most ten times as many looks.
func TestALongSeriesIsSearchedOnAGrid(t *testing.T) {
	looks := map[int]int{}
	for _, n := range []int{200, 2000} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		y := make([]float64, n)
		for i := range y {
			y[i] = .01 * random.NormFloat64()
		}
		for i := n / 2; i < n/2+7; i++ {
			y[i] += .3
		}
		from, to, p, looked := changed(y, 3, .05)
		should.Hold(t, from == n/2 && to == n/2+7 && p < 1e-9, "%d nights: from %d to %d, p = %v", n, from, to, p)
		looks[n] = looked
	}
	should.Hold(t, looks[2000] <= 10*looks[200], "%v looks by nights", looks)
}

// Steps of one to four times the spread, after 10 of 25 values.
func TestTheLimitsOfAChangeHoldItsPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, step := range []float64{1, 2, 3, 4} {
		held := 0
		for range 1000 {
			y := make([]float64, 25)
			for i := range y {
				if y[i] = random.NormFloat64(); i >= 10 {
					y[i] += step
				}
			}
			at, least := 0, math.Inf(1)
			for k := 3; k <= 22; k++ {
				if sum := float64(k)*stat.PopVariance(y[:k], nil) + float64(25-k)*stat.PopVariance(y[k:], nil); sum < least {
					at, least = k, sum
				}
			}
			first, last := ChangedWithin(y, at)
			if first <= 10 && 10 <= last {
				held++
			}
		}
		should.Hold(t, held >= 930, "a step of %g: %d of 1000", step, held)
	}
}
