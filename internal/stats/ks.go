package stats

import "slices"

// KS makes the two-sample Kolmogorov–Smirnov test of "x is slower than y" (R and scipy: alternative
// = "less"). The statistic is D⁻ = max over t of F_y(t) − F_x(t); P is the exact probability of at
// least this D⁻, conditional on the ties.
func KS(x, y []float64) (TestResult, error) {
	if err := check(x, y); err != nil {
		return TestResult{}, err
	}
	xs, ys := sorted(x), sorted(y)
	m, n := len(xs), len(ys)
	pool := sorted(slices.Concat(xs, ys))
	ends := make([]bool, len(pool)+1) // ends[s]: the s-th value of the pool is the last of its equals
	most, i, j := 0, 0, 0             // most: largest j·m − i·n at such an end, which is m·n·D⁻, never negative
	for s, v := range pool {
		if s+1 < len(pool) && pool[s+1] == v {
			continue
		}
		ends[s+1] = true
		for i < m && xs[i] <= v {
			i++
		}
		for j < n && ys[j] <= v {
			j++
		}
		most = max(most, j*m-i*n)
	}
	return TestResult{P: reaching(most, m, n, ends), Statistic: float64(most) / float64(m*n), Largest: 1, Exact: true}, nil
}

// reaching returns the share of all lattice paths that reach `most` at some end. They lead over
// (values of x read, values of y read) from (0, 0) to (m, n). A path that reaches (i, j) came from
// (i−1, j) with probability i/(i+j): shares instead of counts cannot overflow, and nothing is
// subtracted.
func reaching(most, m, n int, ends []bool) float64 {
	hit := make([]float64, n+1) // hit[j]: of the paths to (i, j)
	for i := 0; i <= m; i++ {
		for j := 0; j <= n; j++ {
			s := i + j
			switch {
			case ends[s] && j*m-i*n >= most:
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
	return hit[n]
}
