package checks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

var Comparisons = document.Kind[series.Comparison]{Name: "compare", JSON: true, Comment: true,
	Rows: func(c *series.Comparison) [][]string {
		return analyze.Table(analyze.ColumnsOf[series.CaseChange](), c.Cases)
	},
	NotJudged: (*series.Comparison).NotJudged, Exit: compareExit, Ending: compareEnding,
	Parts: []document.Part[series.Comparison]{document.Show(document.Everywhere, compareAnswer),
		document.Show(document.Pictured, comparePicture),
		document.Show(document.Everywhere, seenOnce, compareGuidelines),
		document.Show(document.Screen, func(c *series.Comparison) []document.Section { return compareCases(c, true) }),
		document.Show(document.Full, func(c *series.Comparison) []document.Section { return compareCases(c, false) },
			compareMeans, compareDesign, func(c *series.Comparison) []document.Section { return check.Warnings(c.Warnings) })}}

// seenOnce shows the ratios of mpiruns that are too few for a test, the largest change first.
func seenOnce(c *series.Comparison) []document.Section {
	if c.Refused == nil {
		return nil
	}
	size := func(k series.CaseChange) float64 { return math.Abs(math.Log(*k.Ratio)) }
	rows := lists.Keep(c.Cases, func(k series.CaseChange) bool {
		return k.Ratio != nil && *k.Ratio > 0 && size(k) >= math.Log(c.MinSlowdown)
	})
	slices.SortStableFunc(rows, func(a, b series.CaseChange) int { return cmp.Compare(size(b), size(a)) })
	t := &document.Table{Head: []string{"call", "size", "A", "B", "B/A"}, Align: "lrrrl"}
	shown, more := phrase.First(rows, 12, "%d more in compare.json.")
	for _, k := range shown {
		t.Add(phrase.Function(k.Function), phrase.Size(k.Msize), phrase.Duration(k.AMedianS), phrase.Duration(k.BMedianS), phrase.Ratio(k.Ratio))
	}
	return document.Tabled(t, more, "Seen once: run-times that differ in %d of %s; other mpiruns may differ", len(rows), conf.Plural(c.M, "call"))
}

func comparePicture(c *series.Comparison) []document.Section {
	heat := changeHeat(c)
	if len(heat.Rows) == 0 {
		return nil
	}
	s := document.Titled("B/A, how many times as long a call takes in B as in A")
	s.Heat = heat
	s.Note("▲ slower, ▼ faster, both shown by a test; a number alone: no change shown; blank: not compared. A cell leads to its picture.")
	return []document.Section{s}
}

// changeHeat has a row for each call of which a size changed, or for all where all are shown.
func changeHeat(c *series.Comparison) *picture.HeatMap {
	sizes := map[int64]bool{}
	for _, k := range c.Cases {
		sizes[k.Msize] = true
	}
	m, columns := check.HeatOf(sizes)
	m.Corner = "call"
	ids := changeIDs(c)
	for _, of := range byCall(c.Cases) {
		row := picture.HeatRow{Name: phrase.Plain(of[0].Function) + phrase.When(severalShapes(c), ", %s", of[0].Shape), Cells: make([]picture.HeatCell, len(columns))}
		changed := c.AllRows
		for _, k := range of {
			if k.Ratio == nil {
				continue
			}
			cell := picture.HeatCell{Ratio: *k.Ratio, Text: fmt.Sprintf("%.2f", *k.Ratio), Word: phrase.Words(k.Change)}
			if cell.Sign = changeSigns[k.Change]; cell.Sign != "" {
				changed, cell.Link = true, ids[[2]string{k.Function, k.Shape}]
			}
			at, _ := slices.BinarySearch(columns, k.Msize)
			row.Cells[at] = cell
		}
		if changed {
			m.Rows = append(m.Rows, row)
		}
	}
	return m
}

var changeSigns = map[series.Change]string{series.Slower: "▲", series.SlightlySlower: "▲", series.Faster: "▼", series.SlightlyFaster: "▼"}

func byCall(cases []series.CaseChange) [][]series.CaseChange {
	return analyze.Grouped(cases, func(k series.CaseChange) [2]string { return [2]string{k.Function, k.Shape} })
}

func severalShapes(c *series.Comparison) bool {
	return slices.ContainsFunc(c.Cases, func(k series.CaseChange) bool { return k.Shape != c.Cases[0].Shape })
}

