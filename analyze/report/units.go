package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgmpi/analyze"
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

// size writes bytes with the largest binary unit that divides them: "1 KiB".
func size(b int64) string {
	n, prefix := binary(b)
	if prefix == "" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d %siB", n, prefix)
}

// shortSize is size for the head of a narrow column: "1K".
func shortSize(b int64) string {
	n, prefix := binary(b)
	return strconv.FormatInt(n, 10) + prefix
}

func binary(b int64) (int64, string) {
	prefix := ""
	for _, p := range []string{"K", "M", "G", "T"} {
		if b == 0 || b%1024 != 0 {
			break
		}
		b, prefix = b/1024, p
	}
	return b, prefix
}

// ratio writes "1.53×". Undefined: "-".
func ratio(x *float64) string {
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
		return ratio(v.Ratio)
	}
	limit := func(x *float64) string { return strings.TrimSuffix(ratio(x), "×") }
	return fmt.Sprintf("%s [%s, %s]", ratio(v.Ratio), limit(v.RatioLo95), limit(v.RatioHi95))
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

// wrap breaks text into lines of at most width characters; a word that is
// longer is cut. Lines after the first are indented.
func wrap(text string, width int, indent string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		word = fit(word, width-utf8.RuneCountInString(indent))
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}
