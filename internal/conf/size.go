package conf

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"Ti", 1 << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}}

var sizeForm = regexp.MustCompile(`^\s*([-+]?[0-9]+)\s*(?:([kmgtKMGT])([iI]?)[bB]?|[bB])?\s*$`)

// ParseSize reads a number of bytes, at least 1: "100", "1Ki", "16 MiB", "4Ti". It refuses
// units that may mean 1000 or 1024 ("8k", "1MB").
func ParseSize(s string) (int64, error) {
	n, decimal, err := parseSize(s)
	if err == nil && decimal {
		return 0, fmt.Errorf("%q is no size in bytes (did you mean %s? Ki is 1024, Mi is 1024 Ki)", s, FormatSize(n))
	}
	return n, err
}

// ParsePrintedSize also reads sizes as reports print them, where K is 1024: "16K".
func ParsePrintedSize(s string) (int64, error) {
	n, _, err := parseSize(s)
	return n, err
}

// parseSize takes every unit for a power of 1024, and tells whether it may mean one of 1000.
func parseSize(s string) (n int64, decimal bool, err error) {
	m := sizeForm.FindStringSubmatch(s)
	if m == nil {
		return 0, false, fmt.Errorf(`%q is no size in bytes (valid: 100, 1Ki, 16Mi, 1Gi)`, s)
	}
	unit := int64(1)
	for _, u := range sizeUnits {
		if strings.EqualFold(m[2], u.suffix[:1]) {
			unit = u.bytes
		}
	}
	n, err = strconv.ParseInt(m[1], 10, 64)
	switch {
	case err != nil || n > math.MaxInt64/unit:
		return 0, false, fmt.Errorf("size %q is too large", s)
	case n < 1:
		return 0, false, fmt.Errorf("size %q is below 1 byte", s)
	}
	return n * unit, m[2] != "" && m[3] == "", nil
}

// exact divides a number of bytes by the largest unit that leaves no rest.
func exact(bytes int64) (n int64, suffix string) {
	for _, u := range sizeUnits {
		if bytes >= u.bytes && bytes%u.bytes == 0 {
			return bytes / u.bytes, u.suffix
		}
	}
	return bytes, ""
}

// FormatSize writes bytes as ParseSize reads them, exactly and as short as possible: "1Ki".
func FormatSize(bytes int64) string {
	n, suffix := exact(bytes)
	return fmt.Sprint(n) + suffix
}

// HumanSize writes a message size for people, exactly: "1 KiB", "1536 B".
func HumanSize(bytes int64) string {
	n, suffix := exact(bytes)
	return fmt.Sprintf("%d %sB", n, suffix)
}

// ShortSize writes "1K", for narrow columns.
func ShortSize(bytes int64) string { return strings.TrimSuffix(FormatSize(bytes), "i") }

// HumanMemory writes an amount of memory with four digits: "15.63 GiB".
func HumanMemory(bytes int64) string {
	for _, u := range sizeUnits {
		if bytes >= u.bytes {
			return fmt.Sprintf("%.4g %sB", float64(bytes)/float64(u.bytes), u.suffix)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// Bytes is an amount of memory, written as "100", "64Ki" or "1Gi".
type Bytes int64

func (b *Bytes) UnmarshalText(text []byte) error {
	n, err := ParseSize(string(text))
	if err == nil {
		*b = Bytes(n)
	}
	return err
}

func (b Bytes) MarshalText() ([]byte, error) {
	return []byte(FormatSize(int64(b))), nil
}

// Duration is a time.Duration, written as "2s" in TOML and JSON.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration such as \"2s\" or \"500ms\"%s", text, durationHint(string(text)))
	}
	*d = Duration(v)
	return nil
}

// periods are units of time as people write them.
var periods = []struct {
	unit time.Duration
	said string
}{
	{24 * time.Hour, "d day days"}, {time.Hour, "h hr hrs hour hours"}, {time.Minute, "m min mins minute minutes"},
	{time.Second, "s sec secs second seconds"}, {time.Millisecond, "ms msec msecs"}, {time.Microsecond, "us usec usecs"},
}

var period = regexp.MustCompile(`^\s*(\d+(?:\.\d+)?)\s*([a-z]*)`)

// durationHint guesses which duration was meant: 10min, 1 d, 1h30. It returns "" where nothing is near.
func durationHint(text string) string {
	var sum, last time.Duration
	for rest := strings.ToLower(text); strings.TrimSpace(rest) != ""; {
		m := period.FindStringSubmatch(rest)
		if m == nil {
			return ""
		}
		rest = rest[len(m[0]):]
		n, err := strconv.ParseFloat(m[1], 64)
		unit := last / 60 // 1h30 are thirty minutes
		for _, p := range periods {
			if slices.Contains(strings.Fields(p.said), m[2]) {
				unit = p.unit
			}
		}
		if err != nil || unit <= 0 || m[2] == "" && last != time.Hour && last != time.Minute || n > float64(math.MaxInt64/(24*time.Hour)) {
			return ""
		}
		sum += time.Duration(n * float64(unit))
		last = unit
	}
	if sum <= 0 {
		return ""
	}
	said := sum.String()
	for _, zero := range []string{"0s", "0m"} {
		if bare, cut := strings.CutSuffix(said, zero); cut && strings.ContainsAny(bare[len(bare)-1:], "mh") {
			said = bare
		}
	}
	return fmt.Sprintf(" (did you mean %s?)", said)
}

// NumberHint guesses which number was meant: 1,05 or 5%. It returns "" where nothing is near.
func NumberHint(text string) string {
	bare, percent := strings.CutSuffix(strings.ReplaceAll(strings.TrimSpace(text), ",", "."), "%")
	bare = strings.TrimSpace(bare) // "5 %" too
	v, err := strconv.ParseFloat(bare, 64)
	short := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	switch {
	case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
		return ""
	case percent:
		return fmt.Sprintf(" (%s %% is %s, and %s %% more is a factor of %s)", bare, short(v/100), bare, short(1+v/100))
	}
	return fmt.Sprintf(" (did you mean %s?)", short(v))
}
