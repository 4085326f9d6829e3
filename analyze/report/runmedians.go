package report

import "pgmpi/analyze"

// RunMedians are those of a results folder, for programs only.
var RunMedians = Kind[[]analyze.RunMedian]{Name: "medians", Rows: runMedianRows,
	Sections: func(*[]analyze.RunMedian) []Section { return nil }}

// runMedianColumns: new ones go to the end.
var runMedianColumns = []string{"function", "mockup_of", "msize", "shape", "np", "run", "median_s", "n", "outliers", "finished_at",
	"mode", "calls", "invalid"}

func runMedianRows(list *[]analyze.RunMedian) [][]string {
	out := [][]string{runMedianColumns}
	for _, m := range *list {
		out = append(out, row(m.Function, m.MockupOf, m.Msize, m.Shape, m.NP, m.Run, m.MedianS, m.N, m.Outliers, m.FinishedAt,
			m.Mode, m.Calls, m.Invalid))
	}
	return out
}
