package analyze

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func analyzed(t *testing.T, m *results.Manifest, runs []results.Run, cfg judge.Config) *Report {
	t.Helper()
	a := must.Get(Analyze(m, runs, cfg))(t)
	return a.Report
}

func verdicts(r *Report) string {
	var out []string
	for _, v := range r.Verdicts {
		out = append(out, string(v.Verdict))
	}
	return strings.Join(out, " ")
}

func TestVerdictsOfAPlantedViolation(t *testing.T) {
	m := fixture.Manifest()
	r := analyzed(t, m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000), judge.Default())
	got, want := verdicts(r), "kept not_suspected kept violated kept violated"
	must.Hold(t, got == want, "verdicts %q, want %q", got, want)
	v := r.Verdicts[3]
	should.Hold(t, *v.MedianS >= 50e-6 && *v.MedianS <= 50.02e-6 && *v.OtherMedianS >= 30e-6 && *v.OtherMedianS <= 30.02e-6,
		"medians %g, %g s", *v.MedianS, *v.OtherMedianS)
	should.Hold(t, math.Abs(*v.Ratio-5.0/3) <= 0.01 && *v.PValue == math.Ldexp(1, -fixture.R) && v.Stars == "***", "ratio %g, p %g %s", *v.Ratio, *v.PValue, v.Stars)
	a := v.Alternative
	should.Hold(t, a != nil && a.Function == "reduce_as_reduce_scatter_block+gather", "alternative %+v, want the fastest of both mock-ups", a)
	should.Hold(t, r.M == 5 && r.Test == judge.TestCappedRank && r.Adjust == judge.AdjustBH && r.Exit == 1,
		"m %d, test %s, adjust %s, exit %d", r.M, r.Test, r.Adjust, r.Exit)
	_, err := json.Marshal(r)
	should.Do(t, err)
}

func TestMonotonyMarksTheSmallerSize(t *testing.T) {
	m := fixture.Manifest()
	r := analyzed(t, m, fixture.Measured(m, 50000, 20000, 90000, 90000, 90000, 90000), judge.Default())
	v := r.Verdicts[0]
	should.Hold(t, v.Verdict == judge.Violated && v.Msize == 8 && v.MsizeOther == 64, "%+v", v)
	a := v.Alternative
	should.Hold(t, a != nil && a.Function == "MPI_Reduce" && a.Msize == 64, "alternative %+v, want the call itself at 64 B", a)
}

func TestSplitIsSuspectedFromMediansAndAViolationForThePaper(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000)
	r := analyzed(t, m, runs, judge.Default())
	v := r.Verdicts[1]
	should.Hold(t, v.Verdict == judge.Suspected && v.K == 8 && v.MsizeOther == 8 && v.PValue == nil && math.Abs(*v.Ratio-50006.5/8/1006.5) <= 1e-9, "%+v", v)
	should.Hold(t, r.Exit == 0, "exit %d for a suspicion", r.Exit)
	cfg := judge.Default()
	cfg.Method = judge.MethodPaper
	r = analyzed(t, m, runs, cfg)
	should.Hold(t, r.Verdicts[1].Verdict == judge.Violated && r.Exit == 1, "method paper: %s, exit %d", r.Verdicts[1].Verdict, r.Exit)
}

func TestSplitReportsTheLargestSuspectedPart(t *testing.T) {
	m := fixture.Manifest()
	m.Plan.Tests[1].Others = []int{0, fixture.Case(m, "MPI_Reduce", fixture.P2, 16), fixture.Case(m, "MPI_Reduce", fixture.P2, 32)}
	r := analyzed(t, m, fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000, 2000, 40000), judge.Default())
	v := r.Verdicts[1]
	should.Hold(t, v.Verdict == judge.Suspected && v.MsizeOther == 16 && v.K == 4, "%+v, want 4 × 16 B", v)
}

