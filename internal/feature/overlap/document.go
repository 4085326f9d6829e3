package overlap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/overlap/work"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

var kind = document.Kind[Overlap]{Name: "overlap", Rows: overlapRows, JSON: true,
	Parts: []document.Part[Overlap]{document.Show(document.Screen, overlapScreen),
		document.Show(document.Full, overlapAnswer, overlapTables, overlapDesign)},
	NotJudged: (*Overlap).NotJudged, Exit: overlapExit, Outcomes: overlapOutcomes, Metrics: overlapMetrics,
	Source: func(o *Overlap) []document.Label { return check.Source(o.Folder.Library, o.Folder.Host) }}

func overlapExit(o *Overlap) error {
	if o.Exit == exitcode.Violated {
		return fail.ErrFound
	}
	return nil // of wrong data the campaign says so
}

var overlapColumns = []string{"function", "msize", "shape", "np", "mpirun", "blocking_s", "done_s",
	"none_post_s", "none_wait_s", "none_overhead_s", "none_overall_s", "none_overlap",
	"interval", "tests", "post_s", "tests_s", "wait_s", "overhead_s", "overall_s", "overlap", "reason"}

func overlapRows(o *Overlap) [][]string {
	out := [][]string{overlapColumns}
	for _, c := range o.Cases {
		for _, r := range c.Runs {
			s := func(ns float64) float64 { return 1e-9 * ns }
			out = append(out, phrase.Row(c.Function, c.Msize, c.Shape, c.NP, r.Run, s(r.BlockingNS), s(r.DoneNS),
				s(r.None.PostNS), s(r.None.WaitNS), s(r.None.OverheadNS), s(r.None.OverallNS), Overlapped(r.None.ExcessNS, r.BlockingNS),
				r.Best.Interval, r.Best.Tests, s(r.Best.PostNS), s(r.Best.TestsNS), s(r.Best.WaitNS), s(r.Best.OverheadNS), s(r.Best.OverallNS),
				Overlapped(r.Best.ExcessNS, r.BlockingNS), ""))
		}
		if len(c.Runs) == 0 {
			missing := slices.Repeat([]any{nil}, len(overlapColumns)-5)
			out = append(out, phrase.Row(slices.Concat([]any{c.Function, c.Msize, c.Shape, c.NP}, missing, []any{c.Reason})...))
		}
	}
	return out
}

func overlapScreen(o *Overlap) []document.Section {
	out := overlapAnswer(o)
	for _, v := range []judge.Verdict{judge.Violated, judge.Marginal} {
		if found := overlapFound(o, v); len(found) > 0 {
			shown, more := phrase.First(found, 12, "; %d more with --full")
			out[0].Fact(phrase.Capital(string(v)), "%s%s.", strings.Join(shown, "; "), more)
		}
	}
	return slices.Concat(out, check.CallsInRows(o.Cases, "Hidden behind computation, and what MPI takes of the processor: the least of the sizes to the most",
		check.Over("hidden", func(c *OverlapCase) *float64 { return c.None.Overlap.Median }, share),
		check.Over("with progress tests", func(c *OverlapCase) *float64 { return c.Best.Overlap.Median }, share),
		check.Over("MPI takes", func(c *OverlapCase) *float64 { return c.Best.Share.Median }, share)))
}

func overlapFound(o *Overlap, v judge.Verdict) (out []string) {
	for i := range o.Cases {
		c := &o.Cases[i]
		for k, t := range []OverlapTest{c.NB5, c.NB7} {
			if t.Verdict == v {
				out = append(out, document.Whole(fmt.Sprintf("%s %s %s %s", []string{"NB5", "NB7"}[k], phrase.Function(c.Function), phrase.Size(c.Msize), phrase.Ratio(t.Ratio))))
			}
		}
	}
	return out
}

