package check

import (
	"fmt"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/tuning"
)

// eagerLimit says of messages that several smaller ones are faster than, which setting may mend that.
func eagerLimit(r *analyze.Report) []document.Section {
	text := eagerFact(r)
	if text == "" {
		return nil
	}
	s := document.Titled("Eager limit")
	s.Say("%s", text)
	if _, memory := tuning.EagerLimit(tuning.LibraryOf(r.Library.Name, r.Library.Version)); memory != "" {
		s.Say("It costs memory: %s.", memory)
	}
	return []document.Section{s}
}

func eagerFact(r *analyze.Report) string {
	slow := r.Where(func(v *analyze.Verdict) bool {
		return v.Verdict == judge.Violated && v.Type == guidelines.Split && guidelines.IsMessage(v.Function) && v.Msize <= tuning.MostEager
	})
	if len(slow) == 0 {
		return ""
	}
	named := strings.Join(lists.Map(slow, func(v *analyze.Verdict) string {
		return document.Whole(phrase.Plain(v.Cell().Call()) + " " + phrase.Size(v.Msize) + " " + phrase.Ratio(v.Ratio))
	}), ", ")
	if setting, _ := tuning.EagerLimit(tuning.LibraryOf(r.Library.Name, r.Library.Version)); setting != "" {
		return fmt.Sprintf("%s may mend %s and collectives of such sizes.", setting, named)
	}
	return fmt.Sprintf("%s: several smaller messages are faster.", named)
}

// slowerOnFewer names the calls that take longer on some processes than on more.
func slowerOnFewer(r *analyze.Report) []document.Section {
	return document.Listed("Slower on fewer processes than on more", r.Across, mostRows, "%d more in report.json", func(x analyze.Across) string {
		return fmt.Sprintf("%s %s: %s on %s, %s on %s: %s", phrase.Plain(x.Function), phrase.Size(x.Msize), phrase.Duration(x.MedianS), x.Shape,
			phrase.Duration(x.MoreMedianS), x.More, effect(x.Effect))
	})
}
