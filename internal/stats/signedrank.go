package stats

import (
	"math"
	"slices"
)

// MaxExactSignedRank is the number of pairs above which SignedRank uses the normal form.
const MaxExactSignedRank = 200

// SignedRank is the Wilcoxon signed-rank test of "x is slower than y" on the
// paired differences d = x − y, here of logarithms (LogRatios). Differences of 0
// are dropped; the statistic is V, the sum of the midranks of |d| where d > 0. P is the
// exact probability over all signs, conditional on the ties (1 if no difference is
// left); with more than 200 differences it is the normal approximation with
// continuity correction (R: exact = FALSE, correct = TRUE), and Exact is false.
func SignedRank(d []float64) (TestResult, error) {
	if err := check(d); err != nil {
		return TestResult{}, err
	}
	d = slices.DeleteFunc(slices.Clone(d), func(d float64) bool { return d == 0 })
	return signedRankOf(d, len(d) <= MaxExactSignedRank), nil
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

func signedRankOf(d []float64, exact bool) TestResult {
	size := make([]float64, len(d))
	for i := range d {
		size[i] = math.Abs(d[i])
	}
	ranks, tieSum := doubledMidranks(size)
	v := 0 // the sum of the doubled midranks where d > 0
	for i, r := range ranks {
		if d[i] > 0 {
			v += r
		}
	}
	statistic := float64(v) / 2
	if exact {
		p := math.Ldexp(sumFromTop(signCounts(ranks)[v:]), -len(d))
		return TestResult{P: min(p, 1), Statistic: statistic, Exact: true}
	}
	n := float64(len(d))
	return TestResult{P: normalUpperTail(statistic-n*(n+1)/4, n*(n+1)*(2*n+1)/24-tieSum/48), Statistic: statistic}
}

// MinPSignedRank returns the smallest P that SignedRank can attain with r differences
// other than 0: 2^−r, or 1 for r < 1.
func MinPSignedRank(r int) float64 { return math.Ldexp(1, -max(r, 0)) }

// LeastSignedRank returns the least V of n differences without ties whose P is at most the
// level; if no V is, more than the largest V.
func LeastSignedRank(n int, level float64) float64 {
	return float64(n*(n+1)/2 - quantileV(level, n) + 1)
}

// signCounts counts the subsets of the items by their sum, from 0 to the sum of all.
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

// quantileV is R's qsignrank(a, n): the smallest q with P(V ≤ q) ≥ a without ties.
func quantileV(a float64, n int) int {
	if n > MaxExactSignedRank {
		m := float64(n)
		return normalQuantile(a, m*(m+1)/4, m*(m+1)*(2*m+1)/24)
	}
	items := make([]int, n)
	for i := range items {
		items[i] = i + 1
	}
	counts := signCounts(items)
	slices.Reverse(counts)
	return quantileFromTop(counts, a, math.Ldexp(1, n))
}
