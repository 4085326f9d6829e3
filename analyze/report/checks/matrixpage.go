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

// matrixPage begins with a picture of all: how much slower at worst, guideline × host and shape.
func matrixPage(m *series.Matrix) []document.Section {
	out := MatrixSections(m)
	if heat := worst(m); len(heat.Rows) > 0 {
		s := document.Titled("How many times slower at worst, by guideline, host and shape")
		s.Heat = heat
		s.Note("★ violated, 1 seen once, a dot: neither; blank: not planned. The worst over all sizes, and all folders of a host and shape. own: than an algorithm of the library's own.")
		out = slices.Insert(out, 1, s)
	}
	return out
}

func worst(m *series.Matrix) *picture.HeatMap {
	heat := &picture.HeatMap{Corner: "guideline"}
	place := func(c series.MatrixColumn) string { return strings.TrimSpace(c.Host + " " + c.Shape) }
	columns := slices.Clone(m.Columns)
	slices.SortStableFunc(columns, func(a, b series.MatrixColumn) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(guidelines.ShapeOf(a.Shape, 0).NP, guidelines.ShapeOf(b.Shape, 0).NP))
	})
	for _, c := range columns {
		heat.Columns = append(heat.Columns, place(c))
	}
	heat.Columns = slices.Compact(heat.Columns)
	for _, r := range m.Rows {
		if !slices.ContainsFunc(r.Cells, func(c *series.MatrixCell) bool { return c != nil && c.Ratio != nil }) {
			continue
		}
		name := r.Guideline
		if mockups.Algorithm(r.Mockup) != "" {
			name = "own"
		}
		name += " " + phrase.Plain(r.Function)
		row := slices.IndexFunc(heat.Rows, func(h picture.HeatRow) bool { return h.Name == name })
		if row < 0 {
			row = len(heat.Rows)
			heat.Rows = append(heat.Rows, picture.HeatRow{Name: name, Cells: make([]picture.HeatCell, len(heat.Columns))})
		}
		for i, cell := range r.Cells {
			if cell != nil {
				into := &heat.Rows[row].Cells[slices.Index(heat.Columns, place(m.Columns[i]))]
				if c := worstCell(cell); c.Ratio > into.Ratio {
					*into = c
				}
			}
		}
	}
	return heat
}

func worstCell(c *series.MatrixCell) picture.HeatCell {
	if c.Ratio == nil {
		return picture.HeatCell{Ratio: 1, Text: "."}
	}
	sign := check.Signs[judge.SeenOnce]
	if c.Tests[judge.Violated] > 0 {
		sign = check.Signs[judge.Violated]
	}
	return picture.HeatCell{Ratio: *c.Ratio, Text: fmt.Sprintf("%.2f", *c.Ratio), Sign: sign[0], Word: sign[1]}
}
