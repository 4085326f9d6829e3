package judge

import (
	"math"

	"pgmpi/internal/stats"
)

// TestKS is the two-sample Kolmogorov-Smirnov test.
const TestKS TestName = "ks"

var ks = Test{
	Name: TestKS, Title: always("exact Kolmogorov-Smirnov"), Symbol: "D",
	P: stats.KS, Effect: stats.HodgesLehmannRankSum,
	MinP:    stats.MinPRankSum, // the distance is largest where the rank sum is
	Largest: func(_, _ []float64) float64 { return 1 },
	// By the asymptotic p-value exp(−r·D²), with D for normal differences that are small.
	// The largest distance of samples exceeds the distance of their distributions by about 0.4/√r.
	Reach: func(r int, level float64) float64 {
		return math.Sqrt(math.Pi/float64(r)) * (math.Sqrt(-math.Log(level)) - 0.4)
	},
}
