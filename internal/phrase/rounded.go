package phrase

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// longest is the most that is estimated: what is longer would not be waited for, and a
// few of it still fit into a Duration.
const longest = math.MaxInt64 / 10 * time.Nanosecond

// InSeconds makes a Duration of an estimate.
func InSeconds(s float64) time.Duration {
	return time.Duration(min(s*1e9, float64(longest)))
}

// Rounded shows no more digits of an estimate than it has: "180 ms", "3.4 s",
// "1 min 30 s", "2 h 5 min", "12 days".
func Rounded(d time.Duration) string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	switch {
	case d < time.Second-5*time.Millisecond:
		return fmt.Sprintf("%d ms", max(d.Round(10*time.Millisecond), 10*time.Millisecond).Milliseconds())
	case d < 20*time.Second:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	case d < 10*time.Minute:
		return inUnits(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	case d < 2*day:
		return inUnits(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	case d < 2*year:
		return fmt.Sprintf("%.0f days", d.Hours()/day.Hours())
	case d >= longest:
		return fmt.Sprintf("over %d years", longest/year)
	}
	return fmt.Sprintf("%.0f years", d.Hours()/year.Hours())
}

// inUnits writes a time in two units, without what is 0.
func inUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	var parts []string
	if n := d / large; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", n, largeName))
	}
	if n := d % large / small; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", n, smallName))
	}
	return strings.Join(parts, " ")
}
