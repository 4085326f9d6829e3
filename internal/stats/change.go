package stats

import "math"

// Changed finds the stretch y[from:to] whose mean differs from the rest's by more than chance. It
// also differs by at least a given step. The stretch has the largest Student's t of the stretches
// with which y begins, or of those within it. At least `least` values lie before, in and after a
// stretch, nearer to its mean or to the rest's, so that a few odd values make no stretch. p is the
// two-sided p-value, times the stretches of that kind, times both kinds, for independent values
// with one normal distribution; it is 1 without a stretch.
func Changed(y []float64, least int, step float64) (from, to int, p float64) {
	from, to, p, _ = changed(y, least, step)
	return from, to, p
}

// grid is how many places a search tries first. In a longer series they are equally far apart, and around the
// best stretch all places follow, so that the work grows with the series and not with its square.
const grid = 200

func changed(y []float64, least int, step float64) (from, to int, p float64, looked int) {
	n := len(y)
	s := search{y: y, least: least, step: step, sums: make([]float64, n+1)}
	for i, v := range y {
		s.sums[i+1] = s.sums[i] + v
		s.squares += v * v
	}
	p = 1
	within := float64(max(0, n-3*least+1))
	by := max(1, (n+grid-1)/grid)
	for _, kind := range []struct {
		first, last int
		stretches   float64
	}{{0, 0, float64(n - 2*least + 1)}, {least, n - 2*least, within * (within + 1) / 2}} {
		s.most = 0
		s.look(kind.first, kind.last, least, n-least, by)
		if at := s.at; by > 1 && s.most > 0 {
			s.look(max(kind.first, at[0]-by), min(kind.last, at[0]+by), at[1]-by, min(n-least, at[1]+by), 1)
		}
		if s.most == 0 {
			continue
		}
		if chance := 2 * 2 * kind.stretches * studentTail(min(s.most, math.MaxFloat32), n-2); chance < p {
			from, to, p = s.at[0], s.at[1], chance
		}
	}
	return from, to, p, s.looked
}

// search holds the best stretch y[at[0]:at[1]] that has been looked at, with Student's t of it.
type search struct {
	y       []float64
	least   int
	step    float64
	sums    []float64 // of the values before each place
	squares float64
	most    float64
	at      [2]int
	looked  int
}

// look tries the stretches that begin and end between these places, every by-th of them.
func (s *search) look(firstStart, lastStart, firstEnd, lastEnd, by int) {
	n := len(s.y)
	for i := firstStart; i <= lastStart; i += by {
		for k := max(firstEnd, i+s.least); k <= lastEnd; k += by {
			s.looked++
			in, out := float64(k-i), float64(n-k+i)
			mean, rest := (s.sums[k]-s.sums[i])/in, (s.sums[n]-s.sums[k]+s.sums[i])/out
			within := max(0, s.squares-in*mean*mean-out*rest*rest) / float64(n-2)
			distance := math.Abs(mean - rest)
			if t := distance / math.Sqrt(within*(1/in+1/out)); distance >= s.step && t > s.most &&
				near(s.y[:i], rest, mean) >= min(i, s.least) && near(s.y[i:k], mean, rest) >= s.least && near(s.y[k:], rest, mean) >= s.least {
				s.most, s.at = t, [2]int{i, k}
			}
		}
	}
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
