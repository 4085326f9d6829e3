package clocks

import "time"

// These rates, ns in each ns, hold until drift has been seen. Offsets go wrong by the drift of two
// crystals of ±50 ppm against each other, lines by the error that a second of exchanges leaves in their
// slope.
const (
	offsetsDrift = 100e-6
	linesDrift   = 1e-6
)

// mostAge limits the age of a synchronisation: no clock is a line for ever (S-REVISITED §4.7 measured
// with linear models for up to 20 s).
const mostAge = 10 * time.Second

// Drift estimates how fast global clocks go wrong, and from that how long a
// synchronisation lasts.
type Drift struct {
	rate float64 // ns in each ns
	seen bool
	// Worst is the largest error that Renewed was told of, ns.
	Worst int64
}

// Renewed learns by how many ns, at most, the models were off when synchronised again after `age`. The
// value includes the errors of both synchronisations, so it is an overestimate.
func (d *Drift) Renewed(off int64, age time.Duration) {
	d.seen, d.rate = true, float64(off)/float64(max(1, age))
	d.Worst = max(d.Worst, off)
}

// Lasts returns the age at which a global clock may be off by `bound`. It assumes that clocks go wrong
// no more than twice as fast as they did, or, before that has been seen, as fast as models with or
// without slopes may. Synchronisations, which took `cost`, take at most a fifth of the time: where
// processes share cores, their errors look like drift.
func (d *Drift) Lasts(bound, cost time.Duration, lines bool) time.Duration {
	rate := 2 * d.rate
	if !d.seen {
		rate = offsetsDrift
		if lines {
			rate = linesDrift
		}
	}
	if float64(bound) >= rate*float64(mostAge) {
		return mostAge
	}
	return max(min(4*cost, mostAge), time.Duration(float64(bound)/rate))
}
