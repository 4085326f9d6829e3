package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/explore"
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

var Explorations = document.Kind[explore.Exploration]{Name: "explore", Sections: exploreSections, Screen: exploreScreen, Rows: exploreRows, JSON: true,
	NotJudged: (*explore.Exploration).NotJudged, Exit: exploreExit, Outcomes: exploreOutcomes, Metrics: exploreMetrics}

func exploreExit(e *explore.Exploration) error {
	switch e.Exit {
	case exitcode.Violated:
		return fail.ErrFound
	case exitcode.Failed:
		return errors.New("a collective or a mock-up gave wrong data: the exploration names it")
	}
	return nil
}

func exploreRows(e *explore.Exploration) [][]string {
	out := [][]string{{"collective", "msize", "shape", "np", "word", "default_s",
		"own", "own_s", "own_ratio", "own_ratio_lo95", "own_ratio_hi95", "own_p_value", "own_p_adjusted", "own_verdict",
		"mockup", "mockup_s", "mockup_ratio", "mockup_ratio_lo95", "mockup_ratio_hi95", "mockup_p_value", "mockup_p_adjusted", "mockup_verdict", "reason"}}
	for _, c := range e.Cells {
		own, mockup := cmp.Or(c.Own, &explore.Candidate{}), cmp.Or(c.Mockup, &explore.Candidate{})
		out = append(out, phrase.Row(c.Function, c.Msize, c.Shape, c.NP, c.Word, c.DefaultS,
			own.Function, own.MedianS, own.Ratio, own.RatioLo95, own.RatioHi95, own.PValue, own.PAdjusted, own.Verdict,
			mockup.Function, mockup.MedianS, mockup.Ratio, mockup.RatioLo95, mockup.RatioHi95, mockup.PValue, mockup.PAdjusted, mockup.Verdict, c.Reason))
	}
	return out
}

func exploreSections(e *explore.Exploration) []document.Section {
	return slices.Concat(exploreAnswer(e), exploreTable(e, "All cells", true, func(*explore.ExploreCell) bool { return true }), exploreUnused(e), exploreDesign(e))
}

// exploreScreen has the cells with something faster, and the others in a sentence.
func exploreScreen(e *explore.Exploration) []document.Section {
	out := slices.Concat(exploreAnswer(e),
		exploreTable(e, "Faster than the default", false, func(c *explore.ExploreCell) bool { return c.Word == explore.OwnAlgorithm }),
		exploreTable(e, "Only a mock-up is faster", false, func(c *explore.ExploreCell) bool { return c.Word == explore.OnlyMockup }))
	var rest document.Section
	open := lists.Keep(e.Cells, func(c explore.ExploreCell) bool { return c.Word == explore.NotDecided })
	if shown, more := phrase.First(open, 12, ", %d more"); len(open) > 0 {
		rest.Fact("Undecided", "%s%s", phrase.JoinOf(", ", shown, func(c explore.ExploreCell) string {
			return document.Whole(phrase.Plain(c.Function) + " " + phrase.Size(c.Msize))
		}), more)
	}
	if len(e.Unused) > 0 {
		rest.Fact("Not used", "%s of its own; --full says why", conf.Plural(len(e.Unused), "algorithm"))
	}
	if len(rest.Text) > 0 {
		out = append(out, rest)
	}
	return out
}

func exploreAnswer(e *explore.Exploration) []document.Section {
	cells := conf.Plural(len(e.Cells), "cell")
	counts := lists.Map(explore.Advices, func(word explore.Advice) string {
		by := phrase.When(word == explore.NothingSeen, " by %s", conf.Plural(e.Select, "mpirun"))
		return phrase.When(e.Count[word] > 0, "%d %s%s", e.Count[word], word, by)
	})
	s := document.Section{}
	switch own, mockup := e.Count[explore.OwnAlgorithm], e.Count[explore.OnlyMockup]; {
	case e.NotJudged() != "":
	case own > 0:
		s.Say("FASTER: in %d of %s one of the library's own algorithms beats what it chooses, by up to %s.", own, cells, phrase.Ratio(largestGain(e)))
		s.Tone = picture.Slow
	case mockup > 0:
		s.Say("ONLY MOCK-UPS ARE FASTER, in %d of %s; none of the library's own algorithms is shown to be.", mockup, cells)
	default:
		s.Say("NO FASTER ALGORITHM SHOWN in %s.", cells)
	}
	s.Say("%s.", check.SetUp(e.Library, check.Processes(e.Shapes), e.Operation, exploredIn(e), e.Host, e.Created))
	s.Say("Of %s (a collective at a size): %s.", cells, phrase.List(", ", counts...))
	return []document.Section{s}
}

