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
	"pgmpi/measure/host"
)

// eagerLimit says of messages that several smaller ones are faster than, which setting may mend that.
func eagerLimit(r *analyze.Report) []document.Section {
	s := document.Titled("Eager limit")
	for _, slow := range eager(r) {
		s.Say("%s", slow.fact())
		if _, memory := slow.sends.Usual(); memory != "" {
			s.Say("It costs memory: %s.", memory)
		}
	}
	if len(s.Text) == 0 {
		return nil
	}
	return []document.Section{s}
}

// slowMessages are violated for one reason: on a node, or between nodes.
type slowMessages struct {
	sends tuning.Sends
	named []string
}

func eager(r *analyze.Report) (out []*slowMessages) {
	slow := r.Where(func(v *analyze.Verdict) bool {
		return v.Verdict == judge.Violated && v.Type == guidelines.Split && guidelines.IsMessage(v.Function) && v.Msize <= tuning.MostEager
	})
	between := func(v *analyze.Verdict) bool { return distance(r, v) == host.OtherNode }
	for _, of := range analyze.Grouped(slow, between) {
		sends := tuning.Sends{Library: tuning.LibraryOf(r.Library.Name, r.Library.Version), Layer: r.Library.PML, Nodes: between(of[0])}
		out = append(out, &slowMessages{sends, lists.Map(of, func(v *analyze.Verdict) string {
			return document.Whole(phrase.Plain(v.Cell().Call()) + " " + phrase.Size(v.Msize) + " " + phrase.Ratio(v.Ratio))
		})})
	}
	return out
}

func (s *slowMessages) fact() string {
	named := strings.Join(s.named, ", ")
	if setting, _ := s.sends.Usual(); setting != "" {
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
