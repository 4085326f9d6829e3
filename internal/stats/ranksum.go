package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// MaxExactRankSum is the sample size above which RankSum uses the normal form.
const MaxExactRankSum = 50

// RankSum makes the Wilcoxon rank-sum test of "x is slower than y". The statistic is
// U = #(x>y) + ½#(x=y), R's W. P is the exact probability over all splits of the pooled midranks,
// conditional on the ties; with more than 50 values in a sample it comes from RankSumNormal and
// Exact is false.
func RankSum(x, y []float64) (TestResult, error) {
	return rankSum(x, y, false, false)
}

// RankSumNormal makes RankSum's test by the normal approximation with continuity correction (R:
// exact = FALSE, correct = TRUE), the test of S-PGMPI §4.3. P is 1 if all values are equal.
func RankSumNormal(x, y []float64) (TestResult, error) { return rankSum(x, y, false, true) }

// RankSumFastest makes RankSum's test with all upper ranks made equal to the middle one (Gastwirth,
// JASA 60, 1965, percentile modified ranks): for values that have the same slow tail.
func RankSumFastest(x, y []float64) (TestResult, error) {
	return rankSum(x, y, true, false)
}

func rankSum(x, y []float64, fastest, normal bool) (TestResult, error) {
	if err := check(x, y); err != nil {
		return TestResult{}, err
	}
	ranks := doubledMidranks(slices.Concat(x, y))
	if fastest {
		for i, r := range ranks {
			ranks[i] = min(r, len(ranks)+1)
		}
	}
	m, all := float64(len(x)), float64(len(ranks))
	sum := float64(sumInts(ranks[:len(x)])) / 2
	result := TestResult{Statistic: sum - m*(m+1)/2, Largest: m * (all - m), Exact: !normal && max(len(x), len(y)) <= MaxExactRankSum}
	if result.Exact {
		result.P = rankSumExactP(ranks, len(x))
		return result, nil
	}
	mean, squares := float64(sumInts(ranks))/2/all, 0.0
	for _, r := range ranks {
		squares += (float64(r)/2 - mean) * (float64(r)/2 - mean)
	}
	result.P = normalUpperTail(sum-m*mean, m*(all-m)/(all*(all-1))*squares)
	return result, nil
}

// MinPRankSum returns the smallest P of RankSum, and KS, for m and n values: 1/C(m+n, m), or 1 if
// one sample is empty.
func MinPRankSum(m, n int) float64 {
	if m < 1 || n < 1 {
		return 1
	}
	return 1 / binomial(m+n, m)
}

// LeastRankSum returns the least U with a P of at most the level. Its two samples have n values
// without ties. If no U has such a P, it returns more than the largest U.
func LeastRankSum(n int, level float64) float64 {
	return float64(n*n - quantileU(level, n, n) + 1)
}

// MinPRankSumNormal returns the smallest P of RankSumNormal for m and n values without ties.
func MinPRankSumNormal(m, n int) float64 {
	a, b := float64(m), float64(n)
	return normalUpperTail(a*b/2, a*b/12*(a+b+1))
}

// normalUpperTail returns P(Z ≥ deviation − ½) with the given variance, or 1 for a variance of 0.
func normalUpperTail(deviation, variance float64) float64 {
	if !(variance > 0) {
		return 1
	}
	z := (deviation - 0.5) / math.Sqrt(variance)
	return math.Erfc(z/math.Sqrt2) / 2
}

// rankSumExactP returns the share of choices of m ranks that reach the first m's sum.
func rankSumExactP(ranks []int, m int) float64 {
	least := slices.Min(ranks)
	step := 0 // without ties all distances are even: halve the table
	for _, r := range ranks {
		step = gcd(r-least, step)
	}
	if step == 0 {
		return 1
	}
	items := make([]int, len(ranks))
	for i, r := range ranks {
		items[i] = (r - least) / step
	}
	observed := sumInts(items[:m])
	slices.Sort(items)
	p := sumFromTop(choiceCounts(items, m, observed)) / binomial(len(items), m)
	return min(p, 1)
}

// choiceCounts counts the ways to choose m of the items, by their sum. The sums go from `least` (or
// the smallest possible, if that is more) to the largest possible. Items are ascending and not
// negative. Counts are float64: they are sums of positive numbers, so the relative error stays near
// len(items)·2⁻⁵³.
func choiceCounts(items []int, m, least int) []float64 {
	n := len(items)
	low := make([]int, n+1) // low[k]: the sum of the k smallest
	top := make([]int, n+1) // top[k]: the sum of the k largest
	for k := range n {
		low[k+1] = low[k] + items[k]
		top[k+1] = top[k] + items[n-1-k]
	}
	if least > top[m] {
		return nil
	}
	// counts[k][s−from[k]]: smaller sums cannot reach least with m−k items more.
	from := make([]int, m+1)
	counts := make([][]float64, m+1)
	for k := range counts {
		from[k] = max(low[k], least-top[m-k])
		counts[k] = make([]float64, max(0, top[k]-from[k]+1))
	}
	counts[0][0] = 1
	for t, v := range items {
		for k := min(t+1, m); k >= max(1, m-(n-1-t)); k-- {
			first := max(from[k-1], from[k]-v)
			last := low[t] - low[t-(k-1)] // the k−1 largest of the t before
			if first > last {
				continue
			}
			src := counts[k-1][first-from[k-1] : last-from[k-1]+1]
			dst := counts[k][first+v-from[k]:][:len(src)]
			for i, c := range src {
				dst[i] += c
			}
		}
	}
	return counts[m]
}

// quantileU returns R's qwilcox(a, m, n) for a ≤ ½: the smallest q with P(U ≤ q) ≥ a without ties.
func quantileU(a float64, m, n int) int {
	middle := float64(m) * float64(n) / 2
	if max(m, n) > MaxExactRankSum {
		variance := middle * float64(m+n+1) / 6
		return normalQuantile(a, middle, variance)
	}
	items := make([]int, m+n)
	for i := range items {
		items[i] = i
	}
	// Half of the distribution holds every quantile up to ½.
	least := m*(m-1)/2 + m*n/2
	return quantileFromTop(choiceCounts(items, m, least), a, binomial(m+n, m))
}

// normalQuantile returns the smallest integer q ≥ 0 with Φ((q + ½ − mean)/sd) ≥ a.
func normalQuantile(a, mean, variance float64) int {
	z := mathext.NormalQuantile(a)
	return max(0, int(math.Ceil(mean-0.5+z*math.Sqrt(variance))))
}

// binomial returns C(n, k) as a float64: exact below 2⁵³, and +Inf if it is too large.
func binomial(n, k int) float64 {
	k = min(k, n-k)
	c := 1.0
	for i := 1; i <= k; i++ {
		c = c * float64(n-k+i) / float64(i)
	}
	return c
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func sumInts(v []int) int {
	total := 0
	for _, n := range v {
		total += n
	}
	return total
}
