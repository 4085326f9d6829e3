package calls

import (
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/osu"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/stats"
)

var RunTimes = document.Kind[samples.Times]{Name: "times", NotJudged: (*samples.Times).NotJudged, Sections: timesSections, Screen: timesScreen, Ending: timesEnding, Rows: timesRows, JSON: true, Plotted: timesPlotted}

func timesRows(t *samples.Times) [][]string {
	out := [][]string{{"function", "msize", "shape", "np", "r", "min_s", "q1_s", "median_s", "q3_s", "max_s", "reason"}}
	for _, k := range t.Cases {
		out = append(out, phrase.Row(k.Function, k.Msize, k.Shape, k.NP, k.R, k.MinS, k.Q1S, k.MedianS, k.Q3S, k.MaxS, k.Reason))
	}
	return out
}

func timesPlotted(t *samples.Times) string {
	known := lists.Keep(t.Cases, func(k samples.CaseTimes) bool { return k.MedianS != nil })
	return osu.Text(phrase.ShortVersion(t.Folder.Library.Version), lists.Map(known, func(k samples.CaseTimes) osu.Time {
		return osu.Time{Function: k.Function, Msize: k.Msize, Shape: guidelines.ShapeOf(k.Shape, k.NP), NS: *k.MedianS * 1e9}
	}))
}

func timesAnswer(t *samples.Times) []document.Section {
	var s document.Section
	if worst, middle := widest(t); worst != nil {
		s.Say("The slowest mpirun takes %s as long as the fastest in the median of %s, %s at worst (%s at %s, %s).", phrase.Ratio(&middle), conf.Plural(len(t.Cases), "call"),
			phrase.Ratio(apart(worst)), phrase.Function(worst.Function), phrase.Size(worst.Msize), worst.Shape)
	}
	s.Say("%s.", check.FolderSetUp(t.Folder, "", t.Operation))
	return []document.Section{s}
}

