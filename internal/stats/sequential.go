package stats

import (
	"errors"
	"fmt"
)

// SequentialP returns the p-value of a test after several looks at growing data:
// min(1, min over j of p[j]/weights[j]), where p[j] is the p-value at look j with all data so
// far, and weights[j] the share of the error given to look j in advance. It never grows from
// look to look, and is adjusted over the family like any p-value. Weights are positive with a
// sum of at most 1; there may be more than looks.
func SequentialP(p, weights []float64) (float64, error) {
	if err := errors.Join(checkP(p), check(weights)); err != nil {
		return 0, err
	}
	if len(weights) < len(p) {
		return 0, fmt.Errorf("%d weights for %d looks: %w", len(weights), len(p), ErrLengths)
	}
	sum := 0.0
	for _, w := range weights {
		if w <= 0 {
			return 0, fmt.Errorf("weight %v: %w", w, ErrRange)
		}
		sum += w
	}
	if sum > 1+1e-9 {
		return 0, fmt.Errorf("sum %v of the weights: %w", sum, ErrRange)
	}
	least := 1.0
	for j := range p {
		least = min(least, p[j]/weights[j])
	}
	return least, nil
}
