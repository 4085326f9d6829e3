package judge

import (
	"fmt"
	"math"

	"pgmpi/internal/stats"
)

// Schedule says after how many mpiruns a check looks at its data, and what share
// of the error each look may spend. It is fixed before the start.
type Schedule struct {
	Looks   []int     // ascending; the last is R
	Weights []float64 // positive, with a sum of at most 1
}

func Once(r int) Schedule { return Schedule{[]int{r}, []float64{1}} }

// The usual schedule, chosen by simulation (docs/dev/statistics.md).
const (
	screenAt = 10 // mpiruns of the first look, which measure everything
	pairedAt = 16 // of the second, at least
	moreR    = 8  // that the last look has in addition
	alone    = 10 // where there is one look
)

// pairingReserve is how much smaller than a lone violation needs the smallest
// p-value of the paired test should be: without a reserve, one disturbed mpirun
// hides a violation.
const pairingReserve = 8

// Pairing is the least number of mpiruns with which the paired test finds a lone
// violation among m tests although some mpirun is disturbed.
func Pairing(alpha float64, m int) int {
	return int(math.Ceil(math.Log2(pairingReserve * float64(max(1, m)) / alpha)))
}

// Usual is the Schedule of m tests unless one is asked for. A method that does not plan looks once.
func Usual(cfg Config, m int) Schedule {
	if !cfg.Method.Rules().Plans {
		return Once(alone)
	}
	second := max(pairedAt, Pairing(cfg.Alpha, m))
	return Schedule{[]int{screenAt, second, second + moreR}, []float64{.5, .25, .25}}
}

func (s Schedule) R() int { return s.Looks[len(s.Looks)-1] }

// Several tells whether the error is spent in parts.
func (s Schedule) Several() bool { return len(s.Looks) > 1 || s.Weights[0] < 1-1e-9 }

// After is the last look that n mpiruns suffice for, by index; -1: none.
func (s Schedule) After(n int) int {
	k := -1
	for k+1 < len(s.Looks) && s.Looks[k+1] <= n {
		k++
	}
	return k
}

// Check refuses looks that lead nowhere in at most r mpiruns.
func (s Schedule) Check(r int) error {
	if len(s.Looks) != len(s.Weights) {
		return fmt.Errorf("%d looks with %d weights", len(s.Looks), len(s.Weights))
	}
	if len(s.Looks) > 0 {
		if _, err := stats.SequentialP([]float64{1}, s.Weights); err != nil {
			return fmt.Errorf("look_weights: %w", err)
		}
	}
	for i, at := range s.Looks {
		if at < 1 || at > r || (i > 0 && at <= s.Looks[i-1]) {
			return fmt.Errorf("the looks %v are not ascending numbers of mpiruns up to %d", s.Looks, r)
		}
	}
	return nil
}
