package stats

import (
	"cmp"
	"math"
	"slices"
	"sort"
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

// HodgesLehmannSignedRank returns the effect for SignedRank by Ranks: exp of the median of
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
	return effect(walsh(lx), int(quantileV(0.025, len(lx), Ranks))), nil
}

func walsh(d []float64) []float64 {
	out := make([]float64, 0, len(d)*(len(d)+1)/2)
	for i := range d {
		for _, other := range d[i:] {
			out = append(out, (d[i]+other)/2)
		}
	}
	return out
}

// CappedEffect returns the effect for SignedRank by CappedRanks. The limits enclose what the test
// does not reject (limit).
func CappedEffect(x, y []float64) (Effect, error) {
	d, err := LogRatios(x, y)
	if err != nil {
		return Effect{}, err
	}
	e, averages := CappedCentre(d), walsh(d)
	for i, w := range averages {
		averages[i] = math.Round(w*1e12) / 1e12
	}
	slices.Sort(averages)
	averages = slices.Compact(averages)
	known := map[string][]float64{}
	lo := limit(averages, d, e, known)
	slices.Reverse(averages)
	hi := -limit(negated(averages), negated(d), -e, known)
	return Effect{Ratio: math.Exp(e), Lo95: math.Exp(lo), Hi95: math.Exp(hi)}, nil
}

// CappedCentre returns the median of the Walsh averages of the differences that count for
// CappedRanks, seen from their median.
func CappedCentre(d []float64) float64 {
	middle := MedianFinite(d)
	sizes := make([]float64, len(d))
	for i := range d {
		sizes[i] = math.Abs(d[i] - middle)
	}
	var near []float64
	for most, i := reach(sizes), 0; i < len(d); i++ {
		if sizes[i] <= most {
			near = append(near, d[i])
		}
	}
	return WalshCentre(near)
}

// WalshCentre returns the median of the Walsh averages.
func WalshCentre(d []float64) float64 {
	averages := walsh(d)
	slices.Sort(averages)
	return MedianSorted(averages)
}

func negated(d []float64) []float64 {
	out := make([]float64, len(d))
	for i := range d {
		out[i] = -d[i]
	}
	return out
}

// limit returns the lower limit of d's centre: the first Walsh average down from an estimate just
// below which the test of "d is more than this" rejects at .025. Of more than 500 averages it asks at
// every second, third …, and then at those before. known is for tailAbove.
func limit(averages, d []float64, estimate float64, known map[string][]float64) float64 {
	const justBelow, few = 1e-10, 500
	low, step := max(0, sort.SearchFloat64s(averages, estimate+1e-12)-1), 1+len(averages)/few
	rejects := func(i int) bool { return tailAbove(d, averages[i]-justBelow, known) <= 0.025 }
	from := low
	for low > 0 && !rejects(low) {
		from, low = low-1, max(0, low-step)
	}
	for from > low && !rejects(from) {
		from--
	}
	return averages[from]
}

// tailAbove returns the capped test's P that d lies above a value, as SignedRank does. known holds
// null distributions by their scores, to save time.
func tailAbove(d []float64, value float64, known map[string][]float64) float64 {
	moved := make([]float64, 0, len(d))
	for _, x := range d {
		if x != value {
			moved = append(moved, x-value)
		}
	}
	if len(moved) > MaxExactSignedRank {
		return signedRankOf(moved, CappedRanks, false).P
	}
	slices.SortFunc(moved, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	near := len(moved)
	if near == 0 {
		return 1
	}
	for most := faraway * (math.Abs(moved[(near-1)/2]) + math.Abs(moved[near/2])) / 2; math.Abs(moved[near-1]) > most; {
		near--
	}
	if fewFar*(len(moved)-near) > len(moved) {
		near = len(moved)
	}
	v, scores := 0, make([]byte, near) // at most 2·200/3
	for i := 0; i < near; {
		j := i + 1
		for j < near && math.Abs(moved[j]) == math.Abs(moved[i]) {
			j++
		}
		score := min(i+1+j, max(1, 2*near/3))
		for ; i < j; i++ {
			if scores[i] = byte(score); moved[i] > 0 {
				v += score
			}
		}
	}
	counts, ok := known[string(scores)]
	if !ok {
		items := make([]int, near)
		for i, s := range scores {
			items[i] = int(s)
		}
		counts = signCounts(items)
		known[string(scores)] = counts
	}
	return math.Ldexp(sumFromTop(counts[v:]), -near)
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
