package report

import (
	"math"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
)

// RunMedians are those of a results folder, for programs only.
var RunMedians = Kind[[]analyze.RunMedian]{Name: "medians", Rows: runMedianRows,
	Sections: func(*[]analyze.RunMedian) []Section { return nil }}

// runMedianColumns: new ones go to the end.
var runMedianColumns = []string{"function", "mockup_of", "msize", "shape", "np", "run", "median_s", "n", "outliers", "finished_at",
	"mode", "calls", "invalid", "page_faults", "page_faults_rank", "switches", "switches_rank"}

func runMedianRows(list *[]analyze.RunMedian) [][]string {
	out := [][]string{runMedianColumns}
	for _, m := range *list {
		u := m.Usage
		out = append(out, row(m.Function, m.MockupOf, m.Msize, m.Shape, m.NP, m.Run, m.MedianS, m.N, m.Outliers, m.FinishedAt,
			m.Mode, m.Calls, m.Invalid, ifCounted(u, u.Faults), ifCounted(u, u.FaultsRank), ifCounted(u, u.Switches), ifCounted(u, u.SwitchesRank)))
	}
	return out
}

// ifCounted is a value of what the kernel counted; nil where it did not.
func ifCounted(u medians.Usage, value any) any {
	if math.IsNaN(u.Faults) {
		return nil
	}
	return value
}