// changeIDs names the pictures by function and shape.
func changeIDs(c *series.Comparison) map[[2]string]string {
	taken, ids := map[string]int{}, map[[2]string]string{}
	for _, of := range byCall(c.Cases) {
		ids[[2]string{of[0].Function, of[0].Shape}] = document.Unique(taken, picture.Anchor(of[0].Function, of[0].Shape))
	}
	return ids
}

func compareEnding(c *series.Comparison, _ string) (e document.Ending) {
	if slices.ContainsFunc(c.Guidelines, func(g series.GuidelineChange) bool { return g.Change == series.NewlyViolated }) {
		e.Next = []document.Label{{Name: "Why", Value: "pgmpi analyze " + conf.Folder(c.B.Folder) + " --explain violated"}}
	}
	return e
}

func compareAnswer(c *series.Comparison) []document.Section {
	cases, tests := map[series.Change]int{}, map[series.Change]int{}
	worst := 1.0
	for _, k := range c.Cases {
		cases[k.Change]++
		if k.Change == series.Slower {
			worst = max(worst, *k.Ratio)
		}
	}
	for _, g := range c.Guidelines {
		tests[g.Change]++
	}
	calls := conf.Plural(c.M, "call")
	slower := fmt.Sprintf("%d of %s slower, by up to %s", cases[series.Slower], calls, phrase.Ratio(&worst))
	counts := cases[series.Slower] > 0 && (c.Shift == nil || c.FailOn == series.ExitOnTimes)
	newly, faster, kept := tests[series.NewlyViolated], cases[series.Faster], tests[series.NewlyKept]
	worse := phrase.List("; ", phrase.When(newly > 0, "%s newly violated", conf.Plural(newly, "test")), phrase.When(counts, "%s", slower))
	better := phrase.List("; ", phrase.When(faster > 0 && c.Shift == nil, "%d of %s faster", faster, calls),
		phrase.When(kept > 0, "%s no longer violated", conf.Plural(kept, "test")))
	var answer string
	switch {
	case len(c.Wrong) > 0:
		w := c.Wrong[0]
		answer = fmt.Sprintf("%s: %s at %s on %s (%s).", check.Faults(c.Wrong), w.Function, phrase.Size(w.Msize), w.Shape, w.Message)
	case worse != "":
		answer = "WORSE: " + phrase.List("; ", worse, better) + "."
	case c.NotJudged() != "":
	case better != "":
		answer = "BETTER: " + better + "; nothing slower or newly violated."
	case c.Shift != nil:
		answer = "NO CHANGE OF THE LIBRARY SHOWN: no guideline newly violated."
	default:
		answer = fmt.Sprintf("NO CHANGE SHOWN: of %s none is slower or faster, and no guideline is newly violated.", calls)
	}
	s := document.Section{}
	if answer != "" {
		s.Say("%s", answer)
	}
	s.Facts("Algorithms", algorithmChanges(c))
	check.FolderFact(&s, "A", c.A, c.Operation)
	check.FolderFact(&s, "B", c.B, c.Operation)
	s.Fact("Changes", "%s.", couldHaveSeen(c))
	if c.Shift != nil {
		s.Fact("Run-times", "%s%s.", c.Shift, phrase.When(cases[series.Slower] > 0 && !counts, "; %s: no alarm", slower))
	}
	return []document.Section{s}
}

// algorithmChanges returns lines such as "Bcast 64 KiB, 256 KiB: binomial → pipeline".
func algorithmChanges(c *series.Comparison) []string {
	several := slices.ContainsFunc(c.Algorithms, func(k series.AlgorithmChange) bool { return k.Shape != c.Algorithms[0].Shape })
	alike := analyze.Grouped(c.Algorithms, func(k series.AlgorithmChange) [4]string { return [4]string{k.Function, k.Shape, k.A, k.B} })
	texts := lists.Map(alike, func(of []series.AlgorithmChange) string {
		k, sizes := of[0], phrase.JoinOf(",", of, func(k series.AlgorithmChange) string { return phrase.When(k.Msize > 0, " %s", phrase.Size(k.Msize)) })
		return fmt.Sprintf("%s%s%s: %s → %s", phrase.Function(k.Function), phrase.When(several, " on %s", k.Shape), sizes, cmp.Or(k.A, notOwn), cmp.Or(k.B, notOwn))
	})
	shown, more := phrase.First(texts, 12, "and %d more, see compare.json")
	return analyze.Unique(append(slices.Clip(shown), more))
}

const notOwn = "none of the library's own"

