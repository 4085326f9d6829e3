package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/mockups"
)

var kind = document.Kind[Exploration]{Name: "explore", Rows: rows, JSON: true, Parts: []document.Part[Exploration]{
	document.Show(document.Screen, screen), document.Show(document.Full, answer, allCells, notUsed, design)},
	NotJudged: (*Exploration).NotJudged, Exit: exit, Outcomes: outcomes, Metrics: metrics,
	Source: func(e *Exploration) []document.Label { return check.Source(e.Library, e.Host) }}

func exit(e *Exploration) error {
	switch e.Exit {
	case exitcode.Violated:
		return fail.ErrFound
	case exitcode.Failed:
		return errors.New("a collective or a mock-up gave wrong data: the exploration names it")
	}
	return nil
}

// rows have what came later at their end, so that numbers of columns stay.
func rows(e *Exploration) [][]string {
	head := []string{"collective", "msize", "shape", "np", "word", "default_s"}
	of := func(kind string) {
		for _, column := range []string{"", "_s", "_ratio", "_ratio_lo95", "_ratio_hi95", "_p_value", "_p_adjusted", "_verdict"} {
			head = append(head, kind+column)
		}
	}
	of("own")
	of("mockup")
	head = append(head, "reason")
	of("textbook")
	out := [][]string{append(head, "mend_by")}
	cells := func(k *Candidate) []string {
		k = cmp.Or(k, &Candidate{})
		return phrase.Row(k.Function, k.MedianS, k.Ratio, k.RatioLo95, k.RatioHi95, k.PValue, k.PAdjusted, k.Verdict)
	}
	for _, c := range e.Cells {
		out = append(out, slices.Concat(phrase.Row(c.Function, c.Msize, c.Shape, c.NP, c.Word, c.DefaultS),
			cells(c.Own), cells(c.Mockup), phrase.Row(c.Reason), cells(c.Textbook), phrase.Row(c.MendBy)))
	}
	return out
}

func allCells(e *Exploration) []document.Section {
	return table(e, "All cells", true, func(*Cell) bool { return true })
}

// screen has the cells with something faster, and the others in a sentence.
func screen(e *Exploration) []document.Section {
	out := slices.Concat(answer(e),
		table(e, "Faster than the default", false, func(c *Cell) bool { return c.MendBy != "" && c.Word != SameAlgorithm }),
		same(e))
	var rest document.Section
	open := lists.Keep(e.Cells, func(c Cell) bool { return c.Word == NotDecided })
	if shown, more := phrase.First(open, 12, ", %d more"); len(open) > 0 {
		rest.Fact("Undecided", "%s%s", phrase.JoinOf(", ", shown, func(c Cell) string {
			return document.Whole(phrase.Plain(c.Function) + " " + phrase.Size(c.Msize))
		}), more)
	}
	for _, c := range e.Cells {
		if c.unsafe != "" {
			rest.Fact("No setting", "%s %s: %s", phrase.Plain(c.Function), phrase.Size(c.Msize), c.unsafe)
		}
	}
	if len(e.Unused) > 0 {
		rest.Fact("Not used", "%s of its own; --full says why", conf.Plural(len(e.Unused), "algorithm"))
	}
	if len(rest.Text) > 0 {
		out = append(out, rest)
	}
	return out
}

func answer(e *Exploration) []document.Section {
	cells := conf.Plural(len(e.Cells), "cell")
	counts := lists.Map(Advices, func(word Advice) string {
		by := phrase.When(word == NothingSeen, " by %s", conf.Plural(e.Select, "mpirun"))
		return phrase.When(e.Count[word] > 0, "%d %s%s", e.Count[word], word, by)
	})
	s := document.Section{}
	switch own, same, others := e.Count[OwnAlgorithm], e.Count[SameAlgorithm], e.Count[OnlyMockup]+e.Count[OnlyTextbook]; {
	case e.NotJudged() != "":
	case own+same > 0:
		apart := phrase.When(same > 0, ": in %d another algorithm, in %d the same, chosen by hand", own, same)
		s.Say("FASTER: in %d of %s one of the library's own algorithms beats what it chooses, by up to %s%s.",
			own+same, cells, phrase.Ratio(largestGain(e)), apart)
		s.Tone = picture.Slow
	case others > 0:
		s.Say("ONLY %s FASTER, in %d of %s; none of the library's own algorithms is shown to be.",
			phrase.Either(e.Count[OnlyTextbook] == 0, "MOCK-UPS ARE", "MOCK-UPS OR TEXTBOOK ALGORITHMS ARE"), others, cells)
	default:
		s.Say("NO FASTER ALGORITHM SHOWN in %s.", cells)
	}
	s.Say("%s.", check.SetUp(e.Library, check.Processes(e.Shapes), e.Operation, mpirunsOf(e), e.Host, e.Created))
	s.Say("Of %s (a collective at a size): %s.", cells, phrase.List(", ", counts...))
	var unknown []string
	for _, c := range e.Cells {
		if c.Reason == unknownOwn {
			unknown = lists.With(unknown, c.Function)
		}
	}
	if len(unknown) > 0 {
		s.Say("%s They were compared with mock-ups alone.", report.NotKnown(unknown))
	}
	return []document.Section{s}
}

