package averages

import (
	"fmt"
	"strings"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

// kind shows what a check would have found by other summaries.
var kind = document.Kind[Summaries]{Name: "summaries", JSON: true,
	Parts: []document.Part[Summaries]{
		document.Show(document.Screen, func(s *Summaries) []document.Section { return summarySections(s, 12) }),
		document.Show(document.Full, func(s *Summaries) []document.Section {
			return summarySections(s, len(s.Tests))
		})}}

var summaryMeanings = map[Summary]string{
	RunMedian:   "the median of an mpirun, without outliers: what pgmpi takes",
	Least:       "the least of an mpirun",
	Mean:        "the mean of an mpirun, outliers too",
	MeanOfMeans: "one mean for all mpiruns, and no test",
	RanksMean:   "the median of what the ranks took in the mean",
	RanksLeast:  "the median of what the fastest rank took",
}

func summarySections(s *Summaries, most int) []document.Section {
	var answer document.Section
	var others []string
	for _, b := range s.By[1:] {
		others = append(others, fmt.Sprintf("%s %d (%d more, %d missed)", b.Summary, b.Slow, b.More, b.Missed))
	}
	answer.Say("Run medians find %d of %s violated; %s.", s.By[0].Slow, conf.Plural(len(s.Tests), "test"), strings.Join(others, ", "))
	check.FolderFact(&answer, "Folder", s.Folder, s.Operation)
	t := &document.Table{Head: []string{"summary", "too slow", "more", "missed", "what stands for an mpirun"}, Align: "lrrrl", Flex: 4}
	several := &document.Table{Head: []string{"guideline", "size"}, Align: "lr", Narrow: true}
	for _, b := range s.By {
		t.Add(string(b.Summary), fmt.Sprint(b.Slow), phrase.BlankZero(b.More), phrase.BlankZero(b.Missed), summaryMeanings[b.Summary])
		several.Columns("l", string(b.Summary))
	}
	differ := lists.Keep(s.Tests, func(t SummariesTest) bool { return t.Differs() })
	shown, more := phrase.First(differ, most, "%d more with --full.")
	for _, k := range shown {
		row := []string{phrase.Fit(k.Guideline, 14) + " " + phrase.Plain(k.Function), phrase.Size(k.Msize)}
		for i, ratio := range k.Ratios {
			row = append(row, phrase.When(k.Slow[i], "● ")+phrase.Ratio(ratio))
		}
		several.Add(row...)
	}
	out := append([]document.Section{answer}, document.Tabled(t, "more, missed: than by run medians. The tests are the same, with the same level; only mean-of-means has none, and counts from "+phrase.Ratio(&s.MinSlowdown)+" on.", "Patterns and monotony by each summary")...)
	return append(out, document.Tabled(several, strings.TrimSpace("●: too slow. "+more), "Where they differ: %d of %s", len(differ), conf.Plural(len(s.Tests), "test"))...)
}
