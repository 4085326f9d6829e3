package check

import (
	"fmt"
	"maps"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// Signs mark the cells of a heat map; the word says what the sign means.
var Signs = map[judge.Verdict][2]string{
	judge.Violated:    {"★", "violated"},
	judge.Suspected:   {"s", "suspected"},
	judge.SeenOnce:    {"1", "seen once"},
	judge.Undecided:   {"?", "undecided"},
	judge.NotMeasured: {"–", "not measured"},
	judge.Wrong:       {"✗", "wrong"},
}

// HeatMaps are the ratios of all tests, guideline × msize, for each shape: first the guidelines with a finding, and
// folded those without.
func HeatMaps(r *analyze.Report) []document.Section {
	var out []document.Section
	drawn := map[string]bool{} // IDs of figures
	for _, f := range slices.Concat(PatternFigures(r), LatencyFigures(r)) {
		drawn[f.ID] = true
	}
	explained := false
	for _, shape := range r.Shapes {
		found, rest := HeatRows(r, shape.Name, drawn)
		name := phrase.When(len(r.Shapes) > 1, ", %s", shape.Name)
		s := document.Titled("Heat map%s: how many times slower a call is than what it must not be slower than", name)
		if len(found.Rows) == 0 {
			s.Say("No guideline is violated, suspected or undecided at any size.")
		} else {
			s.Heat = found
		}
		if s.Heat != nil && !explained {
			explained = true
			s.Note("★ violated, ? undecided, s split suspected without a test, – not measured, ✗ %s; a number alone: no violation found; blank: not planned. "+
				"1.00: both take equally long; the stronger the warm colour, the slower the call, and the cold one, the faster. A cell leads to its picture.", wrongWords(r))
		}
		out = append(out, s)
		if len(rest.Rows) > 0 {
			folded := document.Titled("%s without a finding%s", conf.Plural(len(rest.Rows), "more guideline row"), name)
			folded.Folded, folded.Heat = true, rest
			out = append(out, folded)
		}
	}
	return out
}

// HeatOf is a heat map without rows, of guidelines at sizes, and the sizes of its columns.
func HeatOf(sizes map[int64]bool) (m *picture.HeatMap, columns []int64) {
	m = &picture.HeatMap{Corner: "guideline"}
	columns = slices.Sorted(maps.Keys(sizes))
	for _, s := range columns {
		m.Columns = append(m.Columns, conf.ShortSize(s))
	}
	return m, columns
}

// HeatRows are the rows of one shape, those with a finding apart from the others.
func HeatRows(r *analyze.Report, shape string, drawn map[string]bool) (found, rest *picture.HeatMap) {
	sizes, ids, rows := map[int64]bool{}, PatternIDs(r), byGuideline(r, shape)
	for _, v := range slices.Concat(rows...) {
		sizes[v.Msize] = true
	}
	found, columns := HeatOf(sizes)
	rest, _ = HeatOf(sizes)
	for _, row := range rows {
		heat := picture.HeatRow{Name: row[0].Guideline + " " + phrase.Plain(row[0].Function), Cells: make([]picture.HeatCell, len(columns))}
		into := rest
		for _, v := range row {
			at, _ := slices.BinarySearch(columns, v.Msize)
			heat.Cells[at] = heatCell(v, drawn, ids)
			if isFound(v) || v.Verdict == judge.Suspected || v.Verdict == judge.Wrong {
				into = found
			}
		}
		into.Rows = append(into.Rows, heat)
	}
	return found, rest
}

func heatCell(v *analyze.Verdict, drawn map[string]bool, ids map[PatternKey]string) picture.HeatCell {
	link := ""
	for _, id := range []string{latencyID(v.Function), ids[PatternOf(v)]} {
		if drawn[id] {
			link = id
		}
	}
	return HeatCell(v.Verdict, v.Ratio, link)
}

func HeatCell(verdict judge.Verdict, ratio *float64, link string) picture.HeatCell {
	sign := Signs[verdict]
	c := picture.HeatCell{Sign: sign[0], Word: sign[1], Link: link}
	if ratio != nil {
		c.Ratio, c.Text = *ratio, fmt.Sprintf("%.2f", *ratio)
		if *ratio >= 9.995 {
			c.Text = fmt.Sprintf("%.3g", *ratio)
		}
	}
	return c
}
