package check

import (
	"cmp"
	"maps"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// marks are the cells of the matrix; a violation is the letter of its type, and all else a dot.
var marks = map[judge.Verdict]string{judge.SeenOnce: "1", judge.Suspected: "?", judge.NotMeasured: "-", judge.Wrong: "x"}

type matrixRow struct {
	guideline, function, shape string
	typ                        guidelines.Type
}

// matrix is Table 4 of S-PGMPI: guideline × msize, without the rows where nothing was found. Unless all of it is wanted,
// it has only sizes with a finding, those with most where they do not fit beside each other.
func matrix(r *analyze.Report, all bool) []document.Section {
	cells := map[matrixRow]map[int64]string{}
	var order []matrixRow
	found := map[matrixRow]bool{}
	sizes := map[int64]int{} // findings
	for _, v := range r.Verdicts {
		row := matrixRow{v.Guideline, v.Function, v.Shape, v.Type}
		if cells[row] == nil {
			cells[row] = map[int64]string{}
			order = append(order, row)
		}
		cells[row][v.Msize] = cmp.Or(marks[v.Verdict], ".")
		sizes[v.Msize] += 0
		if v.Verdict == judge.Violated {
			cells[row][v.Msize] = string(v.Type[:1])
		}
		if v.Verdict == judge.Violated || v.Verdict == judge.Suspected && all || v.Verdict == judge.SeenOnce && all {
			found[row] = true
			sizes[v.Msize]++
		}
	}
	shown := slices.DeleteFunc(order, func(row matrixRow) bool { return !found[row] })
	if len(shown) == 0 && !all {
		return nil
	}
	if len(shown) == 0 {
		return []document.Section{document.Titled("Matrix: %s checked, found 0 with a violation", conf.Plural(len(cells), "guideline row"))}
	}
	slices.SortStableFunc(shown, func(a, b matrixRow) int { return typeOrder(a.typ) - typeOrder(b.typ) })
	s := document.Titled("Violated, by size in B: m monotony, s split-robustness, p pattern")
	t := &document.Table{Head: []string{"guideline"}, Align: "l", Narrow: true, Key: 1, Tone: matrixTone}
	for _, row := range shown {
		t.Add(phrase.Fit(row.guideline, 14) + " " + phrase.Plain(row.function) + phrase.When(len(r.Shapes) > 1, " %s", row.shape))
	}
	columns, left := slices.Sorted(maps.Keys(sizes)), 0
	if !all {
		columns, left = mostFound(sizes, document.LeastWidth-t.Width())
	}
	for _, size := range columns {
		t.Head, t.Align = append(t.Head, conf.ShortSize(size)), t.Align+"r"
		for i, row := range shown {
			t.Rows[i] = append(t.Rows[i], cells[row][size])
		}
	}
	s.Table = t
	switch {
	case all:
		s.Note("%s?: split suspected; .: no violation found; -: not measured; x: %s; blank: not planned; K = 1024. %d more rows have nothing.", phrase.When(r.SeenOnce != "", "1: seen once; "), wrongWords(r), len(cells)-len(shown))
	case left > 0:
		s.Note("%s more with --full.", conf.Plural(left, "size"))
	}
	return []document.Section{s}
}

// mostFound are the sizes with a finding, in order. Where their columns are wider together than a width, those with
// fewest findings are left out.
func mostFound(findings map[int64]int, width int) (columns []int64, left int) {
	for size, n := range findings {
		if n > 0 {
			columns = append(columns, size)
		}
	}
	slices.SortFunc(columns, func(a, b int64) int { return cmp.Or(findings[b]-findings[a], cmp.Compare(a, b)) })
	for i, size := range columns {
		if width -= len(conf.ShortSize(size)) + 1; width < 0 {
			columns, left = columns[:i], len(columns)-i
			break
		}
	}
	slices.Sort(columns)
	return columns, left
}

func matrixTone(row []string, column int) picture.Tone {
	switch cell := row[column]; {
	case column == 0 || cell == "" || cell == "." || cell == "-":
		return picture.Plain
	case cell == marks[judge.Suspected] || cell == marks[judge.SeenOnce]:
		return picture.Open
	}
	return picture.Slow
}
