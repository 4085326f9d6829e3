package judge

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"pgmpi/internal/stats"
)

// TestRankSum is the Wilcoxon rank-sum test. TestRankSumNormal is its normal approximation with
// continuity correction, which method paper uses.
const (
	TestRankSum       TestName = "ranksum"
	TestRankSumNormal TestName = "ranksum_normal"
)

var rankSum = Test{
	Name: TestRankSum, Title: always("exact rank-sum"), Symbol: "U",
	P: stats.RankSum, MinP: stats.MinPRankSum, Effect: stats.HodgesLehmannRankSum,
	Reach: reachRankSum,
	Most:  stats.MaxExactRankSum, Beyond: &rankSumNormal,
}

var rankSumNormal = Test{
	Name: TestRankSumNormal, Title: always("rank-sum (normal approximation)"), Symbol: "U",
	P: stats.RankSumNormal, MinP: stats.MinPRankSumNormal, Effect: stats.HodgesLehmannRankSum,
	Reach: reachRankSum,
}

// reachRankSum returns the distance at which the expected U is the least that is significant. About
// their own mean, r² differences of r values each spread less.
func reachRankSum(r int, level float64) float64 {
	n := float64(r)
	return math.Sqrt(1-1/n) * mathext.NormalQuantile(min(1, (stats.LeastRankSum(r, level)-0.5)/(n*n)))
}

const TestKS TestName = "ks"

var ks = Test{
	Name: TestKS, Title: always("exact Kolmogorov-Smirnov"), Symbol: "D",
	P: stats.KS, Effect: stats.HodgesLehmannRankSum,
	MinP: stats.MinPRankSum, // the distance is largest where the rank sum is
	// This uses the asymptotic p-value exp(−r·D²), with D for normal differences that are small.
	// The largest distance of samples exceeds the distance of their distributions by about 0.4/√r.
	Reach: func(r int, level float64) float64 {
		return math.Sqrt(math.Pi/float64(r)) * (math.Sqrt(-math.Log(level)) - 0.4)
	},
}
