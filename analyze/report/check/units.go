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

func effect(e analyze.Effect) string {
	return phrase.RatioIn(e.Ratio, e.RatioLo95, e.RatioHi95)
}