func exploredIn(e *explore.Exploration) string {
	return conf.Plural(e.Select, "mpirun") + phrase.When(e.R > 0, " chose and %d others tested", e.R)
}

func largestGain(e *explore.Exploration) (most *float64) {
	for _, c := range e.Cells {
		if c.Own.Faster() && (most == nil || *c.Own.Ratio > *most) {
			most = c.Own.Ratio
		}
	}
	return most
}

func exploreTable(e *explore.Exploration, title string, all bool, shown func(*explore.ExploreCell) bool) []document.Section {
	t := &document.Table{Head: []string{"collective", "size", "default", "best own", "slower", "95 %", "best mock-up", "slower", "answer"}, Align: "lrrlrllrl",
		Grouped: true, Flex: 6, Spare: []int{5}}
	for i := range e.Cells {
		c := &e.Cells[i]
		if !shown(c) {
			continue
		}
		name := c.Function + phrase.When(len(e.Shapes) > 1, ", %s", c.Shape)
		cells := []string{name, phrase.Size(c.Msize), phrase.Duration(c.DefaultS), "-", "-", "-", "-", "-", string(c.Word)}
		if k := c.Own; k != nil {
			cells[3], cells[4], cells[5] = mockups.Algorithm(k.Function), candidateRatio(k), phrase.Interval(k.RatioLo95, k.RatioHi95, "–")
		}
		if k := c.Mockup; k != nil {
			cells[6], cells[7] = formulaOf(k.Function), candidateRatio(k)
		}
		t.Add(cells...)
	}
	if !all {
		t.Drop(8)
		return document.Tabled(t, "", "%s", title)
	}
	return document.Tabled(t, "slower: how many times slower the default is; ~: of the mpiruns that chose, not tested; all of default is of these. 95 %: its interval, for this test alone.", "%s", title)
}

// OwnAlgorithms has the cells in which an algorithm of the library's own was measured without a test.
func OwnAlgorithms(e *explore.Exploration) []document.Section {
	return exploreTable(e, "The fastest of the library's own algorithms, from medians and without a test", false,
		func(c *explore.ExploreCell) bool { return c.Own != nil })
}

func formulaOf(id string) string {
	if f, ok := mockups.Get(id); ok {
		return strings.ReplaceAll(f.Formula, "(n)", "")
	}
	return id
}

func candidateRatio(k *explore.Candidate) string {
	return phrase.When(k.Verdict == "" || k.PValue == nil, "~") + phrase.Ratio(k.Ratio)
}

// exploreUnused names the algorithms without times, those with one reason together.
func exploreUnused(e *explore.Exploration) []document.Section {
	if len(e.Unused) == 0 {
		return nil
	}
	s := document.Titled("Not used here")
	for _, alike := range analyze.Grouped(e.Unused, func(u explore.Unused) [3]string { return [3]string{u.Shape, u.Status, inShort(u.Message)} }) {
		first, names := alike[0], lists.Map(alike, func(u explore.Unused) string { return u.Function })
		if len(names) == 1 {
			names[0] += " in " + conf.Plural(first.Cases, "size")
		}
		s.Item("%s: %s with %s: %s", strings.Join(names, ", "), phrase.Words(first.Status), first.Shape, inShort(first.Message))
	}
	return []document.Section{s}
}

// notUsable is MPICH's word for an algorithm that it does not have for a call.
const notUsable = "User set collective algorithm is not usable for the provided arguments"

