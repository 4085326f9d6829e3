package stats

import (
	"math"
	"slices"
)

// Effect says how many times slower x is than y. The limits come from the exact null
// distributions without ties, so they belong to the corresponding test; with few values
// they cover less than 95 %.
type Effect struct {
	Ratio      float64 // Hodges–Lehmann estimate on the log scale
	Lo95, Hi95 float64 // two-sided 95 % interval
}

// HodgesLehmannRankSum returns the effect for RankSum: exp of the median of all
// ln x_i − ln y_j. The limits are the q-th difference from either end, q = max(1, qwilcox(.025)).
// Values must be positive.
func HodgesLehmannRankSum(x, y []float64) (Effect, error) {
	lx, ly, err := logs(x, y)
	if err != nil {
		return Effect{}, err
	}
	d := make([]float64, 0, len(lx)*len(ly))
	for _, a := range lx {
		for _, b := range ly {
			d = append(d, a-b)
		}
	}
	return effect(d, quantileU(0.025, len(x), len(y))), nil
}

// HodgesLehmannSignedRank returns the effect for SignedRank: exp of the median of
// the Walsh averages (l_i + l_j)/2, i ≤ j, of l = ln x − ln y. The limits are the q-th
// average from either end, q = max(1, qsignrank(.025)). Values must be positive pairs.
func HodgesLehmannSignedRank(x, y []float64) (Effect, error) {
	if err := checkPaired(x, y); err != nil {
		return Effect{}, err
	}
	lx, ly, err := logs(x, y)
	if err != nil {
		return Effect{}, err
	}
	for i := range lx {
		lx[i] -= ly[i]
	}
	n := len(lx)
	walsh := make([]float64, 0, n*(n+1)/2)
	for i := range lx {
		for j := i; j < n; j++ {
			walsh = append(walsh, (lx[i]+lx[j])/2)
		}
	}
	return effect(walsh, int(quantileV(0.025, n, Ranks))), nil
}

// effect sorts d, log ratios, and reads the estimate and the q-th values off.
func effect(d []float64, q int) Effect {
	slices.Sort(d)
	q = max(1, q)
	return Effect{
		Ratio: math.Exp(MedianSorted(d)),
		Lo95:  math.Exp(d[q-1]),
		Hi95:  math.Exp(d[len(d)-q]),
	}
}

func logs(x, y []float64) (lx, ly []float64, err error) {
	if err := check(x, y); err != nil {
		return nil, nil, err
	}
	if slices.Min(x) <= 0 || slices.Min(y) <= 0 {
		return nil, nil, ErrNotPositive
	}
	return Logs(x), Logs(y), nil
}

func Logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v)
	}
	return out
}
