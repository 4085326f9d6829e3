package stats

import (
	"math"
	"slices"
)

// MaxExactSignedRank is the number of pairs above which SignedRank uses the normal form.
const MaxExactSignedRank = 200

// Score says how much differences count in SignedRank: it returns their doubled scores, from their
// sizes alone.
type Score func(sizes []float64) []int

// Ranks counts ranks in full (Wilcoxon).
func Ranks(sizes []float64) []int { return doubledMidranks(sizes) }

// A difference is far from the others if it is faraway times as large as the median size. If more
// than one in fewFar is, none is.
const (
	faraway = 5
	fewFar  = 4
)

// reach returns the size up to which differences count for CappedRanks.
func reach(sizes []float64) float64 {
	most, far := faraway*MedianFinite(sizes), 0
	for _, size := range sizes {
		if size > most {
			far++
		}
	}
	if fewFar*far > len(sizes) {
		return math.Inf(1)
	}
	return most
}

// CappedRanks counts a third of the ranks in full, and the larger two thirds alike: the few mpiruns
// that ran in another state of the machine have the largest differences, and weigh no more than
// others. What is far from the others does not count at all (docs/dev/statistics.md).
func CappedRanks(sizes []float64) []int {
	near, most := make([]float64, 0, len(sizes)), reach(sizes)
	for _, size := range sizes {
		if size <= most {
			near = append(near, size)
		}
	}
	ranks, largest := doubledMidranks(near), max(1, 2*len(near)/3)
	out := make([]int, len(sizes))
	for i, k := 0, 0; i < len(sizes); i++ {
		if sizes[i] <= most {
			out[i] = min(ranks[k], largest)
			k++
		}
	}
	return out
}

// SignedRank makes the signed-rank test of "x is slower than y" on paired differences. They are
// d = x − y, here of logarithms (LogRatios). Differences of 0 are dropped; the statistic is V, the
// sum of the scores (midranks of |d|) where d > 0. P is the exact probability
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
	scores := score(size)
	v := 0 // the sum of the doubled scores where d > 0
	for i := range scores {
		if d[i] > 0 {
			v += scores[i]
		}
	}
	out := TestResult{Statistic: float64(v) / 2, Largest: float64(sumInts(scores)) / 2, Exact: exact}
	if exact {
		out.P = min(1, math.Ldexp(sumFromTop(signCounts(scores)[v:]), -len(d)))
		return out
	}
	mean, variance := signMoments(scores)
	out.P = normalUpperTail(out.Statistic-mean, variance)
	return out
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

// LargestScore returns the largest score among n differences without ties.
func LargestScore(n int, score Score) float64 { return float64(slices.Max(untied(n, score))) / 2 }

// untied returns the doubled scores of n differences without ties.
func untied(n int, score Score) []int {
	sizes := make([]float64, n)
	for i := range sizes {
		sizes[i] = float64(i + 1)
	}
	return score(sizes)
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
