package report

import (
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
)

// marks are the cells of the matrix; a violation is the letter of its type.
var marks = map[judge.Verdict]string{
	judge.Suspected:   "?",
	judge.NotMeasured: "-",
	judge.Wrong:       "x",
}

var letters = map[guidelines.Type]string{guidelines.Monotony: "m", guidelines.Split: "s", guidelines.Pattern: "p"}

// matrixRow is a guideline about one function on one shape.
type matrixRow struct {
	guideline, function, shape string
	typ                        guidelines.Type
}

// matrix is Table 4 of S-PGMPI: guideline × msize, without the rows where
// nothing was found. Sizes that do not fit beside each other go into a
// further table.
func (p *page) matrix(r *analyze.Report) {
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
		cells[row][v.Msize] = mark(v)
		if v.Verdict == judge.Violated || v.Verdict == judge.Suspected {
			found[row] = true
		}
		sizes[v.Msize] = true
	}
	if len(found) == 0 {
		p.title("Matrix: %s checked, found 0 with a violation", plural(len(order), "guideline row"))
		return
	}
	shown := slices.DeleteFunc(order, func(row matrixRow) bool { return !found[row] })
	slices.SortStableFunc(shown, func(a, b matrixRow) int { return rank(a.typ) - rank(b.typ) })
	p.title("Matrix: guideline × msize in bytes (K = 1024)")
	columns := make([]int64, 0, len(sizes))
	for s := range sizes {
		columns = append(columns, s)
	}
	slices.Sort(columns)
	for len(columns) > 0 {
		columns = columns[p.matrixPart(shown, cells, columns, len(r.Shapes) > 1):]
	}
	p.say("m, s, p: violated (monotony, split, pattern); ?: split suspected; .: no violation found; -: not measured; x: wrong data; blank: not planned. "+
		"%d more rows have nothing.", len(cells)-len(shown))
}

func rank(t guidelines.Type) int {
	return slices.Index([]guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern}, t)
}

func mark(v analyze.Verdict) string {
	if v.Verdict == judge.Violated {
		return letters[v.Type]
	}
	if m, ok := marks[v.Verdict]; ok {
		return m
	}
	return "."
}

// matrixPart writes as many columns as fit and returns how many.
func (p *page) matrixPart(rows []matrixRow, cells map[matrixRow]map[int64]string, columns []int64, shapes bool) int {
	g := grid{head: []string{"guideline"}, align: "l", gap: 1}
	used := cellWidth(g.head[0])
	for _, row := range rows {
		label := fit(row.guideline, 14) + " " + plain(row.function)
		if shapes {
			label += " " + row.shape
		}
		used = max(used, cellWidth(label))
		g.rows = append(g.rows, []string{label})
	}
	used += g.gap
	n := 0
	for n < len(columns) && (n == 0 || used+len(shortSize(columns[n]))+g.gap <= width) {
		s := columns[n]
		used += len(shortSize(s)) + g.gap
		g.head, g.align = append(g.head, shortSize(s)), g.align+"r"
		for i, row := range rows {
			g.rows[i] = append(g.rows[i], cells[row][s])
		}
		n++
	}
	p.grid(g)
	return n
}
