package judge

import (
	"math"

	"pgmpi/internal/stats"
)

// Signed-rank tests on the logarithms of paired ratios, which their effect and interval are
// of as well: TestSignedRank is Wilcoxon's, TestCappedRank what auto pairs mpiruns with.
const (
	TestSignedRank TestName = "signedrank"
	TestCappedRank TestName = "cappedrank"
)

var (
	signedRank = signed(TestSignedRank, "signed-rank", stats.Ranks)
	cappedRank = signed(TestCappedRank, "capped signed-rank", stats.CappedRanks)
)

func signed(name TestName, title string, score stats.Score) Test {
	return Test{
		Name: name, Symbol: "V", Paired: true,
		Title: func(r int) string {
			if r > stats.MaxExactSignedRank {
				return title + " (normal approximation)"
			}
			return "exact " + title
		},
		P: func(x, y []float64) (stats.TestResult, error) {
			d, err := stats.LogRatios(x, y)
			if err != nil {
				return stats.TestResult{}, err
			}
			return stats.SignedRank(d, score)
		},
		Effect:  stats.HodgesLehmannSignedRank,
		MinP:    func(m, n int) float64 { return stats.MinPSignedRank(min(m, n)) },
		Largest: func(x, y []float64) float64 { return stats.LargestV(len(x)-ZeroDifferences(x, y), score) },
		Reach:   func(r int, level float64) float64 { return reachV(r, level, score) },
	}
}

// reachV is the distance at which the expected V is the least that is significant. About
// their own mean, r differences spread a little less.
func reachV(r int, level float64, score stats.Score) float64 {
	least := stats.LeastV(r, level, score) - 0.5
	if r < 3 || least >= stats.LargestV(r, score) {
		return math.Inf(1)
	}
	low, high := 0.0, 10.0
	for range 30 {
		d := (low + high) / 2
		if expectedV(r, d/math.Sqrt(1-.5/float64(r)), float64(score(r))/2) < least {
			low = d
		} else {
			high = d
		}
	}
	return high
}

// expectedV is the expected V of r normal differences about d: of each above 0, the rank that
// its size has on average among the others, up to the largest score.
func expectedV(r int, d, most float64) (v float64) {
	const step = 0.05
	for x := step / 2; x < d+6; x += step {
		rank := 1 + float64(r-1)*(stats.NormalCDF(x-d)-stats.NormalCDF(-x-d))
		v += min(rank, most) * (stats.NormalCDF(x+step/2-d) - stats.NormalCDF(x-step/2-d))
	}
	return float64(r) * v
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