func TestNotMeasuredLeavesTheFamilyAndWrongStays(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for i := range runs {
		runs[i].Cases[3].Status, runs[i].Cases[3].Message = protocol.StatusNotMeasured, "over the cap"
	}
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.M == 4 && r.Verdicts[3].Verdict == judge.NotMeasured && len(r.NotMeasured) == 1 && r.Exit == 1,
		"m %d, %s, %v, exit %d", r.M, r.Verdicts[3].Verdict, r.NotMeasured, r.Exit)
	m.Skip = map[int]protocol.CaseResult{5: {Case: 5, Status: protocol.StatusWrong, Message: "block 1 differs"}}
	r = analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.M == 4 && r.Verdicts[5].Verdict == judge.Wrong && r.Exit == 3 && strings.Join(r.Exclude, " ") == "GL14",
		"m %d, %s, exit %d, exclude %v", r.M, r.Verdicts[5].Verdict, r.Exit, r.Exclude)
}

func TestMissingOrInvalidDataIsExit4(t *testing.T) {
	m := fixture.Manifest()
	kept := []int64{10000, 15000, 20000, 30000, 20000, 25000}
	if r := analyzed(t, m, fixture.Measured(m, kept...), judge.Default()); r.Exit != 0 {
		t.Fatalf("exit %d before anything is spoiled: %s", r.Exit, verdicts(r))
	}
	r := analyzed(t, m, fixture.Measured(m, kept...)[1:], judge.Default())
	should.Hold(t, r.Exit == 4 && len(r.Incomplete) == 6, "a run is missing: exit %d, %d incomplete", r.Exit, len(r.Incomplete))
	runs := fixture.Measured(m, kept...)
	for i := range runs {
		runs[i].Samples[2][0].Flags = protocol.FlagLate
	}
	should.Equal(t, analyzed(t, m, runs, judge.Default()).Exit, 0, "25 %% invalid: exit")
	runs[0].Samples[2][1].Flags = protocol.FlagLong
	r = analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.Exit == 4 && r.Verdicts[2].Verdict == judge.Undecided && r.M == 5,
		"more than 25 %% invalid: exit %d, %s, m %d", r.Exit, r.Verdicts[2].Verdict, r.M)
	violated := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	should.Equal(t, analyzed(t, m, violated[1:], judge.Default()).Exit, 4, "exit")
	violated[3].Samples[2] = nil
	should.Equal(t, analyzed(t, m, violated, judge.Default()).Exit, 1, "1 comes before 4: exit")
}

func TestTooFewRunsAreRefused(t *testing.T) {
	m := fixture.Manifest()
	m.R = 3
	r := analyzed(t, m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000), judge.Default())
	should.Hold(t, r.Exit == 4 && r.Refused != nil && r.Refused.RNeeded == 5, "exit %d, %+v", r.Exit, r.Refused)
	v := r.Verdicts[3]
	should.Hold(t, v.Verdict == judge.Undecided && v.PValue != nil, "%+v", v)
}

func TestOutliersAndFlaggedSamplesDoNotReachTheMedian(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for i := range runs {
		n := int64(i)
		runs[i].Samples[1] = []protocol.Sample{{NS: 100 + n}, {NS: 101 + n}, {NS: 102 + n}, {NS: 103 + n}, {NS: 99 + n}, {NS: 100000}, {NS: -5, Flags: protocol.FlagLate}}
	}
	got := fixture.Collected(t, medians.New(m), runs).Cases[1].Medians[0]
	should.Hold(t, got == 101, "median %g ns, want 101", got)
}

func TestZeroQuartileRangeIsAWarning(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	if r := analyzed(t, m, runs, judge.Default()); len(r.Warnings) != 0 {
		t.Fatalf("%v", r.Warnings)
	}
	runs[0].Samples[0] = []protocol.Sample{{NS: 10000}, {NS: 10000}, {NS: 10000}, {NS: 10000}, {NS: 12000}}
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, len(r.Warnings) == 1 && r.Warnings[0].ID == "iqr-zero", "%v", r.Warnings)
}

