package check

import (
	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/phrase"
)

var AdjustNames = map[judge.Adjust]string{
	judge.AdjustBH:   "adjusted by Benjamini-Hochberg",
	judge.AdjustHolm: "adjusted by Holm",
	judge.AdjustNone: "not adjusted",
}

// effect writes a ratio with its 95 % interval: "1.55× [1.42, 1.71]".
func effect(v *analyze.Verdict) string {
	return within(v.Ratio, v.RatioLo95, v.RatioHi95)
}

func within(ratio, lo, hi *float64) string {
	limits := phrase.Interval(lo, hi, ", ")
	return phrase.Ratio(ratio) + phrase.When(limits != "", " [%s]", limits)
}

func there(e *analyze.Elsewhere) string { return within(e.Ratio, e.RatioLo95, e.RatioHi95) }
