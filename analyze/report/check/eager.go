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
	slow := r.Where(func(v *analyze.Verdict) bool {
		return v.Verdict == judge.Violated && v.Type == guidelines.Split && guidelines.IsMessage(v.Function) && v.Msize <= tuning.MostEager
	})
	if len(slow) == 0 {
		return nil
	}
	named := lists.Map(slow, func(v *analyze.Verdict) string {
		return fmt.Sprintf("%s of %s takes %s as long as %s", phrase.Plain(v.Function), phrase.Size(v.Msize), phrase.Ratio(v.Ratio), rival(v))
	})
	s := document.Titled("Eager limit")
	s.Say("%s.", phrase.Capital(strings.Join(named, "; ")))
	if setting, memory := tuning.EagerLimit(tuning.LibraryOf(r.Library.Name, r.Library.Version)); setting != "" {
		s.Say("%s may mend it, and collectives of such sizes; it may slow other calls, and costs memory: %s. `pgmpi remedy` tests times.", setting, memory)
	}
	return []document.Section{s}
}
