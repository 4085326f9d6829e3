package judge

import (
	"math"

	"pgmpi/internal/stats"
)

// TestSignedRank is the Wilcoxon signed-rank test on paired differences.
const TestSignedRank TestName = "signedrank"

var signedRank = Test{
	Name: TestSignedRank, Symbol: "V", Paired: true,
	Title: func(r int) string {
		if r > stats.MaxExactSignedRank {
			return "signed-rank (normal approximation)"
		}
		return "exact signed-rank"
	},
	P: stats.SignedRank, Effect: stats.HodgesLehmannSignedRank,
	MinP: func(m, n int) float64 { return stats.MinPSignedRank(min(m, n)) },
	Largest: func(x, y []float64) float64 {
		n := 0.0
		for i := range x {
			if x[i] != y[i] {
				n++
			}
		}
		return n * (n + 1) / 2
	},
	SampleSize: noetherPaired,
}

// noetherPaired is noether by the share of all i < j whose differences x − y
// have a positive sum.
func noetherPaired(x, y []float64, level float64) float64 {
	sum, pairs := 0.0, 0
	for i := range x {
		for j := range i {
			sum += half((x[i] - y[i]) + (x[j] - y[j]))
			pairs++
		}
	}
	excess := sum/float64(pairs) - 0.5
	if !(excess > 0) { // or there are no pairs
		return math.Inf(1)
	}
	return squaredZ(level) / (3 * excess * excess)
}