func mpirunsOf(e *Exploration) string {
	return conf.Plural(e.Select, "mpirun") + phrase.When(e.R > 0, " chose and %d others tested", e.R)
}

func largestGain(e *Exploration) (most *float64) {
	for _, c := range e.Cells {
		if c.Own.Faster() && (most == nil || *c.Own.Ratio > *most) {
			most = c.Own.Ratio
		}
	}
	return most
}

// same has the cells in which the library takes the algorithm that is faster: there its way to the algorithm costs.
func same(e *Exploration) []document.Section {
	t := &document.Table{Head: []string{"call", "size", "default", "algorithm", "slower", "95 %", "selection"},
		Align: "lrrlrlr", Grouped: true}
	for _, c := range e.Cells {
		if k := c.Own; c.Word == SameAlgorithm {
			t.Add(phrase.Function(c.Function)+phrase.When(len(e.Shapes) > 1, ", %s", c.Shape), phrase.Size(c.Msize), phrase.Duration(k.DefaultS),
				mockups.Algorithm(k.Function), candidateRatio(k), phrase.Interval(k.RatioLo95, k.RatioHi95),
				phrase.Duration(k.SelectionS()))
		}
	}
	return document.Tabled(t,
		"selection: what the library's way to the algorithm takes; a variable that names the algorithm skips it (`pgmpi remedy`).",
		"The same algorithm, chosen by hand")
}

func table(e *Exploration, title string, all bool, shown func(*Cell) bool) []document.Section {
	t := &document.Table{Head: []string{"call", "size", "default", "best own", "slower", "95 %", "best mock-up", "textbook", "mend by", "answer"},
		Align: "lrrlrlllll", Grouped: true, Flex: 6, Spare: []int{5}}
	for i := range e.Cells {
		c := &e.Cells[i]
		if !shown(c) {
			continue
		}
		name := phrase.Function(c.Function) + phrase.When(len(e.Shapes) > 1, ", %s", c.Shape)
		cells := []string{name, phrase.Size(c.Msize), phrase.Duration(c.DefaultS), "-", "-", "-", "-", "-", string(c.MendBy), answerOf(c)}
		if c.Reason == unknownOwn {
			cells[3] = "not known"
		}
		if k := c.Own; k != nil {
			cells[3], cells[4], cells[5] = mockups.Algorithm(k.Function), candidateRatio(k), phrase.Interval(k.RatioLo95, k.RatioHi95)
		}
		for i, k := range []*Candidate{c.Mockup, c.Textbook} {
			if k != nil {
				cells[6+i] = strings.TrimPrefix(formulaOf(k.Function), "textbook ") + " " + candidateRatio(k)
			}
		}
		t.Add(cells...)
	}
	if !all {
		t.Drop(9)
		return document.Tabled(t, mendings, "%s", title)
	}
	t.Drop(8)
	return document.Tabled(t, "default: its time in the mpiruns that chose. slower: how many times slower it is; ~: in these mpiruns, not tested. 95 %: its interval, for this test alone. "+mendings, "%s", title)
}

const mendings = "Mended with least by a setting of the library (`pgmpi remedy`), else by `pgmpi apply`, which replaces a program's calls, else by a report to the library's developers."

// answerOf has the answer, and what mends a cell that no setting does.
func answerOf(c *Cell) string {
	if c.Word == SameAlgorithm {
		return "same, by hand"
	}
	return string(c.Word) + phrase.When(c.MendBy == ByApply || c.MendBy == ByReport, ": %s", c.MendBy)
}

// fastestOwn has the cells in which an algorithm of the library's own was measured without a test.
func fastestOwn(e *Exploration) []document.Section {
	out := table(e, "The fastest of the library's own algorithms, from medians and without a test", false, func(c *Cell) bool { return c.Own != nil })
	for i := range out {
		out[i].Notes = nil
		for range 3 { // it has neither mock-ups nor a setting
			out[i].Table.Drop(6)
		}
		out[i].Table.Flex = 0
	}
	return out
}

func formulaOf(id string) string {
	if f, ok := mockups.Get(id); ok {
		return strings.ReplaceAll(f.Formula, "(n)", "")
	}
	return id
}

func candidateRatio(k *Candidate) string {
	return phrase.When(k.Verdict == "" || k.PValue == nil, "~") + phrase.Ratio(k.Ratio)
}

