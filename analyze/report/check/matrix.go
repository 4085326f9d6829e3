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
var marks = map[judge.Verdict]string{judge.Suspected: "?", judge.NotMeasured: "-", judge.Wrong: "x"}

type matrixRow struct {
	guideline, function, shape string
	typ                        guidelines.Type
}

// matrix is Table 4 of S-PGMPI: guideline × msize, without the rows where nothing was found.
func matrix(r *analyze.Report) []document.Section {
	cells := map[matrixRow]map[int64]string{}
	var order []matrixRow
	found := map[matrixRow]bool{}
	sizes := map[int64]bool{}
	for _, v := range r.Verdicts {
		row := matrixRow{v.Guideline, v.Function, v.Shape, v.Type}
		if cells[row] == nil {
			cells[row] = map[int64]string{}
			order = append(order, row)
		}
		cells[row][v.Msize] = cmp.Or(marks[v.Verdict], ".")
		if v.Verdict == judge.Violated {
			cells[row][v.Msize] = string(v.Type[:1])
		}
		found[row] = found[row] || v.Verdict == judge.Violated || v.Verdict == judge.Suspected
		sizes[v.Msize] = true
	}
	shown := slices.DeleteFunc(order, func(row matrixRow) bool { return !found[row] })
	if len(shown) == 0 {
		return []document.Section{document.Titled("Matrix: %s checked, found 0 with a violation", conf.Plural(len(cells), "guideline row"))}
	}
	types := []guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern}
	slices.SortStableFunc(shown, func(a, b matrixRow) int { return slices.Index(types, a.typ) - slices.Index(types, b.typ) })
	s := document.Titled("Matrix: guideline × msize in bytes (K = 1024)")
	t := &document.Table{Head: []string{"guideline"}, Align: "l", Narrow: true, Key: 1, Tone: matrixTone}
	for _, row := range shown {
		t.Add(phrase.Fit(row.guideline, 14) + " " + phrase.Plain(row.function) + phrase.When(len(r.Shapes) > 1, " %s", row.shape))
	}
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		t.Head, t.Align = append(t.Head, conf.ShortSize(size)), t.Align+"r"
		for i, row := range shown {
			t.Rows[i] = append(t.Rows[i], cells[row][size])
		}
	}
	s.Table = t
	s.Note("m, s, p: violated (monotony, split, pattern); ?: split suspected; .: no violation found; -: not measured; x: %s; blank: not planned. "+
		"%d more rows have nothing.", wrongWords(r), len(cells)-len(shown))
	return []document.Section{s}
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
