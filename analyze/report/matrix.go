package report

import (
	"cmp"
	"maps"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
)

// marks are the cells of the matrix; a violation is the letter of its type, and all else a dot.
var marks = map[judge.Verdict]string{judge.Suspected: "?", judge.NotMeasured: "-", judge.Wrong: "x"}

// matrixRow is a guideline about one function on one shape.
type matrixRow struct {
	guideline, function, shape string
	typ                        guidelines.Type
}

// matrix is Table 4 of S-PGMPI: guideline × msize, without the rows where nothing
// was found. Sizes that do not fit beside each other go into another table.
func matrix(r *analyze.Report) []Section {
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
		return []Section{Titled("Matrix: %s checked, found 0 with a violation", conf.Plural(len(cells), "guideline row"))}
	}
	types := []guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern}
	slices.SortStableFunc(shown, func(a, b matrixRow) int { return slices.Index(types, a.typ) - slices.Index(types, b.typ) })
	var out []Section
	for columns := slices.Sorted(maps.Keys(sizes)); len(columns) > 0; {
		part := matrixPart(shown, cells, columns, len(r.Shapes) > 1)
		out = append(out, Section{Table: part})
		columns = columns[len(part.Head)-1:]
	}
	out[0].Title = "Matrix: guideline × msize in bytes (K = 1024)"
	out[len(out)-1].note("m, s, p: violated (monotony, split, pattern); ?: split suspected; .: no violation found; -: not measured; x: wrong data; blank: not planned. "+
		"%d more rows have nothing.", len(cells)-len(shown))
	return out
}

// matrixPart is a table of as many of the columns as fit.
func matrixPart(rows []matrixRow, cells map[matrixRow]map[int64]string, columns []int64, shapes bool) *Table {
	t := &Table{Head: []string{"guideline"}, Align: "l", Narrow: true}
	for _, row := range rows {
		t.Add(fit(row.guideline, 14) + " " + plain(row.function) + when(shapes, " %s", row.shape))
	}
	used := t.total(1)
	for i, s := range columns {
		head := conf.ShortSize(s)
		used += len(head) + 1
		if i > 0 && used > width {
			break
		}
		t.Head, t.Align = append(t.Head, head), t.Align+"r"
		for i, row := range rows {
			t.Rows[i] = append(t.Rows[i], cells[row][s])
		}
	}
	return t
}
