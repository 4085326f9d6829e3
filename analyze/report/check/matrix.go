package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// marks holds the cells of the matrix; a violation is the letter of its type, and all else a dot.
var marks = map[judge.Verdict]string{judge.SeenOnce: "1", judge.Suspected: "?", judge.NotMeasured: "-", judge.Wrong: "x"}

// byGuideline returns the tests of each guideline and collective on a shape, by type; "" is any
// shape.
func byGuideline(r *analyze.Report, shape string) [][]*analyze.Verdict {
	rows := analyze.Grouped(r.Where(func(v *analyze.Verdict) bool { return shape == "" || v.Shape == shape }),
		func(v *analyze.Verdict) [3]string { return [3]string{v.Guideline, v.Cell().Call(), v.Shape} })
	order := []guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern}
	slices.SortStableFunc(rows, func(a, b []*analyze.Verdict) int {
		return slices.Index(order, a[0].Type) - slices.Index(order, b[0].Type)
	})
	return rows
}

// matrix returns Table 4 of S-PGMPI: guideline × msize, without the rows where nothing was found.
func matrix(r *analyze.Report) []document.Section {
	rows := byGuideline(r, "")
	shown := slices.DeleteFunc(slices.Clone(rows), func(row []*analyze.Verdict) bool {
		return !slices.ContainsFunc(row, func(v *analyze.Verdict) bool {
			return v.Verdict == judge.Violated || v.Verdict == judge.Suspected || v.Verdict == judge.SeenOnce
		})
	})
	if len(shown) == 0 {
		return []document.Section{document.Titled("Matrix: %s checked, found 0 with a violation", conf.Plural(len(rows), "guideline row"))}
	}
	s := document.Titled("Violated, by size in bytes: m monotony, s split-robustness, p pattern")
	t := &document.Table{Head: []string{"guideline"}, Align: "l", Narrow: true, Key: 1, Tone: matrixTone}
	for _, row := range shown {
		t.Add(phrase.Fit(row[0].Guideline, 14) + " " + phrase.Plain(row[0].Cell().Call()) + phrase.When(len(r.Shapes) > 1, " %s", row[0].Shape))
	}
	for _, size := range sizesOf(r) {
		t.Columns("r", conf.ShortSize(size))
		for i, row := range shown {
			t.Rows[i] = append(t.Rows[i], matrixCell(row, size))
		}
	}
	s.Table = t
	s.Note("%s?: split suspected; .: no violation found; -: not measured; x: %s; blank: not planned; K = 1024. %d more rows have nothing.", phrase.When(r.SeenOnce != "", "1: seen once; "), wrongWords(r), len(rows)-len(shown))
	return []document.Section{s}
}

func matrixCell(row []*analyze.Verdict, size int64) string {
	i := slices.IndexFunc(row, func(v *analyze.Verdict) bool { return v.Msize == size })
	switch {
	case i < 0:
		return ""
	case row[i].Verdict == judge.Violated:
		return string(row[i].Type[:1])
	}
	return cmp.Or(marks[row[i].Verdict], ".")
}

func matrixTone(row []string, column int) picture.Tone {
	switch cell := row[column]; {
	case column == 0 || cell == "" || cell == "." || cell == "-":
		return picture.Plain
	case cell == marks[judge.Suspected]:
		return picture.Open
	}
	return picture.Slow
}

// Signs mark the cells of a heat map; the word says what the sign means.
var Signs = map[judge.Verdict][2]string{
	judge.Violated:    {"★", "violated"},
	judge.Suspected:   {"s", "suspected"},
	judge.SeenOnce:    {"1", "seen once"},
	judge.Undecided:   {"?", "undecided"},
	judge.NotMeasured: {"–", "not measured"},
	judge.Wrong:       {"✗", "wrong"},
}

// HeatMaps returns the ratios of all tests, guideline × msize, for each shape: first the guidelines
// with a finding, then the others, folded.
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
		s := document.Titled("How many times slower a call is than what it must not be slower than%s", name)
		if len(found.Rows) == 0 {
			s.Say("No guideline is violated, suspected or undecided at any size.")
		} else {
			s.Heat = found
		}
		if s.Heat != nil && !explained {
			explained = true
			s.Note("★ violated, ? undecided, s split suspected without a test, – not measured, ✗ %s; a number alone: no violation found; blank: not planned. "+
				"A cell leads to its picture.", wrongWords(r))
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

// HeatOf returns a heat map of guidelines at sizes, without rows, and its columns' sizes.
func HeatOf(sizes map[int64]bool) (m *picture.HeatMap, columns []int64) {
	m = &picture.HeatMap{Corner: "guideline"}
	columns = slices.Sorted(maps.Keys(sizes))
	m.Columns = lists.Map(columns, conf.ShortSize)
	return m, columns
}

// HeatRows returns the rows of one shape, those with a finding apart from the others.
func HeatRows(r *analyze.Report, shape string, drawn map[string]bool) (found, rest *picture.HeatMap) {
	sizes, ids, rows := map[int64]bool{}, PatternIDs(r), byGuideline(r, shape)
	for _, v := range slices.Concat(rows...) {
		sizes[v.Msize] = true
	}
	found, columns := HeatOf(sizes)
	rest, _ = HeatOf(sizes)
	for _, row := range rows {
		heat := picture.HeatRow{Name: row[0].Guideline + " " + phrase.Plain(row[0].Cell().Call()), Cells: make([]picture.HeatCell, len(columns))}
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
