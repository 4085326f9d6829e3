package check

import (
	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
)

func FolderFact(s *document.Section, name string, f analyze.ComparedFolder, o analyze.Operation) {
	s.Fact(name, "%s: %s", f.Folder, FolderSetUp(f, "", o))
}

// Warnings lists remarks on a comparison; their place is in their text.
func Warnings(list []remark.Remark) []document.Section {
	return document.Listed("Remarks", list, len(list), "", func(w remark.Remark) string { return w.Text + phrase.When(w.Remedy != "", "; %s", w.Remedy) })
}

// Within says of a paired test that it compares within mpiruns.
func Within(test judge.TestName) string {
	if t := judge.Get(test); t != nil && t.Paired {
		return " within mpiruns"
	}
	return ""
}

var AdjustNames = map[judge.Adjust]string{
	judge.AdjustBH:   "adjusted by Benjamini-Hochberg",
	judge.AdjustHolm: "adjusted by Holm",
	judge.AdjustNone: "not adjusted",
}

func effect(e analyze.Effect) string {
	return phrase.RatioIn(e.Ratio, e.RatioLo95, e.RatioHi95)
}
