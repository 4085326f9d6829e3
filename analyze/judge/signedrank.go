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
	SampleSize: noetherPaired,
}

// noetherPaired is noether by the share of all i < j whose log ratios ln x − ln y
// have a positive sum.
func noetherPaired(x, y []float64, level float64) float64 {
	d, _ := stats.LogRatios(x, y) // P has refused what it cannot take
	sum, pairs := 0.0, 0
	for i := range d {
		for j := range i {
			sum += half(d[i] + d[j])
			pairs++
		}
	}
	excess := sum/float64(pairs) - 0.5
	if !(excess > 0) { // or there are no pairs
		return math.Inf(1)
	}
	return squaredZ(level) / (3 * excess * excess)
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