// inShort is what an MPI library says without the functions of its own that it was in.
func inShort(message string) string {
	if strings.Contains(message, notUsable) {
		return notUsable
	}
	short, _, _ := strings.Cut(message, ", error stack:")
	return short
}

func exploreDesign(e *explore.Exploration) []document.Section {
	s := document.Titled("How it was explored")
	s.Fact("Design", "%s; %s", exploredIn(e), e.Operation.Text())
	if e.R > 0 {
		s.Fact("Test", "%s%s, %s, m = %s, alpha = %g, from %g× on; smallest p attainable %s",
			e.Test.Title(e.R), check.Within(e.Test), check.AdjustNames[e.Adjust], conf.Plural(e.M, "candidate"), e.Alpha, e.MinSlowdown, phrase.Probability(&e.PMin))
	} else {
		s.Fact("Test", "none: nothing was %g× faster in the mpiruns that chose", e.MinSlowdown)
	}
	if n := e.Itself; n.Tests > 0 {
		s.Fact("A/A", "the default against itself, called on the way of its own algorithms: %d of %s, two-sided, found a difference; median ratio %s",
			n.False, conf.Plural(n.Tests, "test"), phrase.Ratio(e.ItselfRatio))
	}
	s.Fact("Answers", "own algorithm: the fastest of the library's own is shown to beat the default; only mock-up: no own one is, a mock-up is; "+
		"default is best: what was faster in the mpiruns that chose is shown not to be; nothing faster seen: by these mpiruns, without a test")
	s.Fact("Sizes", "%s", e.MsizeLegend)
	return []document.Section{s}
}

// exploreOutcomes fail where an own algorithm beats the default.
func exploreOutcomes(e *explore.Exploration) *document.Outcomes {
	out := &document.Outcomes{Created: e.Created, Host: document.OneLine(e.Host)}
	out.Fact("library", phrase.ShortVersion(e.Library.Version))
	out.Fact("pgmpi", e.Version)
	for i := range e.Cells {
		out.Add(e.Cells[i].Shape+".explore", exploreOutcome(&e.Cells[i]))
	}
	return out
}

func exploreOutcome(c *explore.ExploreCell) document.Outcome {
	o := document.Outcome{Class: "pgmpi." + c.Shape + ".explore." + c.Function, Name: fmt.Sprintf("%d B", c.Msize), Why: string(c.Word), Seconds: c.DefaultS}
	switch c.Word {
	case explore.OwnAlgorithm:
		o.Result, o.Ratio = document.Failed, *c.Own.Ratio
	case explore.NotDecided, explore.NotExplored:
		o.Result = document.Skipped
	case explore.DefaultIsBest, explore.NothingSeen, explore.OnlyMockup:
	}
	call := fmt.Sprintf("%s %s, %s", phrase.Plain(c.Function), phrase.Size(c.Msize), c.Shape)
	o.Title, o.Text = call+": "+o.Why, call+": "+o.Why
	if c.Own.Faster() {
		o.Text = fmt.Sprintf("%s takes %s, which is %s as long as by %s", call, phrase.Duration(c.Own.DefaultS), phrase.Ratio(c.Own.Ratio), c.Own.Function)
	}
	return o
}

func exploreMetrics(e *explore.Exploration) []document.Metric {
	ratio := document.Metric{Name: "pgmpi_explore_ratio", Help: "How many times slower the default is than a candidate, where that was tested."}
	for _, c := range e.Cells {
		for _, k := range []*explore.Candidate{c.Own, c.Mockup} {
			if k != nil && k.PValue != nil && k.Ratio != nil { // else it is of the mpiruns that chose
				ratio.Add(*k.Ratio, append([]document.Label{{Name: "candidate", Value: k.Function}}, check.CellLabels(c.Function, c.Msize, c.Shape)...)...)
			}
		}
	}
	cells := document.Metric{Name: "pgmpi_explore_cells", Help: "Collectives at a size, by the answer."}
	for _, word := range explore.Advices {
		cells.Add(float64(e.Count[word]), document.Label{Name: "answer", Value: string(word)})
	}
	if len(ratio.Values) == 0 {
		return []document.Metric{cells}
	}
	return []document.Metric{ratio, cells}
}
