package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/mockups"
)

var Reports = document.Kind[analyze.Report]{Name: "report", JSON: true,
	Rows: func(r *analyze.Report) [][]string { return analyze.Table(analyze.Columns, r.Verdicts) },
	Parts: []document.Part[analyze.Report]{
		document.Show(document.Screen|document.Printed, answer),
		document.Show(document.Pictured, pageAnswer, firstHeat),
		document.Show(document.Everywhere, gateSections, wrongCases),
		document.Show(document.Screen, briefLosses),
		document.Show(document.Full, losses, eagerLimit),
		document.Show(document.Everywhere, slowerOnFewer),
		document.Show(document.Screen, briefNotSure),
		document.Show(document.Full, notSure),
		document.Show(document.Printed, disturbed, matrix, header, summary, violations),
		document.Show(document.Pictured, otherHeat, patterns, runTimes, pageDisturbed),
		document.Show(document.Full, states, suspected, undecided, outOfSync, bounds),
		document.Show(document.Pictured, summary, violations),
		document.Show(document.Full, remarks),
		document.Show(document.Pictured, header, pageFactors)},
	NotJudged: (*analyze.Report).NotJudged, Exit: reportExit, Ending: ending, Outcomes: ReportOutcomes, Metrics: reportMetrics,
	Source: func(r *analyze.Report) []document.Label { return Source(r.Library, r.Host) }, Plotted: reportPlotted, Comment: true}

func header(r *analyze.Report) []document.Section {
	s := document.Titled("How it was measured")
	var shapes []string
	for _, shape := range r.Shapes {
		shapes = append(shapes, fmt.Sprintf("p = %d%s", shape.NP, cmp.Or(phrase.When(shape.Nodes > 0, " (%s)", shape.Name), phrase.When(shape.Place != "", " (placed as %s)", shape.Place))))
	}
	s.Fact("Library", "%s%s", phrase.Fit(phrase.ShortVersion(r.Library.Version), 75), phrase.When(r.Library.PML != "", ", pml %s", r.Library.PML))
	s.Fact("Design", "%s; R = %d mpiruns; %s", strings.Join(shapes, ", "), r.R, r.Operation.Text())
	slowdown := cmp.Or(phrase.When(r.Method.Rules().Slowdown, "minimum slowdown %.2f×", r.MinSlowdown), "no minimum slowdown")
	s.Fact("Test", "method %s: %s, %s, m = %s, alpha = %g%s, %s",
		r.Method, r.Test.Title(r.R), AdjustNames[r.Adjust], conf.Plural(r.M, "test"), r.Alpha, phrase.When(r.FamilyAlpha < r.Alpha, " (%g here)", r.FamilyAlpha), slowdown)
	rho := "undefined"
	if r.Rho != nil {
		rho = fmt.Sprintf("%.2f", *r.Rho)
	}
	s.Fact("", "smallest p attainable %s; correlation within mpiruns %s; %s with ties, %s",
		phrase.Probability(&r.PMin), rho, conf.Plural(r.TiedTests, "test"), conf.Plural(r.ZeroDifferences, "zero difference"))
	if l := r.Looks; l != nil {
		s.Fact("Looks", "%s; %s; stage 2 took %s, about %s less than without looking",
			schedule(r), decided(r), wallClock(l.SpentS), wallClock(max(0, l.FullS-l.SpentS)))
	}
	experiment(&s, "Split", r.Split)
	experiment(&s, "Messages", r.Messages)
	if text := pairs(r); text != "" {
		s.Fact(phrase.When(r.Messages == nil, "Messages"), "%s", text)
	}
	s.Fact("Sizes", "%s", r.MsizeLegend)
	return []document.Section{s}
}

func experiment(s *document.Section, name string, x *analyze.SplitExperiment) {
	if x != nil && x.Refused != nil {
		s.Fact(name, "%s not tested: %s", conf.Plural(x.M, "suspicion"), x.Refused.Reason)
	} else if x != nil {
		s.Fact(name, "%s tested in %d other mpiruns: %s, %s, m = %d, with %g of alpha",
			conf.Plural(x.M, "suspicion"), x.R, x.Test.Title(x.R), AdjustNames[x.Adjust], x.M, x.Alpha)
	}
}

