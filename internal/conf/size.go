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

// FormatSize writes bytes as ParseSize reads them, as short as is exact.
func FormatSize(bytes int64) string {
	for _, u := range sizeUnits {
		if bytes >= u.bytes && bytes%u.bytes == 0 {
			return strconv.FormatInt(bytes/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(bytes, 10)
}
