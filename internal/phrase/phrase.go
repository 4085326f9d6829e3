package phrase

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgmpi/internal/conf"
)

// When is a part of a sentence that is only there on a condition.
func When(condition bool, format string, args ...any) string {
	if !condition {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Words are the words of an id: "not suspected" of not_suspected.
func Words[T ~string](id T) string { return strings.ReplaceAll(string(id), "_", " ") }

func Known(text string) string { return cmp.Or(text, "unknown") }

// BlankZero keeps a table of counts easy to scan.
func BlankZero(n int) string { return cmp.Or(When(n != 0, "%d", n), ".") }

// Counts writes how many there are of each word that there are any of: "1 violated, 4 not suspected".
func Counts[T ~string](order []T, count func(T) int) string {
	var parts []string
	for _, word := range order {
		if n := count(word); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, Words(word)))
		}
	}
	return strings.Join(parts, ", ")
}

// Join writes a list, each value in a format.
func Join[T any](separator, format string, values []T) string {
	text := make([]string, len(values))
	for i, v := range values {
		text[i] = fmt.Sprintf(format, v)
	}
	return strings.Join(text, separator)
}

// Duration writes seconds with three digits in the unit that suits: "812 ns",
// "1.53 µs", "24.8 ms". Undefined: "-".
func Duration(s *float64) string {
	if s == nil {
		return "-"
	}
	scale := 1e9
	for _, unit := range []string{"ns", "µs", "ms"} {
		if x := *s * scale; x < 999.5 {
			return Digits(x) + " " + unit
		}
		scale /= 1000
	}
	return Digits(*s) + " s"
}

// Nanoseconds is Duration for times of samples.
func Nanoseconds(ns float64) string {
	if math.IsNaN(ns) {
		return "-"
	}
	s := ns / 1e9
	return Duration(&s)
}

// Digits writes three significant digits without an exponent.
func Digits(x float64) string {
	switch {
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

func Size(bytes int64) string { return conf.HumanSize(bytes) }

// Ratio writes "1.53×". Undefined: "-".
func Ratio(x *float64) string {
	if x == nil {
		return "-"
	}
	if *x >= 9999.5 {
		return fmt.Sprintf("%.0e×", *x)
	}
	return Digits(*x) + "×"
}

// Interval writes the limits of a ratio: "0.98–1.03".
func Interval(lo, hi *float64, between string) string {
	if lo == nil || hi == nil {
		return ""
	}
	return strings.TrimSuffix(Ratio(lo), "×") + between + strings.TrimSuffix(Ratio(hi), "×")
}

// RatioIn writes a ratio with its 95 % interval: "1.55× [1.42, 1.71]".
func RatioIn(ratio, lo, hi *float64) string {
	limits := Interval(lo, hi, ", ")
	return Ratio(ratio) + When(limits != "", " [%s]", limits)
}

// Probability writes a p-value: "0.0310", "5.4e-06". Undefined: "-".
func Probability(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p != 0 && *p < 0.001:
		return fmt.Sprintf("%.1e", *p)
	}
	return fmt.Sprintf("%.4f", *p)
}

// Fit cuts s to n characters, with "…" where something is missing.
func Fit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}

// Row writes values for a spreadsheet: numbers in full, what is undefined empty.
func Row(values ...any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if p, ok := v.(*float64); ok && p != nil {
			v = *p
		}
		switch x := v.(type) {
		case nil, *float64:
		case float64:
			out[i] = strconv.FormatFloat(x, 'g', -1, 64)
		default:
			out[i] = fmt.Sprint(x)
		}
	}
	return out
}

// First are the first values of a list, and a sentence about how many more there are.
func First[T any](list []T, most int, more string) (shown []T, sentence string) {
	n := len(list) - most
	return list[:min(len(list), most)], When(n > 0, more, n)
}
