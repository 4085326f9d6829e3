package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

// Explorations say what a library's own algorithms gain over what it chooses.
var Explorations = Kind[analyze.Exploration]{Name: "explore", Sections: exploreSections, Screen: exploreScreen, Rows: exploreRows, JSON: true,
	Outcomes: exploreOutcomes, Metrics: exploreMetrics}

// exploreColumns are the names of explore.json. New columns go to the end.
var exploreColumns = []string{"collective", "msize", "shape", "np", "word", "default_s",
	"own", "own_s", "own_ratio", "own_ratio_lo95", "own_ratio_hi95", "own_p_value", "own_p_adjusted", "own_verdict",
	"mockup", "mockup_s", "mockup_ratio", "mockup_ratio_lo95", "mockup_ratio_hi95", "mockup_p_value", "mockup_p_adjusted", "mockup_verdict", "reason"}

func exploreRows(e *analyze.Exploration) [][]string {
	out := [][]string{exploreColumns}
	for _, c := range e.Cells {
		own, mockup := cmp.Or(c.Own, &analyze.Candidate{}), cmp.Or(c.Mockup, &analyze.Candidate{})
		out = append(out, row(c.Function, c.Msize, c.Shape, c.NP, c.Word, c.DefaultS,
			own.Function, own.MedianS, own.Ratio, own.RatioLo95, own.RatioHi95, own.PValue, own.PAdjusted, own.Verdict,
			mockup.Function, mockup.MedianS, mockup.Ratio, mockup.RatioLo95, mockup.RatioHi95, mockup.PValue, mockup.PAdjusted, mockup.Verdict, c.Reason))
	}
	return out
}

func exploreSections(e *analyze.Exploration) []Section {
	return slices.Concat(exploreAnswer(e), exploreTable(e, "All cells", func(*analyze.ExploreCell) bool { return true }), exploreUnused(e), exploreDesign(e))
}

// exploreScreen leaves out the cells where the default is best.
func exploreScreen(e *analyze.Exploration) []Section {
	return slices.Concat(exploreAnswer(e),
		exploreTable(e, "Where the default is not shown to be best", func(c *analyze.ExploreCell) bool { return c.Word != analyze.DefaultIsBest }),
		exploreUnused(e))
}

// exploreAnswer is the first line: in how many cells something is faster.
func exploreAnswer(e *analyze.Exploration) []Section {
	cells := conf.Plural(len(e.Cells), "cell")
	of := map[analyze.Advice]string{}
	for word, n := range e.Count {
		of[word] = fmt.Sprintf("%d %s", n, word)
	}
	var counts []string
	for _, word := range analyze.Advices {
		if e.Count[word] > 0 {
			counts = append(counts, of[word])
		}
	}
	s := Section{}
	switch own, mockup := e.Count[analyze.OwnAlgorithm], e.Count[analyze.OnlyMockup]; {
	case e.Refused != nil:
		s.Say("NO VERDICT: %s.", e.Refused.Reason)
	case own > 0:
		s.Say("FASTER: in %d of %s one of the library's own algorithms beats what it chooses, by up to %s. %s.", own, cells, Ratio(largestGain(e)), exploredOn(e))
		s.Tone = Slow
	case mockup > 0:
		s.Say("ONLY MOCK-UPS ARE FASTER, in %d of %s; none of the library's own algorithms is shown to be. %s.", mockup, cells, exploredOn(e))
	default:
		s.Say("NO FASTER ALGORITHM SHOWN in %s. %s.", cells, exploredOn(e))
	}
	s.Say("Of %s (a collective at a size): %s.", cells, strings.Join(counts, ", "))
	return []Section{s}
}

func exploredOn(e *analyze.Exploration) string {
	var shapes []string
	for _, x := range e.Shapes {
		shapes = append(shapes, cmp.Or(when(x.Nodes == 0, "%d %s", x.NP, processes(x.NP)), x.Name))
	}
	return fmt.Sprintf("%s, %s, %s", ShortVersion(e.Library.Version), strings.Join(shapes, ", "),
		cmp.Or(when(e.R > 0, "%s chose, %d others tested", conf.Plural(e.Select, "mpirun"), e.R), conf.Plural(e.Select, "mpirun")))
}

func processes(n int) string { return cmp.Or(when(n == 1, "process"), "processes") }

// largestGain is the largest ratio of an own algorithm that is shown to be faster.
func largestGain(e *analyze.Exploration) (most *float64) {
	for _, c := range e.Cells {
		if c.Own.Faster() && (most == nil || *c.Own.Ratio > *most) {
			most = c.Own.Ratio
		}
	}
	return most
}

func exploreTable(e *analyze.Exploration, title string, shown func(*analyze.ExploreCell) bool) []Section {
	t := &Table{Head: []string{"collective", "size", "default", "best own", "ratio", "95 %", "best mock-up", "ratio", "answer"}, Align: "lrrlrllrl",
		Grouped: true, Flex: 6, Spare: []int{5}}
	for i := range e.Cells {
		c := &e.Cells[i]
		if !shown(c) {
			continue
		}
		name := c.Function + when(len(e.Shapes) > 1, ", %s", c.Shape)
		cells := []string{name, size(c.Msize), Duration(c.DefaultS), "-", "-", "-", "-", "-", string(c.Word)}
		if k := c.Own; k != nil {
			cells[3], cells[4], cells[5] = mockups.Algorithm(k.Function), candidateRatio(k), interval(k.RatioLo95, k.RatioHi95, "–")
		}
		if k := c.Mockup; k != nil {
			cells[6], cells[7] = formulaOf(k.Function), candidateRatio(k)
		}
		t.Add(cells...)
	}
	return tabled(t, "ratio: how many times slower the default is; ~: of the mpiruns that chose, not tested. 95 %: its interval, for this test alone.", "%s", title)
}

