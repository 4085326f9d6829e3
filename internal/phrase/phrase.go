package phrase

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
)

// When returns a part of a sentence on a condition, or "".
func When(condition bool, format string, args ...any) string {
	if !condition {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Either returns the first text on a condition, else the other.
func Either(condition bool, text, other string) string {
	if condition {
		return text
	}
	return other
}

// Words writes an id in words: "not suspected" for not_suspected.
func Words[T ~string](id T) string { return strings.ReplaceAll(string(id), "_", " ") }

func Known(text string) string { return cmp.Or(text, "unknown") }

func BlankZero(n int) string { return cmp.Or(When(n != 0, "%d", n), ".") }

// UnlessAny says that no case could be measured, or returns "" if any is known.
func UnlessAny[T any](cases []T, known func(T) bool) string {
	if slices.ContainsFunc(cases, known) {
		return ""
	}
	return "nothing could be measured of " + conf.Plural(len(cases), "case")
}

// Counts writes the number of each word that occurs: "1 violated, 4 not suspected".
func Counts[T ~string](order []T, count func(T) int) string {
	var parts []string
	for _, word := range order {
		if n := count(word); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, Words(word)))
		}
	}
	return strings.Join(parts, ", ")
}

func Join[T any](separator, format string, values []T) string {
	return JoinOf(separator, values, func(v T) string { return fmt.Sprintf(format, v) })
}

func JoinOf[T any](separator string, values []T, write func(T) string) string {
	return strings.Join(lists.Map(values, write), separator)
}

// List joins the texts that are not empty.
func List(separator string, texts ...string) string {
	return strings.Join(lists.Keep(texts, func(text string) bool { return text != "" }), separator)
}

// Settings returns "name=value" of all, by their names.
func Settings(of map[string]string) []string {
	return lists.Map(slices.Sorted(maps.Keys(of)), func(name string) string { return name + "=" + of[name] })
}

// Duration writes seconds with three digits in the unit that suits: "812 ns", "1.53 µs", "24.8 ms".
// It writes "-" for undefined ones.
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

// Nanoseconds writes the times of samples as Duration does.
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

// Ratio writes "1.53×", or "-" if undefined.
func Ratio(x *float64) string {
	if x == nil {
		return "-"
	}
	if *x >= 9999.5 {
		return fmt.Sprintf("%.0e×", *x)
	}
	return Digits(*x) + "×"
}

// Interval writes the limits of a ratio: "[0.98, 1.03]".
func Interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return ""
	}
	return "[" + strings.TrimSuffix(Ratio(lo), "×") + ", " + strings.TrimSuffix(Ratio(hi), "×") + "]"
}

// RatioIn writes a ratio with its 95 % interval: "1.55× [1.42, 1.71]".
func RatioIn(ratio, lo, hi *float64) string {
	return strings.TrimSpace(Ratio(ratio) + " " + Interval(lo, hi))
}

// Probability writes a p-value: "0.0310", "5.4e-06", or "-" if undefined.
func Probability(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p != 0 && *p < 0.001:
		return fmt.Sprintf("%.1e", *p)
	}
	return fmt.Sprintf("%.4f", *p)
}

// Fit cuts s to n characters, with "…" for a missing end.
func Fit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}

// Row writes values for a spreadsheet: numbers in full, and an empty cell for what is undefined.
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

// First returns the first values of a list, and a sentence about the rest.
func First[T any](list []T, most int, more string) (shown []T, sentence string) {
	n := len(list) - most
	return list[:min(len(list), most)], When(n > 0, more, n)
}

// ShortVersion returns a library's own version text, up to the first comma or line.
func ShortVersion(s string) string {
	short, _, _ := strings.Cut(strings.ReplaceAll(s, "\n", ","), ",")
	return strings.TrimSpace(short)
}

// Plain returns people's word for an id: "Bcast" for "MPI_Bcast", "Reduce" for "gather_as_reduce".
func Plain(id string) string {
	id = strings.TrimPrefix(id, "MPI_")
	_, parts, ok := strings.Cut(id, "_as_")
	if !ok {
		return id
	}
	names := strings.Split(parts, "+")
	for i, n := range names {
		if n != "" {
			names[i] = strings.ToUpper(n[:1]) + n[1:]
		}
	}
	return strings.Join(names, " + ")
}

// Function returns "Bcast" for MPI_Bcast, and the id of a mock-up.
func Function(id string) string { return strings.TrimPrefix(id, "MPI_") }

func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func Percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// Share writes a percentage with a digit that counts: "18.6 %", "0.01 %".
func Share(x float64) string {
	switch {
	case x >= .0005 || x <= 0:
		return Percent(x)
	case x < .00005:
		return "less than 0.01 %"
	}
	return fmt.Sprintf("%.2f %%", 100*x)
}

// longest limits estimates: nobody would wait for more, and a few of it still fit into a Duration.
const longest = math.MaxInt64 / 10 * time.Nanosecond

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

// inUnits writes a time in two units, without zeros.
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
