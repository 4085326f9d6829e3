// Package table aligns rows on standard output.
package table

import (
	"fmt"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"pgmpi/internal/stats"
)

// Table shows its rows once it is flushed. Its columns have a least width, so that rows that are
// flushed one by one still line up.
type Table struct{ *tabwriter.Writer }

func New(header ...any) Table {
	t := Table{tabwriter.NewWriter(os.Stdout, 10, 0, 2, ' ', tabwriter.AlignRight)}
	t.Row(header...)
	return t
}

func (t Table) Row(cells ...any) {
	for _, c := range cells {
		fmt.Fprintf(t, "%v\t", c)
	}
	fmt.Fprintln(t)
}

// Quartiles returns the least number, the quartiles and the largest, or NaN without numbers.
func Quartiles(x []float64) (q [5]float64) {
	x = slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	for i := range q {
		var err error
		if q[i], err = stats.Quantile(x, float64(i)/4); err != nil {
			q[i] = math.NaN()
		}
	}
	return q
}
