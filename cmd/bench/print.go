package main

import (
	"fmt"
	"math"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
)

// outcome prints one number beside its aim, and remembers a missed one.
func (e *env) outcome(what, got, aim string, ok bool) {
	word := "ok"
	if !ok {
		word, e.missed = "missed", true
	}
	fmt.Printf("   %s: %s: %s (aim: %s)\n", word, what, got, aim)
}

// aim prints a number beside the limits that it should keep; a limit of 0 is none.
func (e *env) aim(what string, v float64, format string, least, most float64) {
	f := figure{what: what, least: least, most: most, format: format}
	e.outcome(what, number(format, v), f.aim(), f.met(v))
}

// number is "-" for what is not a number.
func number(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// cell names a test and says what a check found.
func cell(v *analyze.Verdict) string {
	line := fmt.Sprintf("%s %s at %s: %s", v.Guideline, v.Function, conf.HumanSize(v.Msize), v.Verdict)
	if v.Ratio != nil && v.RatioLo95 != nil && v.RatioHi95 != nil {
		line += fmt.Sprintf(", %.2f times [%.2f, %.2f]", *v.Ratio, *v.RatioLo95, *v.RatioHi95)
	}
	return line
}