func TestTheCoarsestClockCounts(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 1000, 2000, 1000, 1900, 1000, 1900)
	r := analyzed(t, m, runs, judge.Default())
	must.Hold(t, r.Verdicts[3].Verdict == judge.Violated, "%s", verdicts(r))
	runs[4].Rank.ClockTickNS = 80
	r = analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.Verdicts[3].Verdict == judge.Marginal && r.ClockTickS == 80e-9, "%s, tick %g s: 100 ns are less than two ticks", verdicts(r), r.ClockTickS)
}

func TestAFindingThatRestsOnTwoStepsOfTheClockSaysSo(t *testing.T) {
	m := fixture.Manifest()
	for tick, want := range map[int64]string{40: "", 50: "it rests on two steps of the clock (50 ns each)"} {
		runs := fixture.Measured(m, 1000, 2000, 1000, 1900, 1000, 1900)
		runs[4].Rank.ClockTickNS = tick
		if v := analyzed(t, m, runs, judge.Default()).Verdicts[3]; v.Verdict != judge.Violated || v.Reason != want {
			t.Errorf("steps of %d ns: %s, %q", tick, v.Verdict, v.Reason)
		}
	}
}

func TestBadInputIsAnErrorThatNamesThePlace(t *testing.T) {
	good := func() (*results.Manifest, []results.Run) {
		m := fixture.Manifest()
		return m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	}
	for _, c := range []struct {
		name  string
		spoil func(*results.Manifest, []results.Run)
		want  string
	}{
		{"zero", func(_ *results.Manifest, r []results.Run) { r[1].Samples[3][2].NS = 0 }, "run-p2-02.tsv.gz: case reduce_as_allreduce at 64 B: repetition 2 took 0 ns"},
		{"negative", func(_ *results.Manifest, r []results.Run) { r[1].Samples[3][2].NS = -1 }, "run-p2-02.tsv.gz: case reduce_as_allreduce at 64 B: repetition 2 took -1 ns"},
		{"twice", func(_ *results.Manifest, r []results.Run) { r[1].Run = 1 }, "twice"},
		{"run number", func(_ *results.Manifest, r []results.Run) { r[1].Run = 99 }, "run 99"},
		{"stage 1", func(_ *results.Manifest, r []results.Run) { r[1].Mode = protocol.ModeNREP }, "stage 2"},
		{"plan index", func(_ *results.Manifest, r []results.Run) { r[1].Cases[0].Plan = 77 }, "index 77"},
		{"other case", func(_ *results.Manifest, r []results.Run) { r[1].Cases[0].Msize = 9 }, "the Plan has"},
		{"samples", func(_ *results.Manifest, r []results.Run) { r[1].Samples = r[1].Samples[1:] }, "samples of 5 cases"},
		{"test case", func(m *results.Manifest, _ []results.Run) { m.Plan.Tests[0].Case = -1 }, "manifest"},
		{"test other", func(m *results.Manifest, _ []results.Run) { m.Plan.Tests[0].Others[0] = 6 }, "manifest"},
		{"no other", func(m *results.Manifest, _ []results.Run) { m.Plan.Tests[0].Others = nil }, "manifest"},
	} {
		m, runs := good()
		c.spoil(m, runs)
		_, err := Analyze(m, runs, judge.Default())
		should.Fail(t, err, c.want, "%s", c.name)
	}
}

func TestSummaryCountsTestsAndFunctionsOrGuidelines(t *testing.T) {
	m := fixture.Manifest()
	r := analyzed(t, m, fixture.Measured(m, 30000, 50000, 20000, 30000, 20000, 25000), judge.Default())
	want := map[guidelines.Type][2]Count{
		guidelines.Monotony: {{Checked: 1}, {Checked: 1}},
		guidelines.Split:    {{Checked: 1}, {Checked: 1}},
		guidelines.Pattern:  {{Checked: 4, Violated: 4}, {Checked: 2, Violated: 2}},
	}
	must.Hold(t, len(r.Summary) == 3, "%+v", r.Summary)
	for _, s := range r.Summary {
		should.Hold(t, s.Tests == want[s.Type][0] && s.Units == want[s.Type][1], "%s: %+v", s.Type, s)
	}
}
