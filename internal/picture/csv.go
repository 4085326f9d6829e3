package picture

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"

	"pgmpi/internal/clean"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

// writeCSV writes the data of a picture: a row for each point, one for each value of which the
// point is the middle, and one for each mark.
func writeCSV(w io.Writer, p *Picture) error {
	rows := panelRows(p.Panels)
	if p.Heat != nil {
		rows = heatRows(p.Heat)
	}
	return csv.NewWriter(w).WriteAll(lists.Map(rows, func(row []string) []string { return lists.Map(row, clean.Cell) }))
}

func panelRows(panels []Figure) [][]string {
	out := [][]string{{"panel", "series", "name", "x", "each", "y", "lo", "hi", "sign", "text"}}
	for i := range panels {
		f := &panels[i]
		for _, s := range f.Series {
			for _, k := range s.Points {
				out = append(out, []string{f.Title, s.Name, cmp.Or(nameOn(f.X, k.X), nameOn(f.Y, k.Y)), value(k.X), "", value(k.Y), value(k.Lo), value(k.Hi), "", k.Text})
				for n, y := range k.Each {
					out = append(out, []string{f.Title, s.Name, nameOn(f.X, k.X), value(k.X), fmt.Sprint(n + 1), value(y), "", "", "", ""})
				}
			}
		}
		for _, m := range f.Marks {
			out = append(out, []string{f.Title, "", nameOn(f.X, m.X), value(m.X), "", "", "", "", shown(m.Sign), m.Text})
		}
	}
	return out
}

// value writes a number, or an empty cell for what is undefined.
func value(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return number(x)
}

func number(x float64) string { return fmt.Sprintf("%.9g", x) }

func nameOn(a Axis, x float64) string {
	if i := int(x); a.Scale == Named && i >= 0 && i < len(a.Names) {
		return a.Names[i]
	}
	return ""
}

func heatRows(m *HeatMap) [][]string {
	out := [][]string{{"row", "column", "ratio", "what"}}
	for _, r := range m.Rows {
		for i, cell := range r.Cells {
			if cell == (HeatCell{}) {
				continue
			}
			ratio := phrase.When(cell.Ratio > 0, "%s", number(cell.Ratio))
			out = append(out, []string{r.Name, m.Columns[i], ratio, cell.Word})
		}
	}
	return out
}