func couldHaveSeen(c *series.Comparison) string {
	text := cmp.Or(phrase.When(c.CouldHaveSeen != nil, "of %s or more would have been seen in half of the cases (80 %% chance)", phrase.Ratio(c.CouldHaveSeen)), "none would have been seen")
	return text + cmp.Or(phrase.When(c.Blind > 0, "; %s could not have shown %s (--need)", conf.Plural(c.Blind, "case"), phrase.Ratio(&c.Need)),
		phrase.When(c.Need > 0, "; every case could have shown %s (--need)", phrase.Ratio(&c.Need)))
}

func compareDesign(c *series.Comparison) []document.Section {
	s := document.Titled("How it was compared")
	shown, more := phrase.First(c.Differences, 12, "and %d more factors, see compare.json")
	s.Facts("Differ", analyze.Unique(append(lists.Map(shown, differing(": ")), more)))
	s.Fact("Test", "%s %s, %s; %s, m = %s, alpha = %g, minimum slowdown %.2f×", c.Alternative, c.Test.Title(min(c.A.R, c.B.R)),
		phrase.Either(c.Paired, "measured alternately", "mpiruns not paired"), check.AdjustNames[c.Adjust], conf.Plural(c.M, "case"), c.Alpha, c.MinSlowdown)
	s.Fact("", "smallest p attainable %s; B/A is the ratio of the run-times over mpiruns (Hodges-Lehmann) with its 95 %% interval", phrase.Probability(&c.PMin))
	if n := len(c.Cases) - len(changedCases(c)); n > 0 && !c.AllRows {
		s.Fact("Not shown", "%s without a significant change, or not measured (--all-rows shows them)", conf.Plural(n, "call"))
	}
	s.Fact("Sizes", "%s", c.MsizeLegend)
	return []document.Section{s}
}

// differing writes what differs in two set-ups.
func differing(is string) func(series.Difference) string {
	return func(d series.Difference) string {
		return fmt.Sprintf("%s%s%s → %s", d.Factor, is, phrase.Fit(d.A, 60), phrase.Fit(d.B, 60))
	}
}

// changedCases returns the cases that became slower, then the faster ones, largest changes first.
func changedCases(c *series.Comparison) []series.CaseChange {
	order := []series.Change{series.Slower, series.Faster, series.SlightlySlower, series.SlightlyFaster, series.NotCompared}
	rows := slices.DeleteFunc(slices.Clone(c.Cases), func(k series.CaseChange) bool { return !slices.Contains(order, k.Change) })
	slices.SortStableFunc(rows, func(a, b series.CaseChange) int {
		if a.Change != b.Change || a.Ratio == nil || b.Ratio == nil {
			return slices.Index(order, a.Change) - slices.Index(order, b.Change)
		}
		return cmp.Compare(math.Abs(math.Log(*b.Ratio)), math.Abs(math.Log(*a.Ratio)))
	})
	return rows
}

// compareCases returns the run-times that changed, or all; a screen has only the largest changes.
func compareCases(c *series.Comparison, screen bool) []document.Section {
	most := len(c.Cases)
	rows := c.Cases
	if !c.AllRows {
		rows = changedCases(c)
		if screen {
			most = 12
		}
	}
	t := &document.Table{Head: []string{"call", "size", "A", "B", "B/A [95 %]", "p adjusted", "change"}, Align: "lrrrlll", Flex: 6, Spare: []int{5}}
	several := severalShapes(c)
	shown, more := phrase.First(rows, most, "%d more with --full.")
	for _, k := range shown {
		t.Add(phrase.Function(k.Function)+phrase.When(several, ", %s", k.Shape), phrase.Size(k.Msize), phrase.Duration(k.AMedianS), phrase.Duration(k.BMedianS),
			phrase.RatioIn(k.Ratio, k.RatioLo, k.RatioHi), strings.TrimSpace(phrase.Probability(k.PAdjusted)+" "+k.Stars), cmp.Or(k.Reason, phrase.Words(k.Change)))
	}
	out := document.Tabled(t, more, "%s", phrase.Either(c.AllRows, "Run-times", fmt.Sprintf("Run-times that changed: %d of %s", len(rows), conf.Plural(c.M, "call"))))
	if slices.ContainsFunc(shown, parted) {
		out[0].Note("B/A is estimated over all mpiruns; where these differ much, it is not the quotient of the two medians.")
	}
	switch {
	case len(out) == 0:
	case screen:
		t.Drop(5)
		t.Flex, t.Spare = 5, nil
	default:
		out[0].Note("p adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001%s", phrase.When(c.AllRows, "; ~: nothing significant, which does not show that there is nothing"))
		out[0].Figures = ChangeFigures(c)
	}
	return out
}

