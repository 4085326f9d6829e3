package judge

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"

	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
)

// TestSignedRank is Wilcoxon's test on the logarithms of paired ratios; auto pairs mpiruns with
// TestCappedRank. Their effects come from the same logarithms.
const (
	TestSignedRank TestName = "signedrank"
	TestCappedRank TestName = "cappedrank"
)

var (
	signedRank = signed(TestSignedRank, "signed-rank", stats.Ranks, stats.HodgesLehmannSignedRank, stats.WalshCentre)
	cappedRank = signed(TestCappedRank, "capped signed-rank", stats.CappedRanks, stats.CappedEffect, stats.CappedCentre)
)

func signed(name TestName, title string, score stats.Score, effect func(x, y []float64) (stats.Effect, error), centre func(d []float64) float64) Test {
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
		Effect: effect, Centre: centre,
		MinP:  func(m, n int) float64 { return stats.MinPSignedRank(min(m, n)) },
		Reach: func(r int, level float64) float64 { return reachV(r, level, score) },
	}
}

// reachV returns the distance at which V is significant with an even chance. The scores of
// differences below 0, which V lacks of its largest value, have about a gamma distribution with
// this mean and variance.
func reachV(r int, level float64, score stats.Score) float64 {
	lacks := stats.LargestV(r, score) - stats.LeastV(r, level, score) + 0.5
	if r < 3 || lacks <= 0 {
		return math.Inf(1)
	}
	question := lackedAtMost{r, lacks, stats.LargestScore(r, score)}
	if known, ok := reached.Load(question); ok {
		return known.(float64)
	}
	reach := question.reach()
	reached.Store(question, reach)
	return reach
}

// lackedAtMost asks when V of r differences lacks so much of its largest value, with scores up to the largest.
type lackedAtMost struct {
	r           int
	lacks, most float64
}

// reached holds the answers: few levels lead to few values of V, and an outlook asks for hundreds of r.
var reached sync.Map

func (q lackedAtMost) reach() float64 {
	r, low, high := q.r, 0.0, 10.0
	for range 30 {
		d := (low + high) / 2
		// About their own mean, r differences spread a little less.
		mean, variance := lackedV(r, d/math.Sqrt(1-.5/float64(r)), q.most)
		if variance > 0 && mathext.GammaIncReg(mean*mean/variance, q.lacks*mean/variance) < 0.5 {
			low = d
		} else {
			high = d
		}
	}
	return high
}

// lackedV returns the mean and about the variance of the scores below 0. They come from r normal
// differences about d. Each counts the rank that its size has on average among the others, up to
// the largest score.
func lackedV(r int, d, most float64) (mean, variance float64) {
	const step = 0.05
	square, above := 0.0, stats.NormalCDF(-d)
	for x := step / 2; x < 6; x += step {
		rank := min(1+float64(r-1)*(stats.NormalCDF(x-d)-stats.NormalCDF(-x-d)), most)
		below := stats.NormalCDF(-x - step/2 - d)
		share := above - below
		mean, square, above = mean+rank*share, square+rank*rank*share, below
	}
	return float64(r) * mean, float64(r) * (square - mean*mean)
}

// ZeroDifferences counts the pairs that the signed-rank test drops because both sides are equal.
func ZeroDifferences(x, y []float64) int {
	d, _ := stats.LogRatios(x, y)
	return lists.Count(d, func(d float64) bool { return d == 0 })
}
