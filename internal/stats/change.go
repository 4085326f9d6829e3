package stats

import "math"

// Changed finds the stretch y[from:to] whose mean differs from the rest's by more than chance. It
// also differs by at least a given step. The stretch has the largest Student's t of the stretches
// with which y begins, or of those within it. At least `least` values lie before, in and after a
// stretch, nearer to its mean or to the rest's, so that a few odd values make no stretch. p is the
// two-sided p-value, times the stretches of that kind, times both kinds, for independent values
// with one normal distribution; it is 1 without a stretch.
func Changed(y []float64, least int, step float64) (from, to int, p float64) {
	n := len(y)
	sums, squares := make([]float64, n+1), 0.0
	for i, v := range y {
		sums[i+1] = sums[i] + v
		squares += v * v
	}
	p = 1
	for _, starts := range [][2]int{{0, 1}, {least, n - 2*least + 1}} {
		stretches, most := 0.0, 0.0
		var at [2]int
		for i := starts[0]; i < starts[1]; i++ {
			for k := i + least; k <= n-least; k++ {
				stretches++
				in, out := float64(k-i), float64(n-k+i)
				mean, rest := (sums[k]-sums[i])/in, (sums[n]-sums[k]+sums[i])/out
				within := max(0, squares-in*mean*mean-out*rest*rest) / float64(n-2)
				distance := math.Abs(mean - rest)
				if t := distance / math.Sqrt(within*(1/in+1/out)); distance >= step && t > most &&
					near(y[:i], rest, mean) >= min(i, least) && near(y[i:k], mean, rest) >= least && near(y[k:], rest, mean) >= least {
					most, at = t, [2]int{i, k}
				}
			}
		}
		if most == 0 {
			continue
		}
		if chance := 2 * 2 * stretches * studentTail(min(most, math.MaxFloat32), n-2); chance < p {
			from, to, p = at[0], at[1], chance
		}
	}
	return from, to, p
}

func near(y []float64, mean, other float64) (n int) {
	for _, v := range y {
		if math.Abs(v-mean) < math.Abs(v-other) {
			n++
		}
	}
	return n
}

// ChangedWithin returns the first and last place at which a series may have changed. It changed
// once, probably before y[at]. They are 95 % limits by the likelihood ratio for a step of any size
// (its maximum on either side of the true place is exponentially distributed, Yao 1987).
func ChangedWithin(y []float64, at int) (first, last int) {
	squares := func(k int) float64 {
		_, before := moments(y[:k])
		_, after := moments(y[k:])
		return before + after
	}
	least := squares(at)
	most := least * (1 - 2*math.Log(1-math.Sqrt(.95))/float64(len(y)-2))
	first, last = at, at
	for k := 1; k < len(y); k++ {
		if squares(k) <= most {
			first, last = min(first, k), max(last, k)
		}
	}
	return first, last
}
