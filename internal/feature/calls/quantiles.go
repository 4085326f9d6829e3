package calls

import (
	"fmt"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

// quantileLists compares a second fingerprint with the first by quantiles (S-THESIS §4.7): where it is slower in
// the median, its slowest calls may still be faster.
var quantileLists = document.Kind[[2]*Fingerprint]{Name: "quantiles", Sections: quantileSections, JSON: true}

// quantileName writes "5 %", or a word such as median.
func quantileName(p float64) string {
	switch p {
	case 0:
		return "min"
	case .5:
		return "median"
	case 1:
		return "max"
	}
	return fmt.Sprintf("%g %%", 100*p)
}

func quantileSections(both *[2]*Fingerprint) []document.Section {
	a, b := both[0], both[1]
	ratio := func(p float64) string {
		r := *b.All.At(p) / max(*a.All.At(p), 1e-12)
		return phrase.Ratio(&r)
	}
	s := document.Titled("%s at %s on %s: B takes %s as long as A in the median, %s in the 95 %% quantile.", a.Function,
		phrase.Size(a.Msize), a.Shape, ratio(.5), ratio(.95))
	check.FolderFact(&s, "A", a.Folder, a.Operation)
	check.FolderFact(&s, "B", b.Folder, b.Operation)
	s.Table = &document.Table{Head: []string{"quantile", "A", "B", "B/A"}, Align: "rrrr"}
	for _, q := range a.All.Quantiles {
		s.Table.Add(quantileName(q.P), phrase.Duration(&q.S), phrase.Duration(b.All.At(q.P)), ratio(q.P))
	}
	s.Note("Of all valid samples, outliers too. Nothing is tested, and mpiruns differ: `pgmpi compare` tests medians.")
	return []document.Section{s}
}
