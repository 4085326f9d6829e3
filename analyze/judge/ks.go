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
	// By the asymptotic p-value at the observed distance: an even chance.
	SampleSize: func(x, y []float64, level float64) float64 {
		result, err := stats.KS(x, y)
		if err != nil || result.Statistic <= 0 {
			return math.Inf(1)
		}
		return -math.Log(level) / (result.Statistic * result.Statistic)
	},
}