// notUsed names the algorithms without times, those with one reason together.
func notUsed(e *Exploration) []document.Section {
	if len(e.Unused) == 0 {
		return nil
	}
	s := document.Titled("Not used here")
	for _, alike := range analyze.Grouped(e.Unused, func(u Unused) [3]string { return [3]string{u.Shape, u.Status, inShort(u.Message)} }) {
		first, names := alike[0], lists.Map(alike, func(u Unused) string { return u.Function })
		if len(names) == 1 {
			names[0] += " in " + conf.Plural(first.Cases, "size")
		}
		s.Item("%s: %s with %s: %s", strings.Join(names, ", "), phrase.Words(first.Status), first.Shape, inShort(first.Message))
	}
	return []document.Section{s}
}

// notUsable is MPICH's word for an algorithm that it does not have for a call.
const notUsable = "User set collective algorithm is not usable for the provided arguments"

// inShort drops from an MPI library's message the stack of the library's own functions.
func inShort(message string) string {
	if strings.Contains(message, notUsable) {
		return notUsable
	}
	short, _, _ := strings.Cut(message, ", error stack:")
	return short
}

func design(e *Exploration) []document.Section {
	s := document.Titled("How it was explored")
	s.Fact("Design", "%s; %s", mpirunsOf(e), e.Operation.Text())
	if e.R > 0 {
		s.Fact("Test", "%s%s, %s, m = %s, alpha = %g, from %g× on; smallest p attainable %s",
			e.Test.Title(e.R), check.Within(e.Test), check.AdjustNames[e.Adjust], conf.Plural(e.M, "candidate"), e.Alpha, e.MinSlowdown, phrase.Probability(&e.PMin))
	} else {
		s.Fact("Test", "none: nothing was %g× faster in the mpiruns that chose", e.MinSlowdown)
	}
	if n := e.Itself; n.Tests > 0 {
		s.Fact("A/A", "the default against itself, called as own algorithms are: %d of %s, two-sided, found a difference; median ratio %s",
			n.False, conf.Plural(n.Tests, "test"), phrase.Ratio(e.ItselfRatio))
	}
	s.Fact("Answers", "own algorithm: the fastest of the library's own is shown to beat the default; "+
		"same algorithm by hand: so does the one that it takes anyway; only mock-up: no own algorithm does, but a mock-up; only textbook: only a textbook algorithm does; "+
		"default is best: what was faster in the mpiruns that chose is shown not to be; nothing faster seen: by these mpiruns, without a test")
	s.Fact("Sizes", "%s", e.MsizeLegend)
	return []document.Section{s}
}

// outcomes fail where an own algorithm beats the default.
func outcomes(e *Exploration) *document.Outcomes {
	out := &document.Outcomes{Created: e.Created, Host: document.OneLine(e.Host)}
	out.Fact("library", phrase.ShortVersion(e.Library.Version))
	out.Fact("pgmpi", e.Version)
	for i := range e.Cells {
		out.Add(e.Cells[i].Shape+".explore", outcome(&e.Cells[i]))
	}
	return out
}

func outcome(c *Cell) document.Outcome {
	o := document.Outcome{Class: "pgmpi." + c.Shape + ".explore." + c.Function, Name: fmt.Sprintf("%d B", c.Msize), Why: string(c.Word), Seconds: c.DefaultS}
	switch c.Word {
	case OwnAlgorithm, SameAlgorithm:
		o.Result, o.Ratio = document.Failed, *c.Own.Ratio
	case NotDecided, NotExplored:
		o.Result = document.Skipped
	case DefaultIsBest, NothingSeen, OnlyMockup, OnlyTextbook:
	}
	call := fmt.Sprintf("%s %s, %s", phrase.Plain(c.Function), phrase.Size(c.Msize), c.Shape)
	o.Title, o.Text = call+": "+o.Why, call+": "+o.Why
	if c.Own.Faster() {
		o.Text = fmt.Sprintf("%s takes %s, which is %s as long as by %s", call, phrase.Duration(c.Own.DefaultS), phrase.Ratio(c.Own.Ratio), c.Own.Function)
	}
	return o
}

func metrics(e *Exploration) []document.Metric {
	ratio := document.Metric{Name: "pgmpi_explore_ratio", Help: "How many times slower the default is than a candidate, where that was tested."}
	for _, c := range e.Cells {
		for _, k := range []*Candidate{c.Own, c.Mockup, c.Textbook} {
			if k != nil && k.PValue != nil && k.Ratio != nil { // else it is of the mpiruns that chose
				ratio.Add(*k.Ratio, append([]document.Label{{Name: "candidate", Value: k.Function}}, check.CellLabels(c.Cell)...)...)
			}
		}
	}
	cells := document.Metric{Name: "pgmpi_explore_cells", Help: "Collectives at a size, by the answer."}
	for _, word := range Advices {
		cells.Add(float64(e.Count[word]), document.Label{Name: "answer", Value: string(word)})
	}
	if len(ratio.Values) == 0 {
		return []document.Metric{cells}
	}
	return []document.Metric{ratio, cells}
}
