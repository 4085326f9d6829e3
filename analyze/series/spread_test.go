package series

import (
	"math"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestASpreadIsOfTwoFoldersAndMore(t *testing.T) {
	of := func(name, cpu string) *analyze.Side {
		return side(t, name, fixture.Quiet, func(m *results.Manifest, _ []results.Run) { m.Factors.CPU = cpu })
	}
	s := must.Get(NewSpread([]*analyze.Side{of("a", "x"), of("b", "y")}, false))(t)
	should.Hold(t, len(s.Folders) == 2 && s.Folders[1].Folder == "b" && s.Cases[0].MedianS == s.Cases[0].Normalised[0]*s.Cases[0].MedianS, "%+v", s)
	should.Equal(t, s.Cases[0].MedianS, 10006.5/1e9, "of twelve mpiruns, each a nanosecond longer")
	s = must.Get(NewSpread([]*analyze.Side{of("a", "x"), of("b", "y"), of("c", "z")}, false))(t)
	must.Hold(t, len(s.Warnings) == 1, "a factor that differs is named once: %+v", s.Warnings)
	should.Contain(t, s.Warnings[0].Text, "cpu is x in folder 1 and y in folder 2: ")
	small := func(name string, sizes ...int64) *analyze.Side {
		m := fixture.Planned(fixture.R, []guidelines.Shape{fixture.P2}, sizes, fixture.GL8)
		return must.Get(analyze.Analyze(m, fixture.Measured(m, fixture.Quiet...), judge.Default()))(t).Side(name)
	}
	s = must.Get(NewSpread([]*analyze.Side{small("a", 8, 64), small("b", 8)}, false))(t)
	should.Hold(t, len(s.Cases) == 1 && s.left == 1 && len(s.Warnings) == 1, "one case in common: %+v", s)
	_, err := NewSpread([]*analyze.Side{small("a", 8), small("b", 64)}, false)
	should.Fail(t, err, "in common")
}

func TestAFunctionsSpreadIsItsWorstAndItsMedian(t *testing.T) {
	k := func(function, shape string, msize int64, worst, cv float64) CaseSpread {
		return CaseSpread{Cell: medians.Cell{Function: function, Shape: shape, Msize: msize}, MaxOverMin: worst, CV: cv}
	}
	s := &Spread{Cases: []CaseSpread{k("x", "p2", 8, 1.2, .1), k("y", "p2", 8, 2, .5), k("x", "p2", 16, 1.3, .3), k("x", "p2", 32, 1.3, .2), k("x", "p4", 8, 3, .6)}}
	s.sumUp()
	for i, want := range []FunctionSpread{{"x", "p2", 3, 1.3, 16, .2, nil}, {"y", "p2", 1, 2, 8, .5, nil}, {"x", "p4", 1, 3, 8, .6, nil}} {
		s.Functions[i].cvs = nil
		should.Equal(t, s.Functions[i], want)
	}
	should.Equal(t, len(s.Functions), 3)
}

func TestASummaryOverRanksIsOfThoseThatHaveTheRepetition(t *testing.T) {
	for name, c := range map[string]struct {
		s     Summary
		ranks [][]int64
		want  int64
	}{
		"mean of both":     {RanksMean, [][]int64{{1, 4}, {1, 8}}, 6},
		"least of both":    {RanksLeast, [][]int64{{1, 4}, {1, 8}}, 4},
		"one has fewer":    {RanksMean, [][]int64{{1}, {1, 8}}, 8},
		"none has it":      {RanksMean, [][]int64{{1}, {1}}, 1},
		"nor the least":    {RanksLeast, [][]int64{{1}, {1}}, 1},
		"never nothing":    {RanksLeast, [][]int64{{1, 0}, {1, 8}}, 1},
		"but a nanosecond": {RanksLeast, [][]int64{{1, 1}, {1, 8}}, 1},
	} {
		should.Equal(t, c.s.over(c.ranks, 1), c.want, name)
	}
	none := []protocol.Sample{{NS: 7, Flags: protocol.FlagLate}}
	Least.Put(none, nil)
	should.Equal(t, none[0].NS, 7, "without valid samples nothing is replaced")
}

// Two tests of MPI_Reduce against a mock-up, one of each other kind, which is left out.
func TestSummariesCountWhatEachFindsOfTheTestsThatAllHave(t *testing.T) {
	verdict := func(kind guidelines.Type, msize int64, v judge.Verdict, ratio float64) analyze.Verdict {
		return analyze.Verdict{Guideline: "GL8", Type: kind, Function: "MPI_Reduce", Msize: msize, Shape: "p2", Verdict: v, Tested: analyze.Tested{Effect: analyze.Effect{Ratio: analyze.Number(ratio)}}}
	}
	folder := func(name string, first, second judge.Verdict) *analyze.Side {
		m := fixture.Empty(1)
		call, mockup, none := fixture.Case(m, "MPI_Reduce", fixture.P2, 8), fixture.Case(m, "m", fixture.P2, 8), fixture.Case(m, "m", fixture.P2, 16)
		for _, other := range []int{none, mockup, call, mockup, mockup, mockup} {
			m.Plan.Tests = append(m.Plan.Tests, guidelines.Test{Case: call, Others: []int{other}})
		}
		set := medians.New(m)
		set.Cases[call].Medians, set.Cases[mockup].Medians, set.Cases[none].Medians = []float64{1000, 1500}, []float64{1000}, nil
		return &analyze.Side{Name: name, Manifest: m, Set: set, Report: &analyze.Report{Version: name, MinSlowdown: 1.25, Verdicts: []analyze.Verdict{
			verdict(guidelines.Pattern, 8, first, 2), verdict(guidelines.Monotony, 16, second, 3), verdict(guidelines.Pattern, 24, judge.Kept, 1),
			verdict(guidelines.Split, 8, judge.Violated, 2), verdict(guidelines.Pattern, 8, judge.NotMeasured, 2), verdict(guidelines.Pattern, 8, judge.Wrong, 2)}}}
	}
	none := medians.New(fixture.Manifest())
	none.Cases[0].Medians = nil
	should.Hold(t, math.IsNaN(meanOf(none, 0)), "no mean of nothing")
	ours, theirs := folder("ours", judge.Violated, judge.Kept), folder("theirs", judge.Violated, judge.Violated)
	theirs.Report.MinSlowdown, theirs.Manifest.Plan.Datatype = 9, "int"
	s := NewSummaries([]Summary{RunMedian, Least, MeanOfMeans}, []*analyze.Side{ours, theirs, theirs})
	should.Equal(t, s.By, []BySummary{{RunMedian, 1, 0, 0}, {Least, 2, 1, 0}, {MeanOfMeans, 1, 1, 1}})
	should.Hold(t, s.Version == "ours" && s.Folder.Folder == "ours" && s.Datatype == "byte" && s.MinSlowdown == 1.25, "%+v", s)
	must.Hold(t, len(s.Tests) == 3, "patterns and monotony that were measured: %+v", s.Tests)
	for i, want := range []struct {
		msize   int64
		mean    float64 // of means: 1250 against 1000; not known; against itself
		slow    []bool
		differs bool
	}{{8, math.NaN(), []bool{true, true, false}, true}, {16, 1.25, []bool{false, true, true}, true}, {24, 1, []bool{false, false, false}, false}} {
		test := s.Tests[i]
		should.Hold(t, test.Msize == want.msize && analyze.Or(test.Ratios[2], 0) == analyze.Or(analyze.Number(want.mean), 0), "%+v", test)
		should.Equal(t, test.Slow, want.slow, "%d", want.msize)
		should.Equal(t, test.Differs(), want.differs, "%d", want.msize)
	}
	should.Hold(t, *s.Tests[0].Ratios[0] == 2 && *s.Tests[1].Ratios[1] == 3, "ratios of others are the report's: %+v", s.Tests)
}