func overlapAnswer(o *Overlap) []document.Section {
	none, best := o.Median()
	var s document.Section
	switch n := o.Count[judge.Wrong] / 2; {
	case n > 0:
		s.Say("WRONG DATA in %s; of the others %s of a call is hidden behind computation without progress tests, %s with the best ones (medians).", conf.Plural(n, "case"), share(none), share(best))
		s.Tone = picture.Slow
	case best == nil:
	default:
		s.Say("OVERLAP: %s of a nonblocking call is hidden behind computation without progress tests, %s with the best ones (medians of %s).",
			share(none), share(best), conf.Plural(lists.Count(o.Cases, func(c OverlapCase) bool { return c.R > 0 }), "case"))
	}
	s.Say("%s.", check.FolderSetUp(o.Folder, "", o.Operation))
	s.Say("Of %s (NB5, NB7): %s.", conf.Plural(o.M, "test"), phrase.Counts(overlapVerdicts, func(v judge.Verdict) int { return o.Count[v] }))
	return []document.Section{s}
}

var overlapVerdicts = []judge.Verdict{judge.Violated, judge.Marginal, judge.Undecided, judge.Kept, judge.NotMeasured, judge.Wrong}

// share writes a part of 1: "93 %", or "-" where it is undefined.
func share(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100**x)
}

// shareOf is a share with its interval: "93 [90–95]", in percent.
func shareOf(m Middle) string {
	if m.Median == nil {
		return "-"
	}
	text := fmt.Sprintf("%.0f", 100**m.Median)
	if m.Lo95 != nil && m.Hi95 != nil {
		text += fmt.Sprintf(" [%.0f, %.0f]", 100**m.Lo95, 100**m.Hi95)
	}
	return text
}

func overlapTables(o *Overlap) []document.Section {
	like := document.Table{Head: []string{"size", "T_b", "hidden, %", "N", "with N, %", "post", "tests", "wait", "of T_b", "asked", "NB5", "NB7"}, Align: "rrrrrrrrrrll", Spare: []int{5, 6, 7, 9}}
	out := check.TablesByCall(o.Cases, like, func(c *OverlapCase) []string {
		row := []string{phrase.Size(c.Msize), phrase.Duration(c.Blocking.Median), shareOf(c.None.Overlap), "-", shareOf(c.Best.Overlap), phrase.Duration(c.Best.Post.Median), "-",
			phrase.Duration(c.Best.Wait.Median), share(c.Best.Share.Median), share(c.Asked.Median), phrase.Words(c.NB5.Verdict), phrase.Words(c.NB7.Verdict)}
		if c.R > 0 {
			row[3] = fmt.Sprint(c.Best.Tests)
		}
		if x := c.Best.InTests.Median; x != nil && *x > 0 {
			row[6] = phrase.Duration(x)
		}
		return row
	}, overlapFigure)
	for i, of := range check.ByCall(o.Cases) {
		for _, c := range of {
			if c.R == 0 {
				out[i].Note("%s: %s", phrase.Size(c.Msize), c.Reason)
			}
		}
	}
	if len(out) > 0 {
		out[len(out)-1].Note("T_b: post and Wait, nothing in between. hidden: how much of T_b is, where one computes for T_b between the two, with its 95 %% interval; with N: with N progress tests (MPI_Test), " +
			"the best of the numbers tried. post, tests, wait: what MPI takes of the processor then. of T_b: their sum. asked: the time until MPI_Test in a row finds the call done, of T_b: at most 100 %% is expected.")
	}
	return out
}

func overlapDesign(o *Overlap) []document.Section {
	s := document.Titled("How it was measured")
	check.FolderFact(&s, "Folder", o.Folder, o.Operation)
	s.Fact("Design", "%s, sync %s", o.Operation.Text(), o.Timing.Sync)
	s.Fact("Computing", "%s", map[string]string{
		work.ByTime: "time: for T_b by the clock; what interrupts the computation is not seen",
		work.ByWork: "work: steps of a loop that take T_b alone; what slows them down counts, too",
	}[o.Method])
	s.Fact("Progress", "%s", cmp.Or(strings.Join(phrase.Settings(o.Progress), ", "), "no threads of the library's own were asked for by variables of the environment"))
	s.Fact("NB5", "T_b ≤ the time from post until MPI_Test in a row finds the call done: Wait can ask in a row itself")
	s.Fact("NB7", "post, tests and wait, with the best tests, take no more of the processor than T_b")
	if o.Refused == nil {
		t := judge.Get(o.Test)
		s.Fact("Test", "%s%s, %s, m = %d, alpha = %g, from %g× on", t.Title(o.Folder.R), check.Within(o.Test), check.AdjustNames[o.Adjust], o.M, o.Alpha, o.MinSlowdown)
	}
	s.Fact("Times", "medians over the mpiruns of what the slowest rank took in the median repetition")
	s.Fact("Sizes", "%s", o.MsizeLegend)
	return []document.Section{s}
}

