package stats

import "slices"

// TestResult holds the outcome of a one-sided test of "x is slower than y".
type TestResult struct {
	P         float64 // probability of a statistic at least this large without a difference
	Statistic float64 // U, V or D of the test
	Largest   float64 // the largest statistic; of V, with these sizes of the differences
	Exact     bool    // whether P is no approximation
}

// doubledMidranks returns 2·midrank of every value, an integer.
func doubledMidranks(x []float64) []int {
	order := ascending(x)
	ranks := make([]int, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			ranks[at] = i + j + 1
		}
		i = j
	}
	return ranks
}

// sumFromTop adds the counts of the largest sums first: they are the smallest
// counts, so the addition loses least.
func sumFromTop(counts []float64) float64 {
	total := 0.0
	for _, c := range slices.Backward(counts) {
		total += c
	}
	return total
}

// quantileFromTop returns the smallest q with (the q+1 topmost counts) ≥ a·total. For
// the symmetric null distributions this is the lower a-quantile of the statistic.
func quantileFromTop(counts []float64, a, total float64) int {
	const slack = 1e-12 // a·total may be an integer that rounding has moved up
	sum := 0.0
	for q := range counts {
		sum += counts[len(counts)-1-q]
		if sum >= a*total*(1-slack) {
			return q
		}
	}
	return len(counts)
}
