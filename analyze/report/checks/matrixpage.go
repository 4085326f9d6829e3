package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/mockups"
)

// matrixPage begins with a picture of all: how much slower at worst, guideline × host and shape, of what was found somewhere.
func matrixPage(m *series.Matrix) []document.Section {
	out := MatrixSections(m)
	name := func(c series.MatrixColumn) string { return strings.TrimSpace(c.Host + " " + c.Shape) }
	var names, order []string
	for _, c := range m.Columns {
		names = append(names, name(c))
	}
	for _, c := range slices.SortedStableFunc(slices.Values(m.Columns), func(a, b series.MatrixColumn) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(guidelines.ShapeOf(a.Shape, 0).NP, guidelines.ShapeOf(b.Shape, 0).NP), cmp.Compare(a.Shape, b.Shape))
	}) {
		order = append(order, name(c))
	}
	heat := matrixHeat(m, names, slices.Compact(order), func(r series.MatrixRow) bool {
		return slices.ContainsFunc(r.Cells, func(c *series.MatrixCell) bool { return c != nil && c.Ratio != nil })
	})
	if len(heat.Rows) > 0 {
		s := document.Titled("How many times slower at worst, by guideline, host and shape")
		s.Heat = heat
		s.Note("★ violated, 1 seen once, ? undecided, ·: no violation found; blank: not planned. The worst over all sizes, and all folders of a host and shape. own: than an algorithm of the library's own.")
		out = slices.Insert(out, 1, s)
	}
	return out
}

// folderHeat has the patterns, guideline × folder and shape.
func folderHeat(m *series.Matrix, labels []string) *picture.HeatMap {
	folders, names := map[string]int{}, []string{}
	for _, c := range m.Columns {
		if _, seen := folders[c.Folder]; !seen {
			folders[c.Folder] = len(folders)
		}
		names = append(names, labels[folders[c.Folder]]+" "+c.Shape)
	}
	return matrixHeat(m, names, names, func(r series.MatrixRow) bool { return r.Type == guidelines.Pattern })
}

// matrixHeat has a column for each name in order: names are of the matrix's columns, of which those with one name share the worst.
func matrixHeat(m *series.Matrix, names, order []string, shown func(series.MatrixRow) bool) *picture.HeatMap {
	h := &picture.HeatMap{Corner: "guideline", Columns: order}
	for _, r := range m.Rows {
		if !shown(r) {
			continue
		}
		name := cmp.Or(phrase.When(mockups.Algorithm(r.Mockup) != "", "own"), r.Guideline) + " " + phrase.Plain(r.Function) +
			phrase.When(r.Mockup != "" && mockups.Algorithm(r.Mockup) == "", " ≤ %s", phrase.Plain(r.Mockup))
		at := slices.IndexFunc(h.Rows, func(row picture.HeatRow) bool { return row.Name == name })
		if at < 0 {
			at = len(h.Rows)
			h.Rows = append(h.Rows, picture.HeatRow{Name: name, Cells: make([]picture.HeatCell, len(order))})
		}
		for i, cell := range r.Cells {
			into := &h.Rows[at].Cells[slices.Index(order, names[i])]
			if c := matrixHeatCell(cell); *into == (picture.HeatCell{}) || c.Ratio > into.Ratio {
				*into = c
			}
		}
	}
	return h
}

func matrixHeatCell(c *series.MatrixCell) picture.HeatCell {
	if c == nil {
		return picture.HeatCell{}
	}
	for _, verdict := range []judge.Verdict{judge.Wrong, judge.Violated, judge.SeenOnce, judge.Undecided} {
		if n := c.Tests[verdict]; n > 0 {
			cell := picture.HeatCell{Sign: check.Signs[verdict][0], Word: fmt.Sprintf("%s at %d of %d sizes", check.Signs[verdict][1], n, c.Planned())}
			if (verdict == judge.Violated || verdict == judge.SeenOnce) && c.Ratio != nil {
				cell.Ratio, cell.Text = *c.Ratio, fmt.Sprintf("%.2f", *c.Ratio)
			}
			return cell
		}
	}
	return picture.HeatCell{Word: "no violation found", Text: "·"}
}
