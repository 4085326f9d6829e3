package report

import (
	"fmt"

	"pgmpi/analyze"
)

// RunTimes are the run-times of a results folder.
var RunTimes = Kind[analyze.Times]{Name: "times", Sections: timesSections, Rows: timesRows, JSON: true}

// timesColumns are the names of times.json. New columns go to the end.
var timesColumns = []string{"function", "msize", "shape", "np", "r", "min_s", "q1_s", "median_s", "q3_s", "max_s", "reason"}

func timesRows(t *analyze.Times) [][]string {
	out := [][]string{timesColumns}
	for _, k := range t.Cases {
		out = append(out, row(k.Function, k.Msize, k.Shape, k.NP, k.R, k.MinS, k.Q1S, k.MedianS, k.Q3S, k.MaxS, k.Reason))
	}
	return out
}

// timesSections has a table for every function and number of processes.
func timesSections(t *analyze.Times) []Section {
	var head Section
	head.folderFact("Folder", t.Folder)
	head.Fact("Design", "datatype %s, op %s, root %d", t.Datatype, t.Op, t.Root)
	head.Fact("Sizes", "%s", t.MsizeLegend)
	head.Fact("Times", "of the run medians of all mpiruns: the smallest, quartiles and the largest")
	out := []Section{head}
	for i, k := range t.Cases {
		if i == 0 || k.Function != t.Cases[i-1].Function || k.Shape != t.Cases[i-1].Shape {
			s := Titled("%s, %s", functionName(k.Function), k.Shape)
			s.Table = &Table{Head: []string{"msize", "R", "min", "Q1", "median", "Q3", "max", ""}, Align: "rrrrrrrl", Flex: 7}
			out = append(out, s)
		}
		out[len(out)-1].Table.Add(size(k.Msize), fmt.Sprint(k.R), duration(k.MinS), duration(k.Q1S), duration(k.MedianS),
			duration(k.Q3S), duration(k.MaxS), k.Reason)
	}
	return out
}