// apart is the largest run median over the smallest.
func apart(k *samples.CaseTimes) *float64 {
	if k.MinS == nil {
		return nil
	}
	return analyze.Number(*k.MaxS / *k.MinS)
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

func timesScreen(t *samples.Times) []document.Section {
	return slices.Concat(timesAnswer(t), check.CallsInRows(t.Cases, "Run-times, from the least of the sizes to the most",
		check.Over("median", func(k *samples.CaseTimes) *float64 { return k.MedianS }, phrase.Duration),
		check.Over("slowest/fastest mpirun", apart, phrase.Ratio)))
}

func timesEnding(t *samples.Times, _ string) (e document.Ending) {
	if worst, _ := widest(t); worst != nil {
		e.Next = []document.Label{{Name: "Samples", Value: fmt.Sprintf("pgmpi fingerprint %s %s:%d:%s", conf.Folder(t.Folder.Folder), phrase.Function(worst.Function), worst.Msize, worst.Shape)}}
	}
	return e
}

func timesSections(t *samples.Times) []document.Section {
	design := document.Titled("How it was measured")
	design.Fact("Folder", "%s", t.Folder.Folder)
	design.Fact("Design", "%s", t.Operation.Text())
	design.Fact("Times", "of the run medians of all mpiruns: the smallest, quartiles and the largest")
	design.Fact("Sizes", "%s", t.MsizeLegend)
	like := document.Table{Head: []string{"msize", "R", "min", "Q1", "median", "Q3", "max", ""}, Align: "rrrrrrrl", Flex: 7}
	return append(slices.Concat(timesAnswer(t), check.TablesByCall(t.Cases, like, func(k *samples.CaseTimes) []string {
		return []string{phrase.Size(k.Msize), fmt.Sprint(k.R), phrase.Duration(k.MinS), phrase.Duration(k.Q1S), phrase.Duration(k.MedianS), phrase.Duration(k.Q3S), phrase.Duration(k.MaxS), k.Reason}
	}, nil)), design)
}

var PipelinedTimes = document.Kind[samples.Pipelined]{Name: "pipelined", NotJudged: (*samples.Pipelined).NotJudged, Sections: pipelinedSections, Screen: pipelinedScreen, Rows: pipelinedRows, JSON: true}

func pipelinedRows(p *samples.Pipelined) [][]string {
	out := [][]string{{"function", "msize", "shape", "np", "calls", "mpirun", "single_s", "row_s", "mean_s", "reason"}}
	for _, c := range p.Cases {
		for _, r := range c.Runs {
			out = append(out, phrase.Row(c.Function, c.Msize, c.Shape, c.NP, c.Calls, r.Run, r.SingleS, r.RowS, r.MeanS, ""))
		}
		if len(c.Runs) == 0 {
			out = append(out, phrase.Row(c.Function, c.Msize, c.Shape, c.NP, nil, nil, nil, nil, nil, c.Reason))
		}
	}
	return out
}

func pipelinedScreen(p *samples.Pipelined) []document.Section {
	return slices.Concat(pipelinedAnswer(p), check.CallsInRows(p.Cases, "Time of a call, from the least of the sizes to the most",
		check.Over("single", func(c *samples.PipelinedCase) *float64 { return c.SingleS }, phrase.Duration),
		check.Over("in a row", func(c *samples.PipelinedCase) *float64 { return c.RowS }, phrase.Duration),
		check.Over("row/single", func(c *samples.PipelinedCase) *float64 { return c.Ratio }, phrase.Ratio)))
}

func pipelinedAnswer(p *samples.Pipelined) []document.Section {
	s := document.Titled("A call among many in a row takes %s as long as one behind a synchronisation, in the median of %s.", phrase.Ratio(p.MedianRatio()), conf.Plural(len(p.Cases), "case"))
	s.Say("%s.", check.FolderSetUp(p.Folder, "", p.Operation))
	return []document.Section{s}
}

func pipelinedSections(p *samples.Pipelined) []document.Section {
	design := document.Titled("How it was measured")
	design.Fact("Folder", "%s", p.Folder.Folder)
	design.Fact("Design", "%s, sync %s", p.Operation.Text(), p.Timing.Sync)
	design.Fact("Times", "of one call; medians over the mpiruns")
	design.Fact("Sizes", "%s", p.MsizeLegend)
	like := document.Table{Head: []string{"msize", "R", "single", "calls", "in a row", "mean", "row/single", ""}, Align: "rrrrrrrl", Flex: 7}
	out := append(pipelinedAnswer(p), check.TablesByCall(p.Cases, like, func(c *samples.PipelinedCase) []string {
		return []string{phrase.Size(c.Msize), fmt.Sprint(c.R), phrase.Duration(c.SingleS), phrase.When(c.Calls > 0, "%d", c.Calls), phrase.Duration(c.RowS), phrase.Duration(c.MeanS), phrase.Ratio(c.Ratio), c.Reason}
	}, pipelinedFigure)...)
	out[len(out)-1].Note("single: the run median of calls that each follow a synchronisation, as a check times them. in a row: the time of all calls, "+
		"over their number, at the rank that takes longest; the median of %s in each mpirun. mean: the mean of these, as mppTest and IMB report it. Where calls in a row take less, they overlap.", conf.Plural(10, "sample"))
	return append(out, design)
}

func pipelinedFigure(cases []samples.PipelinedCase) picture.Figure {
	c := cases[0]
	f := picture.Figure{ID: picture.Anchor("pipelined", c.Function, c.Shape), Title: fmt.Sprintf("%s, %s: single and in a row", phrase.Plain(c.Function), c.Shape),
		X: picture.Axis{Title: "msize", Scale: picture.Log2, Unit: picture.Bytes}, Y: picture.Axis{Title: "time of a call", Scale: picture.Log, Unit: picture.Seconds}}
	single, inARow := picture.Series{Name: "single, behind a synchronisation", Role: picture.Call}, picture.Series{Name: "in a row", Role: picture.Instead}
	for _, c := range cases {
		if c.R == 0 {
			continue
		}
		at, among := picture.Bare(float64(c.Msize), *c.SingleS), picture.Bare(float64(c.Msize), *c.RowS)
		for _, r := range c.Runs {
			at.Each, among.Each = append(at.Each, r.SingleS), append(among.Each, r.RowS)
		}
		single.Points, inARow.Points = append(single.Points, at), append(inARow.Points, among)
	}
	f.Series = []picture.Series{single, inARow}
	f.Text = fmt.Sprintf("How long a call of %s takes behind a synchronisation and among many in a row, by msize; points are the mpiruns.", phrase.Plain(c.Function))
	return f
}
