package stats

import "slices"

// KS is the two-sample Kolmogorov–Smirnov test of "x is slower than y" (R and
// scipy: alternative = "less"). The statistic is D⁻ = max over t of F_y(t) − F_x(t); P is
// the exact probability of at least this D⁻, conditional on the ties.
func KS(x, y []float64) (TestResult, error) {
	w, err := newWalk(x, y)
	if err != nil {
		return TestResult{}, err
	}
	return TestResult{P: w.exactP(), Statistic: w.distance(), Exact: true, Ties: w.ties}, nil
}

// walk is the pooled sample read in ascending order, as a path on the lattice of
// (values of x read, values of y read).
type walk struct {
	m, n int
	ends []bool // ends[s]: the s-th value read is the last of its equals
	ties bool
	max  int // largest j·m − i·n at such an end: m·n·D⁻, never negative
}

func newWalk(x, y []float64) (walk, error) {
	if err := check(x, y); err != nil {
		return walk{}, err
	}
	xs, ys := sorted(x), sorted(y)
	pool := sorted(slices.Concat(xs, ys))
	w := walk{m: len(xs), n: len(ys), ends: make([]bool, len(pool)+1)}
	i, j := 0, 0
	for s, v := range pool {
		if s+1 < len(pool) && pool[s+1] == v {
			w.ties = true
			continue
		}
		w.ends[s+1] = true
		for i < w.m && xs[i] <= v {
			i++
		}
		for j < w.n && ys[j] <= v {
			j++
		}
		w.max = max(w.max, j*w.m-i*w.n)
	}
	return w, nil
}

func (w walk) distance() float64 { return float64(w.max) / float64(w.m*w.n) }

// exactP is the share of all paths to (m, n) that reach w.max at some end. A path
// that reaches (i, j) came from (i−1, j) with probability i/(i+j): shares instead of
// counts cannot overflow, and nothing is subtracted.
func (w walk) exactP() float64 {
	hit := make([]float64, w.n+1) // hit[j]: of the paths to (i, j)
	for i := 0; i <= w.m; i++ {
		for j := 0; j <= w.n; j++ {
			s := i + j
			switch {
			case w.ends[s] && j*w.m-i*w.n >= w.max:
				hit[j] = 1
			case s > 0:
				share := float64(i) * hit[j]
				if j > 0 {
					share += float64(j) * hit[j-1]
				}
				hit[j] = share / float64(s)
			}
		}
	}
	return hit[w.n]
}