func schedule(r *analyze.Report) string {
	l := r.Looks
	text := conf.Plural(l.Looks[0], "mpirun") + " measured everything"
	paper := !r.Method.Rules().Slowdown
	what := phrase.Either(paper, "what was not violated yet", "what pointed to a violation")
	for k, at := range l.Looks[1:] {
		text += fmt.Sprintf(", %d more %s", at-l.Looks[k], what)
		what = phrase.Either(paper, "what still was not", "of that what still did")
	}
	return text + phrase.When(len(l.Looks)-len(l.Screens) > 1, " (weights %s)", phrase.Join(", ", "%v", l.Weights))
}

func decided(r *analyze.Report) string {
	l := r.Looks
	text := fmt.Sprintf("%d of m = %s decided after %d", l.Decided[0], conf.Plural(r.M, "test"), l.Looks[0])
	for k, at := range l.Looks[1:] {
		text += fmt.Sprintf(", %d after %d", l.Decided[k+1], at)
	}
	return text
}

func wallClock(seconds float64) string {
	d, unit := time.Duration(seconds*float64(time.Second)), time.Second
	if d < 10*time.Second {
		unit = 100 * time.Millisecond
	}
	return d.Round(unit).String()
}

// summary returns Table 2 of S-PGMPI: violated/checked by shape and type.
func summary(r *analyze.Report) []document.Section {
	violated := 0
	t := &document.Table{Head: []string{"on", "type", "violated/checked", "", "tests violated/checked", "suspected"}, Align: "llrlrr"}
	for _, s := range r.Summary {
		tests := s.Tests
		violated += tests.Violated
		t.Add(s.Shape, string(s.Type), fmt.Sprintf("%d/%d", s.Units.Violated, s.Units.Checked), s.Unit,
			fmt.Sprintf("%d/%d", tests.Violated, tests.Checked),
			phrase.When(s.Type == guidelines.Split && r.Method.Rules().FollowsUp, "%d/%d", tests.Suspected, tests.Checked))
	}
	s := document.Titled("Summary: of %s %d violated%s", tests(r), violated, phrase.When(rated(r), ", %d of them sure", len(r.Where(stands(analyze.Sure)))))
	if r.Refused != nil {
		s = document.Titled("Summary: %s measured, no verdict possible", tests(r))
	}
	if len(t.Rows) > 0 {
		s.Table = t
	}
	return []document.Section{s}
}

func violations(r *analyze.Report) []document.Section {
	var out []document.Section
	known := rated(r)
	for _, s := range r.Shapes {
		t := &document.Table{Head: []string{"guideline", "size", "now", "possible", "slower", "95 %", "p adjusted", "again", "another check", "instead", "default"}, Align: "lrrrrllrlll",
			Tone: document.ToneOf(map[int]picture.Tone{2: picture.Slow, 3: picture.Possible})}
		for _, v := range worst(r, s.Name, judge.Violated) {
			t.Add(v.Guideline+" "+phrase.Plain(v.Cell().Call()), phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), phrase.Ratio(v.Ratio), phrase.Interval(v.RatioLo95, v.RatioHi95),
				strings.TrimSpace(phrase.Probability(v.PAdjusted)+" "+v.Stars), Again(v), phrase.Interval(v.AnotherLo95, v.AnotherHi95), instead(v), r.Which.Of(v.Function, v.Shape, v.Msize).Default())
		}
		if r.Which == nil {
			t.Drop(10)
		}
		t.Spare = []int{6, 8, 7, 5}
		if !known {
			t.Drop(7)
			t.Spare = []int{6, 7, 5}
		}
		out = append(out, document.Tabled(t, "", "Violations, %s, the largest ratio first", s.Name)...)
	}
	if len(out) > 0 {
		out[len(out)-1].Note("p adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001. 95 %%: the interval of the ratio, for this test alone, not adjusted for being chosen as a finding.%s",
			phrase.When(known, " again: the estimated probability that a new check of this design in this state of the machine shows it, "+
				"of split-robustness if it is followed up again; from .90 on it is sure, - is not known."))
		if t := judge.Get(r.Test); t != nil && !t.Paired && r.Method.Rules().Exact {
			out[len(out)-1].Note("The test does not pair the mpiruns: p is exact if both sides spread alike and do not depend on each other (docs/statistics.md#tests).")
		}
	}
	return out
}

// Again writes the probability that a new check shows a violation: "> .99", ".85", or "-" if it is
// unknown.
func Again(v *analyze.Verdict) string {
	switch q := v.Replication; {
	case q == nil:
		return "-"
	case *q > 0.99:
		return "> .99"
	case *q < 0.01:
		return "< .01"
	default:
		// Cut, not rounded: .90 is sure.
		return fmt.Sprintf(".%02.0f", math.Floor(100**q))
	}
}

