package lint

import (
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/lint/table"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// kind makes the documents of `pgmpi lint`.
var kind = document.Kind[table.Lint]{Name: "lint", JSON: true,
	Parts: []document.Part[table.Lint]{document.Show(document.Screen, func(l *table.Lint) []document.Section {
		return slices.Concat(lintSections(l, mostSuspected)[:2], chosen(l))
	}),
		document.Show(document.Printed, func(l *table.Lint) []document.Section { return lintSections(l, len(l.Rows)) }),
		document.Show(document.Pictured, func(l *table.Lint) []document.Section {
			return slices.Insert(lintSections(l, len(l.Rows)), 1, lintHeat(l)...)
		})},
	Rows: func(l *table.Lint) [][]string {
		out := [][]string{{"note", "guideline", "function", "mockup", "np", "msize", "msize_other", "k", "algorithm", "seconds", "other_seconds", "ratio", "suspected"}}
		for _, r := range l.Rows {
			out = append(out, phrase.Row(l.Note, r.Guideline, r.Function, r.Mockup, r.NP, r.Msize, r.Other, r.K, r.Algorithm, r.Seconds, r.OtherS, r.Ratio, r.Suspected))
		}
		return out
	},
	Ending: func(l *table.Lint, _ string) document.Ending {
		return document.Ending{Why: phrase.When(len(l.Suspected()) > 0, "what is suspected is no violation")}
	}}

// mostSuspected limits the rows on a screen.
const mostSuspected = 12

func lintSections(l *table.Lint, most int) []document.Section {
	s, rows, left := document.Section{}, document.Titled("The worst size of each call"), document.Section{}
	suspected := l.Suspected()
	if len(suspected) > 0 {
		s.Tone = picture.Possible
		s.Say("SUSPECTED BY TABLE: %d of %s, up to %s times slower. Nothing was measured.", len(suspected), conf.Plural(len(l.Rows), "test"), timesSlower(suspected[0].Ratio))
	} else {
		s.Say("NOTHING SUSPECTED BY TABLE in %s. Nothing was measured.", conf.Plural(len(l.Rows), "test"))
	}
	s.Fact("Table", "%s; %s", l.Table, prices(l.Model))
	for _, note := range l.Notes {
		s.Item("%s", note)
	}
	if len(l.Unfit) > 0 {
		s.Fact("Doubtful", "%s: not shown to be foreseen by tables; --all has them too", strings.Join(l.Unfit, ", "))
	}
	rows.Table = &document.Table{Head: []string{"guideline", "call", "on", "size", "slower", "sizes", "takes", "instead"}, Align: "llrrrrll", Flex: 7}
	type key struct {
		guideline, function string
		np                  int
	}
	sizes := map[key]int{}
	for _, r := range suspected {
		sizes[key{r.Guideline, r.Function, r.NP}]++
	}
	for _, r := range suspected {
		k := key{r.Guideline, r.Function, r.NP}
		if sizes[k] > 0 && len(rows.Table.Rows) < most {
			rows.Table.Add(r.Guideline, phrase.Plain(r.Function), fmt.Sprintf("p%d", r.NP), conf.HumanSize(r.Msize), timesSlower(r.Ratio)+"×", fmt.Sprint(sizes[k]), r.Algorithm, faster(&r))
		}
		sizes[k] = 0
	}
	for _, text := range l.Left {
		left.Item("left out: %s", text)
	}
	return append([]document.Section{s, rows}, append(chosen(l), left)...)
}

// chosen shows what a file of rules, or a tree, chooses by message size.
func chosen(l *table.Lint) []document.Section {
	if len(l.Chosen) == 0 {
		return nil
	}
	s := document.Titled("What it chooses")
	s.Table = &document.Table{Head: []string{"call", "on", "algorithm, from this size on"}, Align: "lrl", Flex: 2}
	for _, c := range l.Chosen {
		var parts []string
		for i, name := range c.Algorithms {
			if i == 0 || name != c.Algorithms[i-1] {
				parts = append(parts, conf.HumanSize(c.Msizes[i])+" "+phrase.Known(name))
			}
		}
		s.Table.Add(phrase.Plain(c.Function), fmt.Sprintf("p%d", c.NP), strings.Join(parts, ", "))
	}
	return []document.Section{s}
}

// timesSlower writes three digits, and no exponent: 5250, not 5.25e+03.
func timesSlower(x float64) string {
	if x < 999.5 {
		return fmt.Sprintf("%.3g", x)
	}
	return phrase.Digits(x)
}

func prices(m table.Model) string {
	return fmt.Sprintf("a message takes %.3g µs, %.3g µs where it is not waited for, a byte %.3g ns, a reduced one %.3g ns, a copied one %.3g ns",
		m.Alpha*1e6, m.Gap*1e6, m.Beta*1e9, m.Gamma*1e9, m.Copy*1e9)
}

func faster(r *table.Row) string {
	if r.Mockup != "" {
		return strings.TrimPrefix(phrase.Plain(r.Mockup), phrase.Plain(r.Function)+"@")
	}
	return phrase.When(r.K > 1, "%d calls of ", r.K) + conf.HumanSize(r.Other)
}

// lintHeat draws a map for each guideline: calls on numbers of processes × bytes.
func lintHeat(l *table.Lint) (out []document.Section) {
	sizes, at := map[int64]bool{}, map[string]int{}
	for _, r := range l.Rows {
		sizes[r.Msize] = true
	}
	for _, r := range l.Rows {
		if _, seen := at[r.Guideline]; !seen {
			s := document.Titled("%s: how many times slower by table (s: suspected)", r.Guideline)
			s.Heat, _ = check.HeatOf(sizes)
			s.Heat.Corner = "call"
			at[r.Guideline], out = len(out), append(out, s)
		}
		heat, name := out[at[r.Guideline]].Heat, fmt.Sprintf("%s, p%d", phrase.Plain(r.Function), r.NP)
		row := lists.FirstOrNew(&heat.Rows, func(row picture.HeatRow) bool { return row.Name == name }, picture.HeatRow{Name: name, Cells: make([]picture.HeatCell, len(heat.Columns))})
		_, columns := check.HeatOf(sizes)
		row.Cells[slices.Index(columns, r.Msize)] = picture.HeatCell{Ratio: r.Ratio, Text: timesSlower(r.Ratio),
			Sign: phrase.When(r.Suspected, "s"), Word: phrase.When(r.Suspected, "suspected by table")}
	}
	return out
}
