package measure

import (
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/measure/results"
)

// Schedule returns R, and the looks, if any, with their weights; the last look is not an
// interim one. All of it is fixed before the start. The usual looks apply where neither mpiruns
// nor looks are given. Without look_weights three looks have the .2, .3 and .5 of
// docs/dev/statistics.md, any other number equal shares. max_mpiruns replaces the looks
// behind it, and has their weights.
func (c JobConfig) Schedule(usual []int, shares []float64) (r int, looks []int, weights []float64) {
	r = c.MPIRuns
	if r == 0 && len(c.Looks) == 0 {
		c.Looks, c.LookWeights = usual, shares
	}
	if n := len(c.Looks); n > 0 {
		r = c.Looks[n-1]
	}
	if c.MaxMPIRuns > 0 {
		r = min(r, c.MaxMPIRuns)
	}
	if len(c.Looks) == 0 {
		return r, nil, nil
	}
	given := c.LookWeights
	switch n := len(c.Looks); {
	case len(given) > 0:
	case n == 3:
		given = []float64{0.2, 0.3, 0.5}
	default:
		given = slices.Repeat([]float64{1 / float64(n)}, n)
	}
	rest := 0.0
	for i, at := range c.Looks {
		if at < r {
			looks, weights = append(looks, at), append(weights, given[i])
		} else {
			rest += given[i]
		}
	}
	return r, append(looks, r), append(weights, rest)
}

func (c JobConfig) validateLooks(errs *conf.FieldErrors) {
	for i, at := range c.Looks {
		errs.Check(at >= 1 && at <= results.MaxMPIRuns, "looks", "%d is no number of mpiruns from 1 to %d", at, results.MaxMPIRuns)
		errs.Check(i == 0 || at > c.Looks[i-1], "looks", "%d is not above the look before it; looks are in ascending order", at)
	}
	errs.Check(c.MaxMPIRuns >= 0, "max_mpiruns", "must be at least 0 (no limit), not %d", c.MaxMPIRuns)
	errs.Check(c.MaxTime >= 0, "max_time", "must be at least 0s (no limit)")
	if len(c.LookWeights) == 0 {
		return
	}
	errs.Check(len(c.LookWeights) == len(c.Looks), "look_weights", "%d weights for %d looks", len(c.LookWeights), len(c.Looks))
	sum := 0.0
	for _, w := range c.LookWeights {
		errs.Check(w > 0, "look_weights", "%v is no share of the error: it must be above 0", w)
		sum += w
	}
	errs.Check(sum <= 1+1e-9, "look_weights", "have the sum %v; more than 1 spends the error twice", sum)
}
