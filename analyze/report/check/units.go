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
func effect(e analyze.Effect) string {
	limits := phrase.Interval(e.RatioLo95, e.RatioHi95, ", ")
	return phrase.Ratio(e.Ratio) + phrase.When(limits != "", " [%s]", limits)
}