// parted tells whether a ratio is not the quotient of the medians beside it, by five per cent or more.
func parted(k series.CaseChange) bool {
	return k.Ratio != nil && k.AMedianS != nil && k.BMedianS != nil &&
		math.Abs(math.Log(*k.Ratio**k.AMedianS / *k.BMedianS)) > math.Log(1.05)
}

func compareMeans(c *series.Comparison) []document.Section {
	t := &document.Table{Head: []string{"call", "on", "sizes", "slower", "faster", "B/A"}, Align: "llrrrr"}
	for _, f := range c.Functions {
		if c.AllRows || f.Slower+f.Faster > 0 {
			t.Add(phrase.Function(f.Function), f.Shape, fmt.Sprint(f.Sizes), phrase.BlankZero(f.Slower), phrase.BlankZero(f.Faster), phrase.Ratio(f.Ratio))
		}
	}
	return document.Tabled(t, "", "Geometric means of B/A over the sizes")
}

func compareGuidelines(c *series.Comparison) (out []document.Section) {
	several := severalShapes(c)
	for _, change := range []series.Change{series.NewlyViolated, series.NewlyKept} {
		t := &document.Table{Head: []string{"guideline", "size", "instead", "A", "ratio", "B", "ratio"}, Align: "lrllrlr", Flex: 2, Spare: []int{4, 6}}
		for _, k := range c.Guidelines {
			if k.Change == change {
				t.Add(phrase.Fit(k.Guideline, 14)+" "+phrase.Plain(k.Function)+phrase.When(several, ", %s", k.Shape), phrase.Size(k.Msize), rival(&k.Asked),
					phrase.Words(k.AVerdict), phrase.Ratio(k.ARatio), phrase.Words(k.BVerdict), phrase.Ratio(k.BRatio))
			}
		}
		out = append(out, document.Tabled(t, "", "Guidelines %s in B: %d", phrase.Either(change == series.NewlyKept, "no longer violated", phrase.Words(change)), len(t.Rows))...)
	}
	return out
}

func compareExit(c *series.Comparison) error {
	switch c.ExitCode() {
	case exitcode.Violated:
		return fail.ErrFound
	case exitcode.Failed:
		w := c.Wrong[0]
		return fmt.Errorf("%s at %s %s (%s): leave it out of both with check.exclude", clean.Line(w.Function), conf.HumanSize(w.Msize), w.Did(), clean.Line(w.Message))
	case exitcode.NoVerdict:
		switch {
		case c.Refused != nil:
			return &fail.Refused{Reason: c.Refused.Reason}
		case c.Blind > 0:
			return &fail.Refused{Reason: fmt.Sprintf("%s could not have shown a change by %g (--need): more mpiruns in both (--mpiruns)", conf.Plural(c.Blind, "case"), c.Need)}
		}
		return &fail.Refused{Reason: "some cases lack valid run medians in one of the folders; see the report"}
	}
	return nil
}

func ChangeFigures(c *series.Comparison) []picture.Figure {
	var out []picture.Figure
	ids := changeIDs(c)
	measured := slices.DeleteFunc(slices.Clone(c.Cases), func(k series.CaseChange) bool { return k.AMedianS == nil || k.BMedianS == nil })
	for _, of := range byCall(measured) {
		function, shape := of[0].Function, of[0].Shape
		f := picture.Figure{ID: ids[[2]string{function, shape}], Title: phrase.Function(function) + ", " + shape, X: check.SizeAxis(), Y: picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds},
			Series: []picture.Series{{Name: "A", Role: picture.Instead}, {Name: "B", Role: picture.Call}}}
		var text []string
		mark := func(k series.CaseChange, tone picture.Tone, sign string) {
			m := picture.Mark{X: float64(k.Msize), Tone: tone, Sign: sign, Text: phrase.Words(k.Change) + ", " + phrase.Ratio(k.Ratio)}
			f.Marks, text = append(f.Marks, m), append(text, phrase.Size(k.Msize)+" "+m.Text)
		}
		for _, k := range of {
			f.Series[0].Points = append(f.Series[0].Points, picture.Bare(float64(k.Msize), *k.AMedianS))
			f.Series[1].Points = append(f.Series[1].Points, picture.Bare(float64(k.Msize), *k.BMedianS))
			switch sign := changeSigns[k.Change]; sign {
			case "▲":
				mark(k, picture.Slow, sign)
			case "▼":
				mark(k, picture.Possible, sign)
			}
		}
		if f.Text = cmp.Or(strings.Join(text, "; "), "Nothing significant") + "."; c.AllRows || len(text) > 0 {
			out = append(out, f)
		}
	}
	return out
}
