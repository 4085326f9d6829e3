package stats

import (
	"math"
	"slices"
)

// MaxExactSignedRank is the number of pairs above which SignedRank uses the normal form.
const MaxExactSignedRank = 200

// Score says how much a difference counts in SignedRank. It gives the largest doubled score among
// n.
type Score func(n int) int

// Ranks counts ranks in full (Wilcoxon). CappedRanks counts a third of the ranks in full, and the
// larger two thirds alike: the few mpiruns that ran in another state of the machine have the
// largest differences, and weigh no more than others (docs/dev/statistics.md).
func Ranks(n int) int       { return 2 * n }
func CappedRanks(n int) int { return max(1, 2*n/3) }

// SignedRank makes the signed-rank test of "x is slower than y" on paired differences. They are
// d = x − y, here of logarithms (LogRatios). Differences of 0 are dropped; the statistic is V, the
// sum of the scores (the midranks of |d|, up to the largest) where d > 0. P is the exact probability
// over all signs, conditional on the ties (1 if no difference is left); with more than 200
// differences it is the normal approximation with continuity correction (R: exact = FALSE,
// correct = TRUE), and Exact is false.
func SignedRank(d []float64, score Score) (TestResult, error) {
	if err := check(d); err != nil {
		return TestResult{}, err
	}
	d = slices.DeleteFunc(slices.Clone(d), func(d float64) bool { return d == 0 })
	return signedRankOf(d, score, len(d) <= MaxExactSignedRank), nil
}

// LogRatios returns ln x_i − ln y_i of pairs of positive values, rounded to 12
// decimals: equal ratios of different values are ties, though their logarithms
// differ in the last digit.
func LogRatios(x, y []float64) ([]float64, error) {
	if err := checkPaired(x, y); err != nil {
		return nil, err
	}
	d, ly, err := logs(x, y)
	for i := range d {
		d[i] = math.Round((d[i]-ly[i])*1e12) / 1e12
	}
	return d, err
}

func signedRankOf(d []float64, score Score, exact bool) TestResult {
	size := make([]float64, len(d))
	for i := range d {
		size[i] = math.Abs(d[i])
	}
	scores := doubledMidranks(size)
	v := 0 // the sum of the doubled scores where d > 0
	for i := range scores {
		scores[i] = min(scores[i], score(len(d)))
		if d[i] > 0 {
			v += scores[i]
		}
	}
	statistic := float64(v) / 2
	if exact {
		p := math.Ldexp(sumFromTop(signCounts(scores)[v:]), -len(d))
		return TestResult{P: min(p, 1), Statistic: statistic, Exact: true}
	}
	mean, variance := signMoments(scores)
	return TestResult{P: normalUpperTail(statistic-mean, variance), Statistic: statistic}
}

func signMoments(scores []int) (mean, variance float64) {
	for _, s := range scores {
		mean += float64(s) / 4
		variance += float64(s*s) / 16
	}
	return mean, variance
}

// LargestV returns the largest V of n differences without ties.
func LargestV(n int, score Score) float64 { return float64(sumInts(untied(n, score))) / 2 }

// untied returns the doubled scores of n differences without ties.
func untied(n int, score Score) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = min(2*(i+1), score(n))
	}
	return items
}

// MinPSignedRank returns the smallest P that SignedRank can attain with r differences
// other than 0: 2^−r, or 1 for r < 1.
func MinPSignedRank(r int) float64 { return math.Ldexp(1, -max(r, 0)) }

// LeastV returns the least V with a P of at most the level. The n differences have no ties. If no V
// has such a P, it returns more than the largest V.
func LeastV(n int, level float64, score Score) float64 {
	return LargestV(n, score) - quantileV(level, n, score) + 1
}

// signCounts counts the subsets of the items by sum, from 0 to the total.
func signCounts(items []int) []float64 {
	counts := make([]float64, sumInts(items)+1)
	counts[0] = 1
	reached := 0
	for _, v := range items {
		for s := reached; s >= 0; s-- {
			counts[s+v] += counts[s]
		}
		reached += v
	}
	return counts
}

// quantileV returns R's qsignrank(a, n), by Ranks: the smallest q with P(V ≤ q) ≥ a without ties.
func quantileV(a float64, n int, score Score) float64 {
	items := untied(n, score)
	if n > MaxExactSignedRank {
		mean, variance := signMoments(items)
		return float64(normalQuantile(a, mean, variance))
	}
	counts := signCounts(items)
	slices.Reverse(counts)
	return float64(quantileFromTop(counts, a, math.Ldexp(1, n))) / 2
}