// ifFollowedUp returns the condition for the probability of a split: medians must raise the
// suspicion again.
func ifFollowedUp(v *analyze.Verdict) string {
	return phrase.When(v.Type == guidelines.Split, ", if it is followed up again (--baseline does)")
}

func suspected(r *analyze.Report) []document.Section {
	t := &document.Table{Head: []string{"guideline", "on", "size", "now", "instead", "possible", "slower"}, Align: "llrrrrr", Spare: spareShape(r, 1)}
	for _, s := range r.Shapes {
		for _, v := range worst(r, s.Name, judge.Suspected) {
			instead := fmt.Sprintf("%d × %s", v.K, phrase.Size(v.MsizeOther))
			if noSplit(v) {
				instead = instance(v)
			}
			t.Add(v.Guideline+" "+phrase.Plain(v.Cell().Call()), v.Shape, phrase.Size(v.Msize), phrase.Duration(v.MedianS),
				instead, phrase.Duration(v.AllCallsS()), phrase.Ratio(v.Ratio))
		}
	}
	return document.Tabled(t, "", "Suspected of violating split-robustness: from medians, without a test and without effect on the exit code")
}

// noSplit tells of a suspicion whether it is about something else than several calls.
func noSplit(v *analyze.Verdict) bool {
	return guidelines.OneOf(v.Guideline) || v.Type != guidelines.Split && guidelines.IsMessage(v.Function)
}

// spareShape lets a table leave out its column of shapes if all are the same.
func spareShape(r *analyze.Report, column int) []int {
	if len(r.Shapes) > 1 {
		return nil
	}
	return []int{column}
}

// worst returns the findings of one shape, the largest ratio first.
func worst(r *analyze.Report, shape string, verdict judge.Verdict) []*analyze.Verdict {
	return byRatio(r.Where(func(v *analyze.Verdict) bool { return v.Shape == shape && v.Verdict == verdict }))
}

// instead names the fastest alternative, a long one with a line for each part.
func instead(v *analyze.Verdict) string {
	a := v.Alternative
	switch {
	case a == nil:
		return "-"
	case a.Calls > 1:
		return fmt.Sprintf("%d calls of %s", a.Calls, phrase.Size(a.Msize))
	case a.Function == v.Function:
		return "itself at " + phrase.Size(a.Msize)
	}
	name := phrase.Plain(a.Function)
	if len(name) > 20 {
		name = strings.ReplaceAll(name, "+", "+\n")
	}
	return name
}

// emulation names what a pattern calls instead of a collective: "Exscan + Reduce_local",
// "Pack + Bcast + Unpack".
func emulation(id string) string {
	if f, _ := mockups.Get(id); f.Textbook != "" || f.Fewer != "" || f.Rule != "" || f.Derived != "" || f.Call == mockups.ByMessages {
		return strings.ReplaceAll(f.Formula, "(n)", "")
	}
	return phrase.Plain(id)
}

func wrongCases(r *analyze.Report) (out []document.Section) {
	byKind(r.Wrong, func(name string, of []analyze.CaseMessage) { out = append(out, cases(name, of)...) })
	if len(r.Exclude) > 0 {
		out = append(out, document.Section{Notes: []string{fmt.Sprintf("To check without them: exclude = [%s]", phrase.Join(", ", "%q", r.Exclude))}})
	}
	return out
}

func remarks(r *analyze.Report) []document.Section {
	out := cases("Not measured", r.NotMeasured)
	if len(r.Incomplete) > 0 {
		first := r.Incomplete[0]
		out = append(out, document.Titled("Without a verdict for lack of data: %s; the first: %s at %s on %s: %s", conf.Plural(len(r.Incomplete), "test"),
			first.Guideline, phrase.Size(first.Msize), first.Shape, first.Reason))
	}
	s := document.Titled("Remarks")
	for _, w := range r.Warnings {
		s.Item("%s: %s.%s", w.ID, w.Text, phrase.When(w.Remedy != "", " Remedy: %s (%s).", w.Remedy, w.Docs))
	}
	for _, n := range r.Notes {
		s.Item("%s", n)
	}
	if len(s.Text) > 0 {
		out = append(out, s)
	}
	return out
}

func cases(title string, list []analyze.CaseMessage) []document.Section {
	return document.Listed(title+": "+conf.Plural(len(list), "case"), list, 10, "and %d more, see report.json", func(c analyze.CaseMessage) string {
		return fmt.Sprintf("%s, %s, %s: %s", c.Function, phrase.Size(c.Msize), c.Shape, c.Message)
	})
}

