package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
)

// duration writes seconds with three digits in the unit that suits: "812 ns",
// "1.53 µs", "24.8 ms". Undefined: "-".
func duration(s *float64) string {
	if s == nil {
		return "-"
	}
	for _, u := range []struct {
		name  string
		scale float64
	}{{"ns", 1e9}, {"µs", 1e6}, {"ms", 1e3}} {
		if x := *s * u.scale; x < 999.5 {
			return digits(x) + " " + u.name
		}
	}
	return digits(*s) + " s"
}

// digits writes three significant digits without an exponent.
func digits(x float64) string {
	switch {
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// size writes the size of a message.
func size(bytes int64) string { return conf.HumanSize(bytes) }

// Ratio writes "1.53×". Undefined: "-".
func Ratio(x *float64) string {
	if x == nil {
		return "-"
	}
	if *x >= 9999.5 {
		return fmt.Sprintf("%.0e×", *x)
	}
	return digits(*x) + "×"
}

// effect writes a ratio with its 95 % interval: "1.55× [1.42, 1.71]".
func effect(v *analyze.Verdict) string {
	if v.RatioLo95 == nil || v.RatioHi95 == nil {
		return Ratio(v.Ratio)
	}
	limit := func(x *float64) string { return strings.TrimSuffix(Ratio(x), "×") }
	return fmt.Sprintf("%s [%s, %s]", Ratio(v.Ratio), limit(v.RatioLo95), limit(v.RatioHi95))
}

// probability writes a p-value with two digits: "0.031", "5.4e-06".
func probability(p float64) string {
	if p != 0 && p < 0.001 {
		return fmt.Sprintf("%.1e", p)
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// plural writes "1 test", "2 tests".
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// fit cuts s to n characters, with "…" where something is missing.
func fit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}

// row writes values for a spreadsheet: numbers in full, what is undefined empty.
func row(values ...any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if p, ok := v.(*float64); ok {
			v = nil
			if p != nil {
				v = *p
			}
		}
		switch x := v.(type) {
		case nil:
		case float64:
			out[i] = strconv.FormatFloat(x, 'g', -1, 64)
		default:
			out[i] = fmt.Sprint(x)
		}
	}
	return out
}
