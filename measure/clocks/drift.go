package clocks

import "time"

// How fast a global clock goes wrong, ns in each ns, as long as this has not
// been seen: offsets by the drift of two crystals of ±50 ppm against each other; lines by
// the error that a second of exchanges leaves in their slope.
const (
	offsetsDrift = 100e-6
	linesDrift   = 1e-6
)

// mostAge of a synchronisation: no clock is a line for ever (S-REVISITED §4.7
// measured with linear models for up to 20 s).
const mostAge = 10 * time.Second

// Drift estimates how fast global clocks go wrong, and from that how long a
// synchronisation lasts.
type Drift struct {
	rate float64 // ns in each ns
	seen bool
	// Worst is the largest error that Renewed was told of, ns.
	Worst int64
}

// Renewed takes in that, at a further synchronisation after `age`, the models before it
// were off by up to this many ns. The value includes the errors of both synchronisations, so
// it is an overestimate.
func (d *Drift) Renewed(off int64, age time.Duration) {
	d.seen, d.rate = true, float64(off)/float64(max(1, age))
	d.Worst = max(d.Worst, off)
}

// Lasts returns how old a synchronisation may become before a global clock is off
// by more than `bound`, if clocks go wrong no more than twice as fast as they
// did; before that has been seen, as fast as models with or without slopes may
// go. Synchronisations, which took `cost`, take at most a fifth of the time: where
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
