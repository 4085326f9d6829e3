//go:build cgo

package call

import (
	"testing"
	"time"

	"pgmpi/testkit/should"
)

func TestABarrierIsHeldUpForMuchLongerThanItTakes(t *testing.T) {
	for each, want := range map[time.Duration]time.Duration{
		0:                      time.Millisecond, // one that does not wait takes no time
		time.Microsecond:       time.Millisecond,
		50 * time.Microsecond:  5 * time.Millisecond,
		300 * time.Millisecond: 20 * time.Millisecond,
	} {
		should.Equal(t, lateAfter(each), want)
	}
}
