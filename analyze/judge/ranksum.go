package judge

import (
	"math"

	"pgmpi/internal/stats"
)

// TestRankSum is the Wilcoxon rank-sum test; TestRankSumNormal its normal approximation
// with continuity correction, which method paper uses.
const (
	TestRankSum       TestName = "ranksum"
	TestRankSumNormal TestName = "ranksum_normal"
)

var rankSum = Test{
	Name: TestRankSum, Title: always("exact rank-sum"), Symbol: "U",
	P: stats.RankSum, MinP: stats.MinPRankSum, Effect: stats.HodgesLehmannRankSum,
	Largest: pairsOf, SampleSize: noether,
	Most: stats.MaxExactRankSum, Beyond: &rankSumNormal,
}

var rankSumNormal = Test{
	Name: TestRankSumNormal, Title: always("rank-sum (normal approximation)"), Symbol: "U",
	P: stats.RankSumNormal, MinP: stats.MinPRankSumNormal, Effect: stats.HodgesLehmannRankSum,
	Largest: pairsOf, SampleSize: noether,
}

func pairsOf(x, y []float64) float64 { return float64(len(x) * len(y)) }

// noether is the sample size by the observed share of all pairs (x_i, y_j) with
// x_i > y_j; equal ones count half (Noether, Sample size determination for some
// common nonparametric tests, JASA 82, 1987). The share covers effect and spread
// together and needs no assumption on either.
func noether(x, y []float64, level float64) float64 {
	sum := 0.0
	for _, a := range x {
		for _, b := range y {
			sum += half(a - b)
		}
	}
	excess := sum/float64(len(x)*len(y)) - 0.5
	if excess <= 0 {
		return math.Inf(1)
	}
	return squaredZ(level) / (6 * excess * excess)
}
