// Package table aligns rows on standard output.
package table

import (
	"fmt"
	"os"
	"text/tabwriter"
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
