package phrase

import (
	"testing"
	"time"

	"pgmpi/testkit/should"
)

func TestTimesOfADryRunHaveTheUnitsOfReports(t *testing.T) {
	const day = 24 * time.Hour
	for want, d := range map[string]time.Duration{
		"10 ms": time.Microsecond, "180 ms": 183 * time.Millisecond, "1 s": 999 * time.Millisecond, "3.4 s": 3449 * time.Millisecond,
		"20 s": 20 * time.Second, "1 min 30 s": 90 * time.Second, "2 min": 2 * time.Minute, "10 min": 10*time.Minute + time.Second,
		"2 h 5 min": 2*time.Hour + 5*time.Minute, "12 days": 12 * day, "3 years": 3 * 365 * day, "over 29 years": longest,
	} {
		should.Equal(t, Rounded(d), want, "%v", d)
	}
	sum := InSeconds(1e30)
	should.Hold(t, Rounded(sum) == "over 29 years" && 8*sum >= 0, "%v", sum)
}

func TestUnitsAreChosenForReading(t *testing.T) {
	for s, want := range map[float64]string{2.4e-7: "240 ns", 1.5312e-6: "1.53 µs", 9.996e-7: "1.00 µs", 2.477e-3: "2.48 ms", 0.0999: "99.9 ms", 2: "2.00 s"} {
		should.Equal(t, Duration(&s), want, "%g s", s)
	}
}
