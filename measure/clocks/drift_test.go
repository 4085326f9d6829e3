package clocks

import (
	"testing"
	"time"

	"pgmpi/testkit/should"
)

func TestSynchronisationLastsUntilTheBound(t *testing.T) {
	const ms, us = time.Millisecond, time.Microsecond
	seen := func(off int64, age time.Duration) (d Drift) {
		d.Renewed(1e6, time.Second) // forgotten by the next
		d.Renewed(off, age)
		return d
	}
	for _, c := range []struct {
		name        string
		d           Drift
		bound, cost time.Duration
		lines       bool
		want        time.Duration
	}{
		{"offsets, nothing seen", Drift{}, 10 * us, ms, false, 100 * ms},
		{"lines, nothing seen", Drift{}, 5 * us, ms, true, 5 * time.Second},
		{"lines, a large bound", Drift{}, time.Second, ms, true, mostAge},
		{"10 ppm seen", seen(1000, 100*ms), 10 * us, ms, false, 500 * ms},
		{"none seen", seen(0, 100*ms), 10 * us, ms, false, mostAge},
		{"no shorter than it is worth", seen(1e6, 100*ms), 10 * us, 20 * ms, false, 80 * ms},
		{"nor if that is long", seen(1e6, 100*ms), 10 * us, 4 * time.Second, true, mostAge},
		{"nor longer than clocks are lines", seen(1, time.Second), 10 * us, 20 * ms, true, mostAge},
	} {
		got := c.d.Lasts(c.bound, c.cost, c.lines)
		should.Hold(t, got.Round(us) == c.want, "%s: it lasts %v, want %v", c.name, got, c.want)
	}
	should.Equal(t, seen(1000, time.Second).Worst, 1e6, "the worst")
}
