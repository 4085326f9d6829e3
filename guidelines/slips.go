package guidelines

import (
	"fmt"
	"slices"

	"pgmpi/internal/conf"
)

// slips notes parts of a selection that change nothing: probably something else was meant.
// They are no errors, since the rest is clear.
func (s Settings) slips(sel *selection) (notes []string) {
	look := func(key string, words []string) {
		for i, w := range words {
			if slices.Index(words, w) < i && !slices.Contains(words[i+1:], w) {
				notes = append(notes, fmt.Sprintf("%s: %s is given twice.", key, w))
			}
		}
	}
	look("check.guidelines", s.Check.Guidelines)
	look("check.exclude", s.Check.Exclude)
	look("check.functions", s.Check.Functions)
	look("job.msizes", sameSize(s.Msizes))
	for _, u := range s.Users {
		look("msizes of guideline "+u.ID, sameSize(u.Msizes))
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