// A section of anything but findings has at most mostRows rows, and moreRows below them.
const (
	mostRows = 12
	moreRows = "%d more are in report.json."
)

// undecided lists the tests that the data leave open: first those that are probably slower, the largest ratio first,
// then what the fewest mpiruns would decide.
func undecided(r *analyze.Report) []document.Section {
	open := byRatio(r.Open())
	if len(open) == 0 || r.Refused != nil || r.SeenOnce != "" {
		return nil
	}
	order := func(v *analyze.Verdict) int {
		switch {
		case isProbable(v):
			return 0
		case v.RunsNeeded == nil:
			return math.MaxInt
		}
		return cmp.Or(v.RunsNeeded.R, v.RunsNeeded.Limit+1)
	}
	slices.SortStableFunc(open, func(a, b *analyze.Verdict) int { return order(a) - order(b) })
	probable := lists.Count(open, isProbable)
	s := document.Titled("Undecided: %s, neither violated nor kept is shown%s", conf.Plural(len(open), "test"), phrase.When(probable > 0, "; probably slower: %d", probable))
	s.Table = &document.Table{Head: []string{"guideline", "on", "size", "now", "possible", "slower", "95 %", "mpiruns", "towards"}, Align: "llrrrrlrl",
		Spare: append(spareShape(r, 1), 6), Tone: document.ToneOf(map[int]picture.Tone{5: picture.Open})}
	shown, more := phrase.First(open, mostRows, moreRows)
	for _, v := range shown {
		towards := "-"
		if n := v.RunsNeeded; n != nil {
			towards = cmp.Or(string(n.Towards), "-")
		}
		s.Table.Add(v.Guideline+" "+phrase.Plain(v.Cell().Call()), v.Shape, phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), phrase.Ratio(v.Ratio),
			phrase.Interval(v.RatioLo95, v.RatioHi95), needed(v), towards)
	}
	s.Note("mpiruns: a new check with that many of everything (--mpiruns) decides it four times in five or more, if effect and spread stay as observed.%s "+
		"A finished check is not extended.", decidedBy(r))
	note := &s.Notes[0]
	*note += phrase.When(probable > 0, " Probably slower: taken alone, with 95 %% confidence; the verdict is for all %s together, and asks for more.", conf.Plural(r.M, "test"))
	if i := slices.IndexFunc(open, func(v *analyze.Verdict) bool { return v.RunsNeeded != nil && v.RunsNeeded.Test != r.Test }); i >= 0 {
		n := open[i].RunsNeeded
		*note += fmt.Sprintf(" That many mpiruns choose another test: %s.", n.Test.Title(n.R))
	}
	*note += phrase.When(more != "", " %s", more)
	return []document.Section{s}
}

func outOfSync(r *analyze.Report) []document.Section {
	worst := slices.Clone(r.OutOfSync)
	slices.SortStableFunc(worst, func(a, b medians.OutOfSync) int { return cmp.Compare(b.Share, a.Share) })
	t := &document.Table{Head: []string{"case", "on", "size", "samples", "started late", "took too long", "left out", ""}, Align: "llrrrrrl", Spare: append([]int{3, 5, 4}, spareShape(r, 1)...)}
	shown, more := phrase.First(worst, mostRows, moreRows)
	for _, k := range shown {
		t.Add(k.Function, k.Shape, phrase.Size(k.Msize), fmt.Sprint(k.Samples), fmt.Sprint(k.Late), fmt.Sprint(k.Long),
			fmt.Sprintf("%.1f %%", 100*k.Share), phrase.When(k.TooMany, "inconclusive"))
	}
	return document.Tabled(t, more, "Out of sync: cases with samples that were left out, %d; one with more than 25 %% of them is inconclusive", len(worst))
}

func bounds(r *analyze.Report) []document.Section {
	t := &document.Table{Head: []string{"case", "on", "size", "samples", "bound", "least bound"}, Align: "llrrrr", Spare: spareShape(r, 1)}
	shown, more := phrase.First(r.Bounds, mostRows, moreRows)
	for _, b := range shown {
		t.Add(phrase.Fit(phrase.Plain(b.Function), 45), b.Shape, phrase.Size(b.Msize), phrase.Duration(b.SamplesS), phrase.Duration(&b.MedianS), phrase.Duration(&b.MinS))
	}
	return document.Tabled(t, more, "Upper bounds of run-times that need no common clock, two barriers included, beside the samples")
}
