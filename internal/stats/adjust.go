package stats

import (
	"cmp"
	"fmt"
	"slices"
)

const (
	AdjustNone = "none"
	AdjustBH   = "bh"   // Benjamini and Hochberg 1995: bounds the false discovery rate
	AdjustHolm = "holm" // Holm 1979: bounds the probability of any false rejection
)

// Adjust returns the adjusted p-values of a whole family of tests, as R's p.adjust. They have the
// order of p. A p-value outside [0, 1] or an unknown method is an error.
func Adjust(p []float64, method string) ([]float64, error) {
	if err := checkP(p); err != nil {
		return nil, err
	}
	out, order, m := slices.Clone(p), ascending(p), float64(len(p))
	switch method {
	case AdjustNone:
	case AdjustBH: // the running minimum over descending p of m/k·p₍k₎
		running := 1.0
		for k, at := range slices.Backward(order) {
			running = min(running, m/float64(k+1)*p[at])
			out[at] = running
		}
	case AdjustHolm: // the running maximum over ascending p of (m−k+1)·p₍k₎, k = 1…m
		running := 0.0
		for k, at := range order {
			running = max(running, min(1, float64(len(p)-k)*p[at]))
			out[at] = running
		}
	default:
		return nil, fmt.Errorf("unknown adjustment %q (none, bh or holm)", method)
	}
	return out, nil
}

// Stars marks an adjusted p-value: ≤ .001 "***", ≤ .01 "**", ≤ .05 "*", else "".
func Stars(p float64) string {
	switch {
	case p <= 0.001:
		return "***"
	case p <= 0.01:
		return "**"
	case p <= 0.05:
		return "*"
	}
	return ""
}

func checkP(p []float64) error {
	if err := check(p); err != nil {
		return err
	}
	for _, v := range p {
		if v < 0 || v > 1 {
			return fmt.Errorf("p-value %v: %w", v, ErrRange)
		}
	}
	return nil
}

func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order
}
