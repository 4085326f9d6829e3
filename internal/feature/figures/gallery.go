package figures

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/samples"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

type Gallery struct {
	Out      string // the folder that they are in
	Formats  []string
	Pictures []picture.Picture
	Notes    []string
}

var galleries = document.Kind[Gallery]{Name: "figures", Sections: gallerySections}

func gallerySections(g *Gallery) []document.Section {
	var s document.Section
	kinds := analyze.Grouped(g.Pictures, func(p picture.Picture) string { return p.Kind })
	s.Say("%s in %s, each as %s: %s.", conf.Plural(len(g.Pictures), "picture"), g.Out, strings.Join(g.Formats, ", "),
		phrase.JoinOf(", ", kinds, func(of []picture.Picture) string { return fmt.Sprintf("%d of %s", len(of), of[0].Kind) }))
	t := &document.Table{Head: []string{"file", "shows"}, Align: "ll", Flex: 1}
	for _, p := range g.Pictures {
		t.Add(p.Name, p.Title)
	}
	s.Table, s.Notes = t, g.Notes
	return []document.Section{s}
}

// newGallery draws the reports of results folders, and the samples of some cases, by side. Several
// folders share a picture: patterns and samples have panels of their own, run-times are lines.
func newGallery(sides []*analyze.Side, cases [][]*samples.CaseSamples) *Gallery {
	g := &Gallery{}
	labels := sideLabels(sides)
	if len(sides) > 1 {
		g.add(picture.Picture{Name: "matrix", Kind: "violations by folder", Title: "The largest ratio of each pattern that is violated", Heat: checks.FolderHeat(series.NewMatrix(sides), labels)})
	}
	for i, s := range sides {
		for _, shape := range s.Report.Shapes {
			found, rest := check.HeatRows(s.Report, shape.Name, nil)
			found.Rows = append(found.Rows, rest.Rows...)
			g.add(picture.Picture{Name: ofFolder(picture.Anchor("heat", shape.Name), i), Kind: "ratios", Title: titled("How many times slower a call is than it may be, "+shape.Name, labels[i]), Heat: found})
		}
	}
	g.panels("patterns", labels, patternPanels(sides))
	g.panels("run-times", []string{""}, [][]picture.Figure{latencyLines(sides, labels)})
	var mpiruns [][]picture.Figure
	for i, s := range sides {
		mpiruns = append(mpiruns, check.MpirunFigures(s.Report))
		if f := check.LossFigure(s.Report); f != nil {
			f.Title = titled(f.Title, labels[i])
			g.add(picture.Picture{Name: ofFolder(f.ID, i), Kind: "losses", Title: f.Title, Panels: []picture.Figure{*f}})
		}
	}
	g.panels("mpiruns", labels, mpiruns)
	g.panels("samples", labels, lists.Map(cases, func(of []*samples.CaseSamples) []picture.Figure {
		return slices.Concat(lists.Map(of, SampleFigures)...)
	}))
	for i := range g.Pictures {
		g.Pictures[i].Clean()
	}
	return g
}

// add adds a picture that shows anything, under a name of its own.
func (g *Gallery) add(p picture.Picture) {
	if len(p.Panels) == 0 && (p.Heat == nil || len(p.Heat.Rows) == 0) {
		return
	}
	name := p.Name
	for n := 2; slices.ContainsFunc(g.Pictures, func(o picture.Picture) bool { return o.Name == p.Name }); n++ {
		p.Name = fmt.Sprintf("%s-%d", name, n)
	}
	g.Pictures = append(g.Pictures, p)
}

// panels adds a picture for each figure; figures of several folders with the same ID share one.
func (g *Gallery) panels(kind string, labels []string, by [][]picture.Figure) {
	var pictures []picture.Picture
	for i, figures := range by {
		for _, f := range figures {
			into := lists.FirstOrNew(&pictures, func(p picture.Picture) bool { return p.Name == f.ID }, picture.Picture{Name: f.ID, Kind: kind, Title: f.Title})
			f.Title = cmp.Or(labels[i], f.Title)
			into.Panels = append(into.Panels, f)
		}
	}
	for _, p := range pictures {
		g.add(p)
	}
}

// sideLabels tells folders apart: by their libraries if these differ, else by their names. A single
// one needs no label.
func sideLabels(sides []*analyze.Side) []string {
	if len(sides) == 1 {
		return []string{""}
	}
	for _, name := range []func(*analyze.Side) string{
		func(s *analyze.Side) string { return phrase.ShortVersion(s.Report.Library.Version) },
		func(s *analyze.Side) string { return filepath.Base(s.Name) },
	} {
		if labels := lists.Map(sides, name); different(labels) {
			return labels
		}
	}
	return lists.Map(sides, func(s *analyze.Side) string { return s.Name })
}

func different(labels []string) bool {
	sorted := slices.Sorted(slices.Values(labels))
	return len(slices.Compact(sorted)) == len(labels) && sorted[0] != ""
}

func titled(title, label string) string { return title + phrase.When(label != "", ": %s", label) }

func ofFolder(name string, i int) string { return name + phrase.When(i > 0, "-%d", i+1) }

// patternPanels returns, by side, the figures of patterns violated or undecided on any side.
func patternPanels(sides []*analyze.Side) [][]picture.Figure {
	var shown []check.PatternKey
	var reports []*analyze.Report
	for _, s := range sides {
		reports = append(reports, s.Report)
		for _, of := range check.PatternGroups(s.Report) {
			shown = lists.With(shown, check.PatternOf(of[0]))
		}
	}
	ids := check.PatternIDs(reports...)
	out := make([][]picture.Figure, len(sides))
	for i, s := range sides {
		cases := check.CasesOf(s.Report)
		for _, p := range shown {
			of := s.Report.Where(func(v *analyze.Verdict) bool { return v.Type == guidelines.Pattern && check.PatternOf(v) == p })
			if len(of) > 0 {
				out[i] = append(out[i], check.PatternFigure(s.Report, ids[p], of, cases))
			}
		}
	}
	return out
}

// latencyLines returns the run-times of each collective, a line for each folder and shape.
func latencyLines(sides []*analyze.Side, labels []string) []picture.Figure {
	if len(sides) == 1 {
		return check.LatencyFigures(sides[0].Report)
	}
	var out []picture.Figure
	for i, s := range sides {
		for _, f := range check.LatencyFigures(s.Report) {
			series := f.Series
			f.Series, f.Marks = nil, nil
			into := lists.FirstOrNew(&out, func(o picture.Figure) bool { return o.ID == f.ID }, f)
			for _, line := range series {
				line.Name = labels[i] + phrase.When(len(series) > 1, ", %s", line.Name)
				line.Role = []picture.Role{picture.Call, picture.Instead, picture.Other}[min(len(into.Series), 2)]
				into.Series = append(into.Series, line)
			}
		}
	}
	return out
}
