package stats

import (
	"fmt"
	"sort"
)

// TukeyFactor is the usual distance of the fences from the quartiles, in
// interquartile ranges.
const TukeyFactor = 1.5

// Fences holds the quartiles (type 7) of a sample and its limits, in the sample's unit. The limits
// are Q1 − k·IQR and Q3 + k·IQR.
type Fences struct {
	Q1, Q3, Lo, Hi float64
}

// ZeroIQR tells whether the quartiles are equal (often because the clock ticks
// coarsely): the filter then removes everything but that one value.
func (f Fences) ZeroIQR() bool { return f.Q1 == f.Q3 }

// Tukey keeps the values from Lo to Hi, both included, in the sample's order
// (S-REVISITED §3.5). The factor k must be finite and not negative.
func Tukey(x []float64, k float64) (kept []float64, f Fences, err error) {
	if err := check(x); err != nil {
		return nil, f, err
	}
	if !(k >= 0) || !finite(k) {
		return nil, f, fmt.Errorf("factor %v of the Tukey filter: %w", k, ErrRange)
	}
	f = FencesSorted(sorted(x), k)
	for _, v := range x {
		if f.Lo <= v && v <= f.Hi {
			kept = append(kept, v)
		}
	}
	return kept, f, nil
}

// TukeySorted applies Tukey, without checks, to finite values in ascending order. It returns a part
// of x.
func TukeySorted(x []float64, k float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	f := FencesSorted(x, k)
	first := sort.SearchFloat64s(x, f.Lo)
	end := sort.Search(len(x), func(i int) bool { return x[i] > f.Hi })
	return x[first:end]
}

// FencesSorted returns the fences of values in ascending order, of which there must be one.
func FencesSorted(x []float64, k float64) Fences {
	q1, q3 := quantileSorted(x, 0.25), quantileSorted(x, 0.75)
	reach := float64(k * (q3 - q1))
	return Fences{Q1: q1, Q3: q3, Lo: q1 - reach, Hi: q3 + reach}
}
