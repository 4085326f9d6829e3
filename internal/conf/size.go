package conf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}}

// ParseSize reads a number of bytes, at least 1: "100", "1Ki", "16Mi", "1Gi".
func ParseSize(s string) (int64, error) {
	digits, unit := s, int64(1)
	for _, u := range sizeUnits {
		if d, ok := strings.CutSuffix(s, u.suffix); ok {
			digits, unit = d, u.bytes
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && n > math.MaxInt64/unit:
		return 0, fmt.Errorf("size %q is too large", s)
	case err != nil:
		return 0, fmt.Errorf(`%q is no size in bytes (valid: 100, 1Ki, 16Mi, 1Gi)`, s)
	case n < 1:
		return 0, fmt.Errorf("size %q is below 1 byte", s)
	}
	return n * unit, nil
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

// FormatSize writes bytes as ParseSize reads them, as short as is exact: "1Ki".
func FormatSize(bytes int64) string {
	n, suffix := exact(bytes)
	return fmt.Sprint(n) + suffix
}

// HumanSize writes a message size for people, exactly: "1 KiB", "1536 B".
func HumanSize(bytes int64) string {
	n, suffix := exact(bytes)
	return fmt.Sprintf("%d %sB", n, suffix)
}

// ShortSize is for the head of a narrow column: "1K".
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

// Bytes is an amount of memory; in text "100", "64Ki", "1Gi".
type Bytes int64

// UnmarshalText reads what ParseSize does.
func (b *Bytes) UnmarshalText(text []byte) error {
	n, err := ParseSize(string(text))
	if err == nil {
		*b = Bytes(n)
	}
	return err
}

// MarshalText writes the amount as short as is exact.
func (b Bytes) MarshalText() ([]byte, error) {
	return []byte(FormatSize(int64(b))), nil
}
