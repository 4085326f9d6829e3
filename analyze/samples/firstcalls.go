package samples

import (
	"pgmpi/analyze"
	"pgmpi/internal/stats"
)

// CallTimes are quartiles over the mpiruns of what the calls From to To take, in seconds: of their
// median in each. Counts are medians over the mpiruns and these calls, by counter of the Fingerprint.
type CallTimes struct {
	From    int        `json:"from"` // from 1
	To      int        `json:"to"`
	Q1S     float64    `json:"q1_s"`
	MedianS float64    `json:"median_s"`
	Q3S     float64    `json:"q3_s"`
	Counts  []*float64 `json:"counts"`
}

// AddFirstCalls describes samples that begin with the first call of a process (S-PGMPI §5.2), by stretches that double.
func (f *Fingerprint) AddFirstCalls() error {
	n := 0
	for _, r := range f.Runs {
		n = max(n, len(r.NS))
	}
	for from := 1; from <= n; {
		to := min(n, max(from, 2*(from-1)))
		c := CallTimes{From: from, To: to, Counts: []*float64{}}
		if times := f.callsOf(from, to); len(times) > 0 {
			for i, into := range []*float64{&c.Q1S, &c.MedianS, &c.Q3S} {
				q, err := stats.Quantile(times, float64(i+1)/4)
				if err != nil {
					return err
				}
				*into = q / 1e9
			}
			for _, k := range f.Counters {
				c.Counts = append(c.Counts, k.middle(from, to))
			}
			f.FirstCalls = append(f.FirstCalls, c)
		}
		from = to + 1
	}
	return nil
}

// callsOf are the medians of the valid samples of some calls, by mpirun that has any, ns.
func (f *Fingerprint) callsOf(from, to int) (out []float64) {
	for _, r := range f.Runs {
		var valid []float64
		for i := from - 1; i < min(to, len(r.NS)); i++ {
			if r.Of[i] != "" {
				valid = append(valid, float64(r.NS[i]))
			}
		}
		if len(valid) > 0 {
			out = append(out, stats.MedianFinite(valid))
		}
	}
	return out
}

// middle is the median count of some calls over the mpiruns, null where they have none.
func (c *CounterTimes) middle(from, to int) *float64 {
	var all []float64
	for _, r := range c.Runs {
		for _, n := range r.N[min(from-1, len(r.N)):min(to, len(r.N))] {
			all = append(all, float64(n))
		}
	}
	return analyze.Number(stats.MedianFinite(all))
}
