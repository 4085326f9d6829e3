package averages

import (
	"math"
	"slices"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
	"pgmpi/testkit/shown"
)

// side judges mpiruns whose cases take these times.
func side(t *testing.T, ns ...int64) *analyze.Side {
	t.Helper()
	m := fixture.Manifest()
	m.Plan.Datatype, m.Plan.Op = "byte", "bor"
	runs := slices.DeleteFunc(fixture.Measured(m, ns...), func(r results.Run) bool { return r.Run > m.R })
	return must.Get(analyze.Analyze(m, runs, judge.Default()))(t).Side("a")
}

func TestSummariesReplaceTheValidSamplesOfAnMpirun(t *testing.T) {
	ranks := [][]int64{{10, 20, 30, 90}, {30, 10, 10, 10}}
	for s, want := range map[Summary][]int64{RunMedian: {30, 20, 30, 100}, Least: {20, 20, 30, 20}, Mean: {50, 50, 30, 50}, MeanOfMeans: {50, 50, 30, 50},
		RanksMean: {20, 15, 30, 50}, RanksLeast: {10, 10, 30, 10}} {
		samples := []protocol.Sample{{NS: 30}, {NS: 20}, {NS: 30, Flags: protocol.FlagLate}, {NS: 100}}
		s.Put(samples, ranks)
		var got []int64
		for _, x := range samples {
			got = append(got, x.NS)
		}
		should.Hold(t, slices.Equal(got, want), "%s: %v, want %v", s, got, want)
	}
}

func TestASummaryIsHeldAgainstOurs(t *testing.T) {
	ours, other := side(t, fixture.Quiet...), side(t, 10000, 15000, 20000, 7000, 20000, 25000)
	s := newSummaries([]Summary{RunMedian, Mean, MeanOfMeans}, []*analyze.Side{ours, other, other})
	must.Hold(t, s.By[0].Slow == 0 && s.By[1].Slow == 1 && s.By[1].More == 1 && s.By[1].Missed == 0 && s.By[2].More >= 1, "%+v", s.By)
	back := newSummaries([]Summary{RunMedian, Mean}, []*analyze.Side{other, ours})
	should.Hold(t, back.By[1].Missed == 1 && back.By[1].More == 0, "%+v", back.By)
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
	s := newSummaries([]Summary{RunMedian, Least, MeanOfMeans}, []*analyze.Side{ours, theirs, theirs})
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

func TestTheDocumentOwesNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"summaries": documents.Of(kind, example())}
	})
}

func example() *Summaries {
	ratio := func(x float64) *float64 { return &x }
	asked := series.Asked{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce", Msize: 1024, MsizeOther: 1024, Shape: "p2"}
	other := asked
	other.Msize = 65536
	return &Summaries{Schema: schema, Folder: shown.Comparison().A, Operation: shown.Comparison().Operation, MinSlowdown: 1.05,
		By: []BySummary{{Summary: RunMedian, Slow: 1}, {Summary: Least, Missed: 1}, {Summary: MeanOfMeans, Slow: 2, More: 1}},
		Tests: []SummariesTest{
			{Asked: asked, Ratios: []*float64{ratio(1.4), ratio(1.01), ratio(1.3)}, Slow: []bool{true, false, true}},
			{Asked: other, Ratios: []*float64{ratio(1), nil, ratio(1.06)}, Slow: []bool{false, false, true}},
		}}
}
