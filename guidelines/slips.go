package guidelines

import (
	"fmt"
	"slices"

	"pgmpi/internal/conf"
)

// slips notes parts of a selection that change nothing: probably something else was meant.
// They are no errors, since the rest is clear.
func (s Settings) slips(sel *selection) (notes []string) {
	lists := []struct {
		key   string
		words []string
	}{
		{"check.guidelines", s.Check.Guidelines}, {"check.exclude", s.Check.Exclude},
		{"check.functions", s.Check.Functions}, {"job.msizes", sameSize(s.Msizes)},
	}
	for _, u := range s.Users {
		lists = append(lists, struct {
			key   string
			words []string
		}{"msizes of guideline " + u.ID, sameSize(u.Msizes)})
	}
	for _, l := range lists {
		for i, w := range l.words {
			if slices.Index(l.words, w) < i && !slices.Contains(l.words[i+1:], w) {
				notes = append(notes, fmt.Sprintf("%s: %s is given twice.", l.key, w))
			}
		}
	}
	for i, text := range s.Check.Exclude {
		out := sel.out[i]
		if slices.Index(s.Check.Exclude, text) == i && !slices.ContainsFunc(sel.known, func(g Guideline) bool { return sel.wants(g) && out.names(g) }) {
			notes = append(notes, fmt.Sprintf("check.exclude: %s leaves nothing out, since nothing else selects it.", text))
		}
	}
	return notes
}

func sameSize(msizes []string) []string {
	out := slices.Clone(msizes)
	for i, text := range out {
		if n, err := conf.ParseSize(text); err == nil {
			out[i] = conf.FormatSize(n)
		}
	}
	return out
}