func overlapFigure(cases []OverlapCase) picture.Figure {
	c := cases[0]
	f := picture.Figure{ID: picture.Anchor("overlap", c.Function, c.Shape), Title: fmt.Sprintf("%s, %s: overlap", phrase.Plain(c.Function), c.Shape),
		X: check.SizeAxis(), Y: picture.Axis{Title: "hidden part of T_b, %", Scale: picture.Linear, Unit: picture.Number, Holds: []float64{0, 100}}}
	best, none := picture.Series{Name: "with the best progress tests", Role: picture.Call}, picture.Series{Name: "without tests", Role: picture.Instead}
	for _, c := range cases {
		if c.R == 0 {
			continue
		}
		with, without := picture.Bare(float64(c.Msize), 100**c.Best.Overlap.Median), picture.Bare(float64(c.Msize), 100**c.None.Overlap.Median)
		for i, m := range []Middle{c.Best.Overlap, c.None.Overlap} {
			if p := []*picture.Point{&with, &without}[i]; m.Lo95 != nil && m.Hi95 != nil {
				p.Lo, p.Hi = 100**m.Lo95, 100**m.Hi95
			}
		}
		for _, r := range c.Runs {
			with.Each = append(with.Each, 100*Overlapped(r.Best.ExcessNS, r.BlockingNS))
			without.Each = append(without.Each, 100*Overlapped(r.None.ExcessNS, r.BlockingNS))
		}
		best.Points, none.Points = append(best.Points, with), append(none.Points, without)
	}
	f.Series = []picture.Series{best, none}
	f.Text = fmt.Sprintf("How much of %s is hidden behind computation, by size; points are the mpiruns.", phrase.Plain(c.Function))
	return f
}

// overlapOutcomes fail where NB5 or NB7 is violated, or the data are wrong.
func overlapOutcomes(o *Overlap) *document.Outcomes {
	out := &document.Outcomes{Created: o.Folder.Created}
	out.Fact("library", phrase.ShortVersion(o.Folder.Library.Version))
	out.Fact("pgmpi", o.Version)
	for i := range o.Cases {
		c := &o.Cases[i]
		out.Add(c.Shape+".overlap", overlapOutcome(c, "NB5", c.NB5))
		out.Add(c.Shape+".overlap", overlapOutcome(c, "NB7", c.NB7))
	}
	return out
}

func overlapOutcome(c *OverlapCase, id string, t OverlapTest) document.Outcome {
	o := document.Outcome{Class: "pgmpi." + c.Shape + ".overlap." + c.Function, Name: fmt.Sprintf("%s %d B", id, c.Msize), Why: string(t.Verdict), Seconds: c.Blocking.Median}
	switch t.Verdict {
	case judge.Violated, judge.Wrong:
		o.Result, o.Ratio = document.Failed, analyze.Or(t.Ratio, 0)
	case judge.Undecided, judge.NotMeasured, judge.Suspected, judge.NotSuspected, judge.SeenOnce:
		o.Result = document.Skipped
	case judge.Kept, judge.Marginal:
	}
	o.Title = fmt.Sprintf("%s %s %s, %s: %s", id, phrase.Plain(c.Function), phrase.Size(c.Msize), c.Shape, phrase.Words(t.Verdict))
	o.Text = o.Title + phrase.When(c.Reason != "", ": %s", c.Reason)
	return o
}

func overlapMetrics(o *Overlap) []document.Metric {
	hidden := document.Metric{Name: "pgmpi_overlap_ratio", Help: "How much of a nonblocking call is hidden behind computation, from 0 to 1; beyond both by errors of measurement."}
	for _, c := range o.Cases {
		for _, s := range []struct {
			tests string
			of    Middle
		}{{"none", c.None.Overlap}, {"best", c.Best.Overlap}} {
			if s.of.Median != nil {
				hidden.Add(*s.of.Median, append([]document.Label{{Name: "tests", Value: s.tests}}, check.CellLabels(c.Cell)...)...)
			}
		}
	}
	if len(hidden.Values) == 0 {
		return nil
	}
	return []document.Metric{hidden}
}