// formulaOf writes a mock-up as what it calls.
func formulaOf(id string) string {
	if f, ok := mockups.Get(id); ok {
		return strings.ReplaceAll(f.Formula, "(n)", "")
	}
	return id
}

func candidateRatio(k *analyze.Candidate) string {
	return when(k.Verdict == "" || k.PValue == nil, "~") + Ratio(k.Ratio)
}

// exploreUnused names the algorithms without times, those with one reason together.
func exploreUnused(e *analyze.Exploration) []Section {
	if len(e.Unused) == 0 {
		return nil
	}
	s := Titled("Not used here")
	for left := e.Unused; len(left) > 0; {
		first := left[0]
		alike := func(u analyze.Unused) bool {
			return u.Shape == first.Shape && u.Status == first.Status && inShort(u.Message) == inShort(first.Message)
		}
		var names []string
		for _, u := range left {
			if alike(u) {
				names = append(names, u.Function)
			}
		}
		left = slices.DeleteFunc(slices.Clone(left), alike)
		if len(names) == 1 {
			names[0] += " in " + conf.Plural(first.Cases, "size")
		}
		s.Item("%s: %s with %s: %s", strings.Join(names, ", "), words(first.Status), first.Shape, inShort(first.Message))
	}
	return []Section{s}
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

func exploreDesign(e *analyze.Exploration) []Section {
	s := Titled("How it was explored")
	s.Fact("Design", "%s; datatype %s, op %s, root %d", exploredOn(e), e.Datatype, e.Op, e.Root)
	if e.R > 0 {
		s.Fact("Test", "%s%s, %s, m = %s, alpha = %g, from %g× on; smallest p attainable %s",
			e.Test.Title(e.R), within(e.Test), adjustNames[e.Adjust], conf.Plural(e.M, "candidate"), e.Alpha, e.MinSlowdown, probability(&e.PMin))
	} else {
		s.Fact("Test", "none: nothing was %g× faster in the mpiruns that chose", e.MinSlowdown)
	}
	if n := e.Itself; n.Tests > 0 {
		s.Fact("A/A", "the default against itself, called on the way of its own algorithms: %d of %s, two-sided, found a difference; median ratio %s",
			n.False, conf.Plural(n.Tests, "test"), Ratio(e.ItselfRatio))
	}
	s.Fact("Answers", "own algorithm: the fastest of the library's own is shown to beat the default; only mock-up: no own one is, a mock-up is; "+
		"default is best: nothing was faster in the mpiruns that chose, or what was is not when tested")
	s.Fact("Sizes", "%s", e.MsizeLegend)
	return []Section{s}
}

// exploreOutcomes fail where an own algorithm beats the default.
func exploreOutcomes(e *analyze.Exploration) *Outcomes {
	out := &Outcomes{Created: e.Created, Host: oneLine(e.Host)}
	out.fact("library", ShortVersion(e.Library.Version))
	out.fact("pgmpi", e.Version)
	for _, s := range e.Shapes {
		suite := Suite{Name: oneLine(s.Name + ".explore")}
		for i := range e.Cells {
			if c := &e.Cells[i]; c.Shape == s.Name {
				suite.Outcomes = append(suite.Outcomes, exploreOutcome(c))
			}
		}
		out.Suites = append(out.Suites, suite)
	}
	return out
}

func exploreOutcome(c *analyze.ExploreCell) Outcome {
	o := Outcome{Class: oneLine("pgmpi." + c.Shape + ".explore." + c.Function), Name: fmt.Sprintf("%d B", c.Msize), Why: string(c.Word), Seconds: c.DefaultS}
	switch c.Word {
	case analyze.OwnAlgorithm:
		o.Result, o.Ratio = Failed, *c.Own.Ratio
	case analyze.NotDecided, analyze.NotExplored:
		o.Result = Skipped
	case analyze.DefaultIsBest, analyze.OnlyMockup:
	}
	call := fmt.Sprintf("%s %s, %s", plain(c.Function), size(c.Msize), c.Shape)
	o.Title, o.Text = oneLine(call+": "+o.Why), oneLine(call+": "+o.Why)
	if c.Own.Faster() {
		o.Text = oneLine(fmt.Sprintf("%s takes %s, %s %s as long as by %s", call, Duration(c.DefaultS), "which is", Ratio(c.Own.Ratio), c.Own.Function))
	}
	return o
}

// exploreMetrics are what one draws over the nights.
func exploreMetrics(e *analyze.Exploration) []Metric {
	ratio := Metric{Name: "pgmpi_explore_ratio", Help: "How many times slower the default is than a candidate, where that was tested."}
	for _, c := range e.Cells {
		for _, k := range []*analyze.Candidate{c.Own, c.Mockup} {
			if k != nil && k.PValue != nil && k.Ratio != nil { // else it is of the mpiruns that chose
				ratio.add(*k.Ratio, append([]Label{{"candidate", k.Function}}, cellLabels(c.Function, c.Msize, c.Shape)...)...)
			}
		}
	}
	cells := Metric{Name: "pgmpi_explore_cells", Help: "Collectives at a size, by the answer."}
	for _, word := range analyze.Advices {
		cells.add(float64(e.Count[word]), Label{"answer", string(word)})
	}
	if len(ratio.Values) == 0 {
		return []Metric{cells}
	}
	return []Metric{ratio, cells}
}

// within says of a paired test that it compares within mpiruns.
func within(test judge.TestName) string {
	if t := judge.Get(test); t != nil && t.Paired {
		return " within mpiruns"
	}
	return ""
}
