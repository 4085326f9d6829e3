package calls

import (
	"fmt"
	"slices"

	"pgmpi/analyze/report/check"
	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
	"pgmpi/measure/results/imported"
)

// RunTimes are the run-times of a results folder.
var RunTimes = document.Kind[samples.Times]{Name: "times", Sections: timesSections, Screen: timesScreen, Ending: timesEnding, Rows: timesRows, JSON: true, Plotted: timesPlotted}

// timesColumns are the names of times.json. New columns go to the end.
var timesColumns = []string{"function", "msize", "shape", "np", "r", "min_s", "q1_s", "median_s", "q3_s", "max_s", "reason"}

func timesRows(t *samples.Times) [][]string {
	out := [][]string{timesColumns}
	for _, k := range t.Cases {
		out = append(out, phrase.Row(k.Function, k.Msize, k.Shape, k.NP, k.R, k.MinS, k.Q1S, k.MedianS, k.Q3S, k.MaxS, k.Reason))
	}
	return out
}

// timesPlotted are the medians over the mpiruns, as OSU's benchmarks print times.
func timesPlotted(t *samples.Times) string {
	var times []imported.OSUTime
	for _, k := range t.Cases {
		if k.MedianS != nil {
			times = append(times, imported.OSUTime{Function: k.Function, Msize: k.Msize, Shape: guidelines.ShapeOf(k.Shape, k.NP), NS: *k.MedianS * 1e9})
		}
	}
	return imported.OSUText(phrase.ShortVersion(t.Folder.Library.Version), times)
}

// timesAnswer says how far the mpiruns are apart, and where most.
func timesAnswer(t *samples.Times) []document.Section {
	var s document.Section
	if worst, middle := widest(t); worst == nil {
		s.Say("NOTHING WAS MEASURED of these calls.")
	} else {
		s.Say("The slowest mpirun takes %s as long as the fastest in the median of %s, %s at worst (%s at %s, %s).", phrase.Ratio(&middle), conf.Plural(len(t.Cases), "call"),
			phrase.Ratio(apart(worst)), phrase.Function(worst.Function), phrase.Size(worst.Msize), worst.Shape)
	}
	s.Say("%s.", check.FolderSetUp(t.Folder, "", t.Operation))
	return []document.Section{s}
}

// apart is the largest run median over the smallest.
func apart(k *samples.CaseTimes) *float64 {
	if k.MinS == nil || *k.MinS == 0 {
		return nil
	}
	ratio := *k.MaxS / *k.MinS
	return &ratio
}

// widest is the case whose mpiruns are farthest apart, and the median over the cases.
func widest(t *samples.Times) (worst *samples.CaseTimes, middle float64) {
	var all []float64
	for i := range t.Cases {
		if x := apart(&t.Cases[i]); x != nil {
			if all = append(all, *x); worst == nil || *x > *apart(worst) {
				worst = &t.Cases[i]
			}
		}
	}
	return worst, stats.MedianFinite(all)
}

// timesScreen has the medians alone.
func timesScreen(t *samples.Times) []document.Section {
	table := &document.Table{Head: []string{"median"}, Align: "l", Key: 1}
	rows := map[string]int{}
	for _, k := range t.Cases {
		size, name := phrase.Size(k.Msize), phrase.Function(k.Function)+", "+k.Shape
		if !slices.Contains(table.Head, size) {
			table.Head, table.Align = append(table.Head, size), table.Align+"r"
		}
		if _, there := rows[name]; !there {
			rows[name] = len(table.Rows)
			table.Add(name)
		}
	}
	for i := range table.Rows {
		table.Rows[i] = slices.Concat(table.Rows[i], make([]string, len(table.Head)-1))
	}
	for _, k := range t.Cases {
		row := rows[phrase.Function(k.Function)+", "+k.Shape]
		table.Rows[row][slices.Index(table.Head, phrase.Size(k.Msize))] = phrase.Duration(k.MedianS)
	}
	return slices.Concat(timesAnswer(t), document.Tabled(table, "", "Run-times, medians over the mpiruns"))
}

// timesEnding looks at the samples of the widest case.
func timesEnding(t *samples.Times, _ string) (e document.Ending) {
	if worst, _ := widest(t); worst != nil {
		e.Next = []document.Label{{Name: "Samples", Value: fmt.Sprintf("pgmpi fingerprint %s %s:%d:%s", conf.Folder(t.Folder.Folder), phrase.Function(worst.Function), worst.Msize, worst.Shape)}}
	}
	return e
}

// timesSections has a table for every function and number of processes.
func timesSections(t *samples.Times) []document.Section {
	out := timesAnswer(t)
	head := &out[0]
	head.Fact("Folder", "%s", t.Folder.Folder)
	head.Fact("Design", "%s", t.Operation.Text())
	head.Fact("Sizes", "%s", t.MsizeLegend)
	head.Fact("Times", "of the run medians of all mpiruns: the smallest, quartiles and the largest")
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
