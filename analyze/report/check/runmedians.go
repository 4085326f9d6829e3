package check

import (
	"math"

	"pgmpi/analyze/medians"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

// RunMedians hold the run medians of a results folder, for programs only.
var RunMedians = document.Kind[[]medians.CaseMedians]{Name: "medians", Rows: runMedianRows,
	Sections: func(*[]medians.CaseMedians) []document.Section { return nil }}

// runMedianColumns: new ones go to the end.
var runMedianColumns = []string{"function", "mockup_of", "msize", "shape", "np", "mpirun", "median_s", "n", "outliers", "finished_at",
	"mode", "calls", "invalid", "page_faults", "page_faults_rank", "switches", "switches_rank"}

func runMedianRows(list *[]medians.CaseMedians) [][]string {
	out := [][]string{runMedianColumns}
	for _, k := range *list {
		for _, r := range k.Runs {
			u := r.Usage
			out = append(out, phrase.Row(k.Function, k.MockupOf, k.Msize, k.Shape, k.NP, r.Run, r.Seconds(), r.Samples-r.Outliers, r.Outliers, r.FinishedAt,
				k.Mode, k.Calls, r.Invalid, ifCounted(u, u.Faults), ifCounted(u, u.FaultsRank), ifCounted(u, u.Switches), ifCounted(u, u.SwitchesRank)))
		}
	}
	return out
}

// ifCounted returns nil where the kernel counted nothing.
func ifCounted(u medians.Usage, value any) any {
	if math.IsNaN(u.Faults) {
		return nil
	}
	return value
}
