package report

import "pgmpi/analyze/medians"

// RunMedians are those of a results folder, for programs only.
var RunMedians = Kind[[]medians.CaseMedians]{Name: "medians", Rows: runMedianRows,
	Sections: func(*[]medians.CaseMedians) []Section { return nil }}

// runMedianColumns: new ones go to the end.
var runMedianColumns = []string{"function", "mockup_of", "msize", "shape", "np", "run", "median_s", "n", "outliers", "finished_at",
	"mode", "calls", "invalid"}

func runMedianRows(list *[]medians.CaseMedians) [][]string {
	out := [][]string{runMedianColumns}
	for _, k := range *list {
		for _, r := range k.Runs {
			out = append(out, row(k.Function, k.MockupOf, k.Msize, k.Shape, k.NP, r.Run, r.Seconds(), r.Samples-r.Outliers, r.Outliers, r.FinishedAt,
				k.Mode, k.Calls, r.Invalid))
		}
	}
	return out
}
