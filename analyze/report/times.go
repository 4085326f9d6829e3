package report

import (
	"fmt"
	"pgmpi/analyze/samples"
	"pgmpi/analyze/series"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"slices"
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
	folderFact(&head, "Folder", t.Folder)
	head.Fact("Design", "datatype %s, op %s, root %d", t.Datatype, t.Op, t.Root)
	head.Fact("Sizes", "%s", t.MsizeLegend)
	head.Fact("Times", "of the run medians of all mpiruns: the smallest, quartiles and the largest")
	out := []document.Section{head}
	for i, k := range t.Cases {
		if i == 0 || k.Function != t.Cases[i-1].Function || k.Shape != t.Cases[i-1].Shape {
			s := document.Titled("%s, %s", functionName(k.Function), k.Shape)
			s.Table = &document.Table{Head: []string{"msize", "R", "min", "Q1", "median", "Q3", "max", ""}, Align: "rrrrrrrl", Flex: 7}
			out = append(out, s)
		}
		out[len(out)-1].Table.Add(phrase.Size(k.Msize), fmt.Sprint(k.R), phrase.Duration(k.MinS), phrase.Duration(k.Q1S), phrase.Duration(k.MedianS),
			phrase.Duration(k.Q3S), phrase.Duration(k.MaxS), k.Reason)
	}
	return out
}

// Spreads say how well measurements repeat.
var Spreads = document.Kind[series.Spread]{Name: "reproduce", Sections: spreadSections, Rows: spreadRows, JSON: true}

// spreadColumns are for one row per case and folder, as plotting programs like it.
var spreadColumns = []string{"function", "msize", "shape", "np", "folder", "normalised", "median_s", "min", "max", "max_over_min", "cv"}

func spreadRows(s *series.Spread) [][]string {
	out := [][]string{spreadColumns}
	for _, k := range s.Cases {
		for i, x := range k.Normalised {
			out = append(out, phrase.Row(k.Function, k.Msize, k.Shape, k.NP, s.Folders[i].Folder, x, k.MedianS, k.Min, k.Max, k.MaxOverMin, k.CV))
		}
	}
	return out
}

func spreadSections(s *series.Spread) []document.Section {
	var head document.Section
	for i, f := range s.Folders {
		folderFact(&head, fmt.Sprint(i+1), f)
	}
	head.Fact("Sizes", "%s", s.MsizeLegend)
	t := &document.Table{Head: []string{"function", "shape", "sizes", "largest max/min", "at", "median CV"}, Align: "llrrrr"}
	for _, f := range s.Functions {
		t.Add(functionName(f.Function), f.Shape, fmt.Sprint(f.Sizes), phrase.Digits(f.MaxOverMin), phrase.Size(f.WorstMsize), percent(f.CV))
	}
	return slices.Concat([]document.Section{head}, spreadCases(s), tabled(t, "", "Functions"), warnings(s.Warnings))
}

// spreadCases shows up to six folders one by one.
func spreadCases(s *series.Spread) []document.Section {
	const most = 6
	t := &document.Table{Head: []string{"function", "shape", "msize", "median"}, Align: "llrr"}
	folders := len(s.Folders)
	if folders > most {
		folders = 0
	}
	t.Spare = []int{4 + folders, 5 + folders, 7 + folders} // min, max, CV
	for i := range folders {
		t.Head, t.Align = append(t.Head, fmt.Sprint(i+1)), t.Align+"r"
		t.Spare = append(t.Spare, 3+folders-i)
	}
	t.Head, t.Align = append(t.Head, "min", "max", "max/min", "CV"), t.Align+"rrrr"
	for _, k := range s.Cases {
		row := []string{functionName(k.Function), k.Shape, phrase.Size(k.Msize), phrase.Duration(&k.MedianS)}
		for _, x := range k.Normalised[:folders] {
			row = append(row, phrase.Digits(x))
		}
		t.Add(append(row, phrase.Digits(k.Min), phrase.Digits(k.Max), phrase.Digits(k.MaxOverMin), percent(k.CV))...)
	}
	return tabled(t, "", "Run-times over the median of all folders (normalised), and their spread")
}

// percent writes a share: "1.5 %".
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
