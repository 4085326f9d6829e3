package calls

import (
	"fmt"

	"pgmpi/analyze/report/check"
	"pgmpi/analyze/samples"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

// RunTimes are the run-times of a results folder.
var RunTimes = document.Kind[samples.Times]{Name: "times", Sections: timesSections, Rows: timesRows, JSON: true}

// timesColumns are the names of times.json. New columns go to the end.
var timesColumns = []string{"function", "msize", "shape", "np", "r", "min_s", "q1_s", "median_s", "q3_s", "max_s", "reason"}

func timesRows(t *samples.Times) [][]string {
	out := [][]string{timesColumns}
	for _, k := range t.Cases {
		out = append(out, phrase.Row(k.Function, k.Msize, k.Shape, k.NP, k.R, k.MinS, k.Q1S, k.MedianS, k.Q3S, k.MaxS, k.Reason))
	}
	return out
}

// timesSections has a table for every function and number of processes.
func timesSections(t *samples.Times) []document.Section {
	var head document.Section
	check.FolderFact(&head, "Folder", t.Folder)
	head.Fact("Design", "%s", t.Operation.Text())
	head.Fact("Sizes", "%s", t.MsizeLegend)
	head.Fact("Times", "of the run medians of all mpiruns: the smallest, quartiles and the largest")
	out := []document.Section{head}
	for i, k := range t.Cases {
		if i == 0 || k.Function != t.Cases[i-1].Function || k.Shape != t.Cases[i-1].Shape {
			s := document.Titled("%s, %s", phrase.Function(k.Function), k.Shape)
			s.Table = &document.Table{Head: []string{"msize", "R", "min", "Q1", "median", "Q3", "max", ""}, Align: "rrrrrrrl", Flex: 7}
			out = append(out, s)
		}
		out[len(out)-1].Table.Add(phrase.Size(k.Msize), fmt.Sprint(k.R), phrase.Duration(k.MinS), phrase.Duration(k.Q1S), phrase.Duration(k.MedianS),
			phrase.Duration(k.Q3S), phrase.Duration(k.MaxS), k.Reason)
	}
	return out
}
