package judge

import (
	"math"

	"pgmpi/internal/stats"
)

// TestSignedRank is the Wilcoxon signed-rank test on the logarithms of paired
// ratios, which its effect and interval are of as well.
const TestSignedRank TestName = "signedrank"

var signedRank = Test{
	Name: TestSignedRank, Symbol: "V", Paired: true,
	Title: func(r int) string {
		if r > stats.MaxExactSignedRank {
			return "signed-rank (normal approximation)"
		}
		return "exact signed-rank"
	},
	P: func(x, y []float64) (stats.TestResult, error) {
		d, err := stats.LogRatios(x, y)
		if err != nil {
			return stats.TestResult{}, err
		}
		return stats.SignedRank(d)
	},
	Effect: stats.HodgesLehmannSignedRank,
	MinP:   func(m, n int) float64 { return stats.MinPSignedRank(min(m, n)) },
	Largest: func(x, y []float64) float64 {
		n := float64(len(x) - ZeroDifferences(x, y))
		return n * (n + 1) / 2
	},
	Reach: reachSignedRank,
}

// reachSignedRank is the distance at which the expected V is the least that is significant:
// of r differences and r(r−1)/2 means of two, those above 0. About their own mean they
// spread less.
func reachSignedRank(r int, level float64) float64 {
	n, least := float64(r), stats.LeastSignedRank(r, level)-0.5
	if r < 3 || least >= n*(n+1)/2 {
		return math.Inf(1)
	}
	single, mean := math.Sqrt(1-1/n), math.Sqrt(0.5-1/n)
	low, high := 0.0, 10.0
	for range 50 {
		d := (low + high) / 2
		if n*stats.NormalCDF(d/single)+n*(n-1)/2*stats.NormalCDF(d/mean) < least {
			low = d
		} else {
			high = d
		}
	}
	return high
}

// ZeroDifferences counts the pairs that the signed-rank test drops because both
// sides are equal.
func ZeroDifferences(x, y []float64) int {
	d, _ := stats.LogRatios(x, y)
	n := 0
	for _, d := range d {
		if d == 0 {
			n++
		}
	}
	return n
}
