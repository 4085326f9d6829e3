package analyze

import (
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

// withMessages adds messages of 8 and 16 B, which are cases 6 and 7, and of 16 B by MPI_Ssend, case 8. Test 6 is about
// the split, test 7 about Ssend.
func withMessages() *results.Manifest {
	m := fixture.Manifest()
	small := fixture.Case(m, "MPI_Send", fixture.P2, 8)
	fixture.Test(m, guidelines.Guideline{ID: "GL2", Type: guidelines.Split, Function: "MPI_Send"}, fixture.P2, 16, small)
	fixture.Test(m, guidelines.Guideline{ID: "M1", Type: guidelines.Pattern, Function: "MPI_Send", Mockup: "MPI_Ssend"}, fixture.P2, 16,
		fixture.Case(m, "MPI_Ssend", fixture.P2, 16))
	m.SplitExperiment = true
	return m
}

// judgedMessages returns the analysis, and what the medians ask to be tested. The whole message takes so long.
func judgedMessages(t *testing.T, m *results.Manifest, whole int64, again bool) (*Analysis, *results.FollowUps) {
	t.Helper()
	ns := append(append([]int64{}, fixture.Quiet...), 1000, whole, 2000)
	set := medians.New(m)
	for _, run := range fixture.Runs(m, func(plan, run int) []protocol.Sample { return fixture.Samples(ns[plan] + int64(run)) }) {
		must.Do(t, set.Add(&run))
	}
	plan := must.Get(PlanSplit(m, set, judge.Default(), nil))(t)
	if again && plan != nil {
		m.Planned(protocol.ModeSplit, plan)
		for run := 1; run <= plan.R; run++ {
			of := results.Run{Header: results.Header{Mode: protocol.ModeSplit, Shape: fixture.P2, Run: run, FinishedAt: "later"}}
			for _, c := range plan.Comparisons {
				fixture.Add(&of, m, c.Case, 1, fixture.Samples(whole+int64(run)))
				fixture.Add(&of, m, c.Part, c.Calls, fixture.Samples(int64(c.Calls)*1000+int64(run)))
			}
			must.Do(t, set.Add(&of))
		}
	}
	return must.Get(Judge(m, set, judge.Default()))(t), plan
}

func TestMessagesAreAFamilyOfTheirOwn(t *testing.T) {
	without := fixture.Manifest()
	without.SplitExperiment = true
	alone, _ := judgedMessages(t, without, 0, false)
	a, plan := judgedMessages(t, withMessages(), 8000, true)
	must.Hold(t, plan != nil && len(plan.Comparisons) == 2, "%+v", plan)
	should.Equal(t, plan.Comparisons, []results.Comparison{{Test: 6, Case: 7, Part: 6, Calls: 2}, {Test: 7, Case: 7, Part: 8, Calls: 1}}, "")
	should.Equal(t, a.Report.M, alone.Report.M, "tests in the family of collectives")
	should.Equal(t, a.Report.FamilyAlpha, alone.Report.FamilyAlpha, "its part of alpha")
	for i := range alone.verdicts {
		x, y := alone.verdicts[i], a.verdicts[i]
		should.Hold(t, x.Verdict == y.Verdict && Or(x.PAdjusted, 2) == Or(y.PAdjusted, 2) && Or(x.RatioLo95, 0) == Or(y.RatioLo95, 0), "%d: %+v, with messages %+v", i, x, y)
	}
	must.Hold(t, a.Report.Split == nil && a.Report.Messages != nil, "%+v, %+v", a.Report.Split, a.Report.Messages)
	should.Equal(t, [2]any{a.Report.Messages.M, a.Report.Messages.Alpha}, [2]any{2, judge.Default().Alpha}, "")
	split, ssend := a.verdicts[6], a.verdicts[7]
	for i := 6; i <= 7; i++ {
		e := must.Get(a.Explain(i, func(int) (*results.Run, error) { return nil, nil }))(t)
		should.Hold(t, e.Test != nil && e.Test.Alpha == judge.Default().Alpha, "test %d is explained by %+v", i, e.Test)
	}
	should.Hold(t, split.Verdict == judge.Violated && split.K == 2 && split.MsizeOther == 8, "split: %+v", split)
	should.Hold(t, ssend.Verdict == judge.Violated && ssend.K == 0 && ssend.Mockup == "MPI_Ssend", "Ssend: %+v", ssend)
}

// Where other guidelines are checked, too, the first look has as many mpiruns as without messages.
func TestACheckOfMessagesAloneIsFirstLookedAtEarly(t *testing.T) {
	m := withMessages()
	should.Equal(t, Usual(m, judge.Default()).Looks, []int{judge.ScreenAt, judge.PairedAt, judge.PairedAt + judge.MoreR}, "beside others")
	m.Plan.Tests = m.Plan.Tests[6:]
	should.Equal(t, Usual(m, judge.Default()).Looks[0], judge.SuspectAt, "alone")
	paper := judge.Default()
	paper.Method = judge.MethodPaper
	should.Equal(t, Usual(m, paper).Looks, []int{10}, "one look")
	m.Plan.Tests = m.Plan.Tests[1:]
	should.Equal(t, Usual(m, judge.Default()).Looks[0], judge.SuspectAt, "one test")
	m.Plan.Tests = nil
	should.Equal(t, Usual(m, judge.Default()).Looks[0], judge.ScreenAt, "none")
}

func TestCollectivesAreTestedBeforeMessages(t *testing.T) {
	m, ns := withMessages(), append(append([]int64{}, fixture.Quiet...), 1000, 8000, 2000)
	ns[1] = 200000 // eight calls of 8 B take 80 µs
	set := fixture.Collected(t, medians.New(m), fixture.Runs(m, func(plan, run int) []protocol.Sample { return fixture.Samples(ns[plan] + int64(run)) }))
	plan := must.Get(PlanSplit(m, set, judge.Default(), nil))(t)
	var tests []int
	for _, c := range plan.Comparisons {
		tests = append(tests, c.Test)
	}
	should.Equal(t, tests, []int{1, 6, 7}, "")
}

func TestMessagesThatNoMedianSuspectsAreNotTested(t *testing.T) {
	a, plan := judgedMessages(t, withMessages(), 1500, true)
	should.Hold(t, plan == nil, "%+v", plan)
	for _, v := range a.verdicts[6:] {
		should.Equal(t, v.Verdict, judge.NotSuspected, "%s", v.Guideline)
	}
	a, _ = judgedMessages(t, withMessages(), 8000, false)
	ssend := a.verdicts[7]
	should.Hold(t, ssend.MsizeOther == 16 && *ssend.MedianS == *Seconds(8006.5) && *ssend.OtherMedianS == *Seconds(2006.5), "Ssend: %d B, %g and %g s", ssend.MsizeOther, *ssend.MedianS, *ssend.OtherMedianS)
	for _, v := range a.verdicts[6:] {
		should.Hold(t, v.Verdict == judge.Suspected && v.PValue == nil, "%s before it is tested: %s", v.Guideline, v.Verdict)
	}
}

// Only the split experiment of collectives takes a part of alpha.
func TestAlphaIsDividedWhereCollectivesAreSplit(t *testing.T) {
	cfg := judge.Default()
	for name, c := range map[string]struct {
		tests   func(all []guidelines.Test) []guidelines.Test
		divided bool
	}{
		"all":            {func(all []guidelines.Test) []guidelines.Test { return all }, true},
		"patterns":       {func(all []guidelines.Test) []guidelines.Test { return all[2:6] }, false},
		"messages":       {func(all []guidelines.Test) []guidelines.Test { return all[6:] }, false},
		"one split":      {func(all []guidelines.Test) []guidelines.Test { return all[1:2] }, true},
		"no test at all": {func(all []guidelines.Test) []guidelines.Test { return nil }, false},
	} {
		m := withMessages()
		m.Plan.Tests = c.tests(m.Plan.Tests)
		own, split := levels(m, cfg)
		should.Hold(t, (own.Alpha < cfg.Alpha) == c.divided && (split.Alpha < cfg.Alpha) == c.divided, "%s: %g and %g of %g", name, own.Alpha, split.Alpha, cfg.Alpha)
	}
}

func TestAMessageOfWrongDataIsNamed(t *testing.T) {
	m := withMessages()
	runs := fixture.Runs(m, func(plan, run int) []protocol.Sample { return fixture.Samples(int64(9000 - 1000*plan%2 + run)) })
	is(runs, 8, protocol.StatusWrong)
	v := must.Get(Analyze(m, runs, judge.Default()))(t).Report.Verdicts[7]
	should.Hold(t, v.Verdict == judge.Wrong && v.Ratio == nil, "%+v", v)
}
