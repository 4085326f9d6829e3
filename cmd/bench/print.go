package main

import (
	"fmt"
	"math"
	"os"
	"text/tabwriter"

	"pgmpi/internal/stats"
)

// outcome prints one number beside its aim; it returns errMissed when the aim is
// missed.
func outcome(what, got, aim string, ok bool) error {
	if !ok {
		fmt.Printf("   missed: %s: %s (aim: %s)\n", what, got, aim)
		return errMissed
	}
	fmt.Printf("   ok: %s: %s (aim: %s)\n", what, got, aim)
	return nil
}

// table aligns rows on standard output once it is flushed. Its columns have a
// least width, so that rows that are flushed one by one still line up.
type table struct{ *tabwriter.Writer }

func newTable(header ...any) table {
	t := table{tabwriter.NewWriter(os.Stdout, 10, 0, 2, ' ', tabwriter.AlignRight)}
	t.row(header...)
	return t
}

func (t table) row(cells ...any) {
	for _, c := range cells {
		fmt.Fprintf(t, "%v\t", c)
	}
	fmt.Fprintln(t)
}

// number is "-" for what is not a number.
func number(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// per is how many there are for each of the others.
func per(n, of int) string { return number("%.2f", float64(n)/float64(of)) }

func percent(n, of int) string { return number("%.1f %%", 100*float64(n)/float64(of)) }

// quartiles are the least value, the quartiles and the largest; NaN of no values.
func quartiles(x []float64) (q [5]float64) {
	for i := range q {
		var err error
		if q[i], err = stats.Quantile(x, float64(i)/4); err != nil {
			q[i] = math.NaN()
		}
	}
	return q
}
