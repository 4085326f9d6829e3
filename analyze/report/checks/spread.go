package checks

import (
	"fmt"
	"slices"

	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
)

var Spreads = document.Kind[series.Spread]{Name: "reproduce", Rows: spreadRows, JSON: true,
	Parts: []document.Part[series.Spread]{
		document.Show(document.Everywhere, spreadAnswer), document.Show(document.Full, spreadCases, spreadRemarks)}}

func spreadRows(s *series.Spread) [][]string {
	out := [][]string{{"function", "msize", "shape", "np", "folder", "normalised", "median_s", "min", "max", "max_over_min", "cv"}}
	for _, k := range s.Cases {
		for i, x := range k.Normalised {
			out = append(out, phrase.Row(k.Function, k.Msize, k.Shape, k.NP, s.Folders[i].Folder, x, k.MedianS, k.Min, k.Max, k.MaxOverMin, k.CV))
		}
	}
	return out
}

func spreadRemarks(s *series.Spread) []document.Section {
	var sizes document.Section
	sizes.Fact("Sizes", "%s", s.MsizeLegend)
	return append(check.Warnings(s.Warnings), sizes)
}

func spreadAnswer(s *series.Spread) []document.Section {
	worst := s.Cases[0]
	var all []float64
	for _, k := range s.Cases {
		if all = append(all, k.MaxOverMin); k.MaxOverMin > worst.MaxOverMin {
			worst = k
		}
	}
	middle := stats.MedianFinite(all)
	var head document.Section
	head.Say("REPEATS within %s in the median of %s, %s at worst (%s at %s): the slowest folder over the fastest.", phrase.Ratio(&middle), conf.Plural(len(all), "case"),
		phrase.Ratio(&worst.MaxOverMin), phrase.Function(worst.Function), phrase.Size(worst.Msize))
	for i, f := range s.Folders {
		check.FolderFact(&head, fmt.Sprint(i+1), f, s.Operation)
	}
	if n := len(s.Warnings); n > 0 {
		head.Fact("Differ", "%s, so that the spread does not come from the measurement alone: --full.", conf.Plural(n, "thing"))
	}
	t := &document.Table{Head: []string{"call", "on", "sizes", "slowest/fastest", "at", "median CV"}, Align: "llrrrr"}
	for _, f := range s.Functions {
		t.Add(phrase.Function(f.Function), f.Shape, fmt.Sprint(f.Sizes), phrase.Digits(f.MaxOverMin), phrase.Size(f.WorstMsize), phrase.Percent(f.CV))
	}
	return slices.Concat([]document.Section{head}, document.Tabled(t, "", "Functions"))
}

// spreadCases shows up to six folders one by one.
func spreadCases(s *series.Spread) []document.Section {
	const most = 6
	t := &document.Table{Head: []string{"call", "on", "size", "median"}, Align: "llrr"}
	folders := len(s.Folders)
	if folders > most {
		folders = 0
	}
	t.Spare = []int{4 + folders, 5 + folders, 7 + folders} // min, max, CV
	for i := range folders {
		t.Columns("r", fmt.Sprint(i+1))
		t.Spare = append(t.Spare, 3+folders-i)
	}
	t.Columns("r", "min", "max", "max/min", "CV")
	for _, k := range s.Cases {
		row := []string{phrase.Function(k.Function), k.Shape, phrase.Size(k.Msize), phrase.Duration(&k.MedianS)}
		row = append(row, lists.Map(k.Normalised[:folders], phrase.Digits)...)
		t.Add(append(row, phrase.Digits(k.Min), phrase.Digits(k.Max), phrase.Digits(k.MaxOverMin), phrase.Percent(k.CV))...)
	}
	return document.Tabled(t, "", "Run-times over the median of all folders (normalised), and their spread")
}
