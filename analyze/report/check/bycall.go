package check

import (
	"fmt"
	"math"
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// sized stands for a case: a call at a size on a shape.
type sized interface{ AnySize() medians.Cell }

// ByCall parts cases that stand in the order of their calls.
func ByCall[T sized](cases []T) (out [][]T) {
	for i, from := 1, 0; i <= len(cases); i++ {
		if i == len(cases) || cases[i].AnySize() != cases[from].AnySize() {
			out, from = append(out, cases[from:i]), i
		}
	}
	return out
}

// TablesByCall returns a table for each call, and its picture if there is one. like is a table
// without rows.
func TablesByCall[T sized](cases []T, like document.Table, row func(*T) []string, figure func([]T) picture.Figure) (out []document.Section) {
	for _, of := range ByCall(cases) {
		call, t := of[0].AnySize(), like
		s := document.Titled("%s, %s", phrase.Function(call.Function), call.Shape)
		for i := range of {
			t.Add(row(&of[i])...)
		}
		s.Table = &t
		if figure != nil {
			s.Figures = []picture.Figure{figure(of)}
		}
		out = append(out, s)
	}
	return out
}

// OverSizes describes a column of values. A row has the least and the most over the sizes of its
// call.
type OverSizes[T any] struct {
	head  string
	of    func(*T) *float64
	write func(*float64) string
}

// Over makes a column.
func Over[T any](head string, of func(*T) *float64, write func(*float64) string) OverSizes[T] {
	return OverSizes[T]{head, of, write}
}

// CallsInRows returns a row for each call. Sizes without a value in the first column were not
// measured.
func CallsInRows[T sized](cases []T, title string, columns ...OverSizes[T]) []document.Section {
	t := &document.Table{Head: []string{"call", "sizes"}, Align: "lr"}
	for _, c := range columns {
		t.Columns("r", c.head)
	}
	several := slices.ContainsFunc(cases, func(c T) bool { return c.AnySize().Shape != cases[0].AnySize().Shape })
	for _, of := range ByCall(cases) {
		call := of[0].AnySize()
		row := []string{phrase.Function(call.Function) + phrase.When(several, ", %s", call.Shape), fmt.Sprint(len(of))}
		for i, c := range columns {
			least, most, n := math.Inf(1), math.Inf(-1), 0
			for k := range of {
				if x := c.of(&of[k]); x != nil {
					least, most, n = min(least, *x), max(most, *x), n+1
				}
			}
			if i == 0 && n < len(of) {
				row[1] = fmt.Sprintf("%d of %d", n, len(of))
			}
			switch low, high := c.write(&least), c.write(&most); {
			case n == 0:
				row = append(row, "-")
			case low == high:
				row = append(row, low)
			default:
				row = append(row, low+" – "+high)
			}
		}
		t.Add(row...)
	}
	return document.Tabled(t, "", "%s", title)
}
