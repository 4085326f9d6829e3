package check

import (
	"slices"
	"time"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// reportPage is a report with its pictures: what is wrong and what is faster first, then how it was measured.
func reportPage(r *analyze.Report) []document.Section {
	return slices.Concat(pageAnswer(r), gateSections(r), wrongCases(r), losses(r), notSure(r), HeatMaps(r),
		figured("Pictures of the patterns that are violated or undecided", "Dots are run medians, one for each mpirun; the line is their median, with its 95 % interval where there are six or more. "+
			"Shaded with stars: violated (p adjusted: ★ ≤ .05, ★★ ≤ .01, ★★★ ≤ .001); shaded with ?: undecided.", PatternFigures(r)),
		figured("Run-times of the collectives", "Medians over the mpiruns with their 95 % intervals; shaded with ★: a guideline of the collective is violated there.", LatencyFigures(r)),
		pageDisturbed(r), states(r), suspected(r), undecided(r), outOfSync(r), bounds(r), summary(r), violations(r), remarks(r), header(r), pageFactors(r))
}

func pageAnswer(r *analyze.Report) []document.Section {
	out := answer(r)
	if at, err := time.Parse(time.RFC3339, r.Created); err == nil {
		out[0].Fact("Date", "%s", at.UTC().Format("2 January 2006, 15:04 UTC"))
	}
	if r.Host != "" {
		out[0].Fact("Host", "%s%s", r.Host, phrase.When(len(r.Nodes) > 1, ", ranks on %s", conf.Plural(len(r.Nodes), "node")))
	}
	return out
}

func figured(title, text string, figures []picture.Figure) []document.Section {
	if len(figures) == 0 {
		return nil
	}
	s := document.Titled("%s", title)
	s.Say("%s", text)
	s.Figures = figures
	return []document.Section{s}
}

// pageDisturbed has a picture of the mpiruns, also where none was disturbed.
func pageDisturbed(r *analyze.Report) []document.Section {
	out, figures := disturbed(r), MpirunFigures(r)
	if len(figures) == 0 {
		return out
	}
	if len(out) == 0 {
		out = []document.Section{document.Titled("No mpirun was disturbed")}
	}
	out[0].Figures = figures
	return out
}

func pageFactors(r *analyze.Report) []document.Section {
	m := &r.Measured
	if m.Rank.LibVersion == "" {
		return nil
	}
	out := envSections(&Environment{Version: r.Version, Rank: m.Rank, Factors: m.Factors, Config: m.Config})
	out = append([]document.Section{document.Titled("What could change the result")}, out...)
	for i := range out {
		out[i].Folded = true
	}
	return out
}
