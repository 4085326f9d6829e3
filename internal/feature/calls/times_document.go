package calls

import (
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/osu"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
)

var runTimes = document.Kind[Times]{Name: "times", NotJudged: (*Times).NotJudged, Parts: []document.Part[Times]{
	document.Show(document.Screen, timesScreen), document.Show(document.Full, timesSections)}, Ending: timesEnding,
	Rows: func(t *Times) [][]string { return analyze.Table(analyze.ColumnsOf[CaseTimes](), t.Cases) },
	JSON: true, Plotted: timesPlotted}

func timesPlotted(t *Times) string {
	known := lists.Keep(t.Cases, func(k CaseTimes) bool { return k.MedianS != nil })
	return osu.Text(phrase.ShortVersion(t.Folder.Library.Version), lists.Map(known, func(k CaseTimes) osu.Time {
		return osu.Time{Function: k.Function, Msize: k.Msize, Shape: guidelines.ShapeOf(k.Shape, k.NP),
			NS: *k.MedianS * 1e9}
	}))
}

func timesAnswer(t *Times) []document.Section {
	var s document.Section
	if worst, middle := widest(t); worst != nil {
		least, most := extremes(t)
		s.Say("%s take %s (%s at %s) to %s (%s at %s), in the median mpirun.", conf.Plural(len(t.Cases), "call"),
			phrase.Duration(least.MedianS), phrase.Function(least.Function), phrase.Size(least.Msize),
			phrase.Duration(most.MedianS), phrase.Function(most.Function), phrase.Size(most.Msize))
		s.Say("The slowest mpirun takes %s as long as the fastest in the median of %s, %s at worst (%s at %s, %s).",
			phrase.Ratio(&middle), conf.Plural(len(t.Cases), "call"),
			phrase.Ratio(apart(worst)), phrase.Function(worst.Function), phrase.Size(worst.Msize), worst.Shape)
	}
	s.Say("%s.", check.FolderSetUp(t.Folder, "", t.Operation))
	return []document.Section{s}
}

// apart returns the largest run median over the smallest.
func apart(k *CaseTimes) *float64 {
	if k.MinS == nil {
		return nil
	}
	return analyze.Number(*k.MaxS / *k.MinS)
}

// widest returns the case whose mpiruns are farthest apart. middle is how far they are apart in the median case.
func widest(t *Times) (worst *CaseTimes, middle float64) {
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

// extremes returns the fastest case and the slowest, of those that have times.
func extremes(t *Times) (least, most *CaseTimes) {
	for i := range t.Cases {
		k := &t.Cases[i]
		switch {
		case k.MedianS == nil:
			continue
		case least == nil:
			least, most = k, k
		case *k.MedianS < *least.MedianS:
			least = k
		case *k.MedianS > *most.MedianS:
			most = k
		}
	}
	return least, most
}

// timesScreen has a table of size × call for each shape.
func timesScreen(t *Times) []document.Section {
	out := timesAnswer(t)
	for _, of := range analyze.Grouped(t.Cases, func(k CaseTimes) string { return k.Shape }) {
		calls := analyze.Unique(lists.Map(of, func(k CaseTimes) string { return k.Function }))
		sizes := lists.Map(of, func(k CaseTimes) int64 { return k.Msize })
		slices.Sort(sizes)
		if n := len(slices.Compact(slices.Clone(sizes))); n*len(calls) > 4*len(of) { // mostly blank
			out = append(out, check.CallsInRows(of, "Run-times on "+of[0].Shape+", from the least of the sizes to the most",
				check.Over("median", func(k *CaseTimes) *float64 { return k.MedianS }, phrase.Duration))...)
			continue
		}
		grid := document.Table{Head: []string{"size"}, Align: "r", Key: 1}
		grid.Columns("r", lists.Map(calls, func(call string) string { return phrase.Fit(phrase.Function(call), 40) })...)
		for _, size := range slices.Compact(sizes) {
			row := make([]string, len(calls)+1)
			row[0] = phrase.Size(size)
			for _, k := range of {
				if k.Msize == size {
					row[1+slices.Index(calls, k.Function)] = phrase.Duration(k.MedianS)
				}
			}
			grid.Add(row...)
		}
		out = append(out, document.Tabled(&grid, "", "Run-times on %s, medians of the mpiruns", of[0].Shape)...)
	}
	return out
}

func timesEnding(t *Times, _ string) (e document.Ending) {
	if worst, _ := widest(t); worst != nil {
		e.Next = []document.Label{{Name: "Samples",
			Value: fmt.Sprintf("pgmpi fingerprint %s %s:%d:%s", conf.Folder(t.Folder.Folder),
				phrase.Function(worst.Function), worst.Msize, worst.Shape)}}
	}
	return e
}

func timesSections(t *Times) []document.Section {
	design := document.Titled("How it was measured")
	design.Fact("Folder", "%s", t.Folder.Folder)
	design.Fact("Design", "%s", t.Operation.Text())
	design.Fact("Times", "of the run medians of all mpiruns: the smallest, quartiles and the largest")
	design.Fact("Sizes", "%s", t.MsizeLegend)
	like := document.Table{Head: []string{"size", "R", "min", "Q1", "median", "Q3", "max", ""}, Align: "rrrrrrrl",
		Flex: 7}
	return append(slices.Concat(timesAnswer(t), check.TablesByCall(t.Cases, like, func(k *CaseTimes) []string {
		return []string{phrase.Size(k.Msize), fmt.Sprint(k.R), phrase.Duration(k.MinS), phrase.Duration(k.Q1S),
			phrase.Duration(k.MedianS), phrase.Duration(k.Q3S), phrase.Duration(k.MaxS), k.Reason}
	}, nil)), design)
}
