package lint

import (
	"fmt"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/lint/table"
	"pgmpi/internal/phrase"
)

// fits are the documents of `pgmpi fit`.
var fits = document.Kind[table.Fitted]{Name: "fit", JSON: true, Sections: fitSections,
	Rows: func(f *table.Fitted) [][]string {
		out := [][]string{{"function", "shape", "mpiruns", "alpha_s", "alpha_lo95", "alpha_hi95", "beta_s_per_byte", "beta_lo95", "beta_hi95", "median_residual", "off", "break"}}
		for _, l := range f.Lines {
			out = append(out, phrase.Row(l.Function, l.Shape.String(), l.Mpiruns, l.Alpha.Value, l.Alpha.Lo, l.Alpha.Hi, l.Beta.Value, l.Beta.Lo, l.Beta.Hi,
				l.Typical, phrase.Join(" ", "%d", l.Off), l.Break))
		}
		return out
	}}

func fitSections(f *table.Fitted) []document.Section {
	s, holds := document.Section{}, 0
	s.Table = &document.Table{Head: []string{"function", "on", "alpha, µs", "beta, ns/B", "off", "alpha + beta·bytes"}, Align: "llrrrl", Flex: 5}
	for _, l := range f.Lines {
		word := "holds"
		if len(l.Off) > 0 {
			word = fmt.Sprintf("wrong at %d of %d sizes", len(l.Off), len(l.Sizes)) + phrase.When(l.Break > 0, "; a step at %s", conf.HumanSize(l.Break))
		} else {
			holds++
		}
		s.Table.Add(phrase.Plain(l.Function), l.Shape.String(), estimated(l.Alpha, 1e6), estimated(l.Beta, 1e9), fmt.Sprintf("%.0f %%", 100*l.Typical), word)
	}
	s.Say("alpha + beta·bytes holds for %d of %s.", holds, conf.Plural(len(f.Lines), "function"))
	if len(f.Few) > 0 {
		s.Note("Too few sizes: %s.", phrase.Join(", ", "%s", f.Few))
	}
	s.Note("In brackets: 95 %% over mpiruns. Bytes are of one block. Off: the median over the sizes. Wrong: by more than 25 %%, on the same side in four of five mpiruns; json and csv name the sizes.")
	return []document.Section{s}
}

func estimated(e table.Estimate, factor float64) string {
	text := phrase.Digits(e.Value * factor)
	if e.Lo == nil || e.Hi == nil {
		return text
	}
	return fmt.Sprintf("%s [%s, %s]", text, phrase.Digits(*e.Lo*factor), phrase.Digits(*e.Hi*factor))
}
