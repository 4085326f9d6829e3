package analyze

import (
	"math"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/remark"
	"pgmpi/measure/host"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

func TestEachReasonToDoubtAReportIsARemark(t *testing.T) {
	for name, c := range map[string]struct {
		change func(a *Analysis, r *Report)
		id     remark.ID
		want   string // a part of the text, or "" without a remark
	}{
		"method default": {func(_ *Analysis, r *Report) { r.M = 7 }, remark.PaperMethod, ""},
		"method paper": {func(_ *Analysis, r *Report) { r.Method, r.M = judge.MethodPaper, 7 },
			remark.PaperMethod, "m = 7 tests"},
		"exact p-values": {func(_ *Analysis, r *Report) { r.Test = judge.TestRankSum },
			remark.NormalApproximation, ""},
		"approximate ones": {func(_ *Analysis, r *Report) { r.Test = judge.TestRankSumNormal },
			remark.NormalApproximation, "rank-sum p-values"},
		"approximate, as wanted": {func(_ *Analysis, r *Report) {
			r.Test, r.Method = judge.TestRankSumNormal,
				judge.MethodPaper
		}, remark.NormalApproximation, ""},
		"a setting": {func(a *Analysis,
			_ *Report) {
			a.manifest.Settings = []string{"the governor cannot be set"}
		}, remark.SettingIgnored,
			"the governor"},
		"no event": {func(*Analysis, *Report) {}, remark.Repeated, ""},
		"an event": {func(a *Analysis, _ *Report) { a.manifest.Events = []string{"killed"} },
			remark.Repeated, "repeated: 1, the last one: killed"},
		"two events": {func(a *Analysis, _ *Report) { a.manifest.Events = []string{"killed", "hung"} },
			remark.Repeated, "repeated: 2, the last one: hung"},
		"none joined": {func(*Analysis, *Report) {}, remark.Joined, ""},
		"one joined": {func(a *Analysis, _ *Report) { a.set.Joined = 1 }, remark.Joined,
			"another one: 1;"},
		"coarse ticks": {func(a *Analysis, r *Report) { a.set.ZeroIQR, r.ClockTickS = 1, 1e-6 },
			remark.ZeroIQR, "1 times the quartiles"},
		"all converged": {func(*Analysis, *Report) {}, remark.NotConverged, ""},
		"one not converged": {func(_ *Analysis, r *Report) { r.NotConverged = make([]NotConverge, 1) },
			remark.NotConverged, "stable: 1"},
		"no looks": {func(*Analysis, *Report) {}, remark.BlindLook, ""},
		"looks that see": {func(_ *Analysis, r *Report) { r.Looks = &LooksSummary{Blind: []int{}} },
			remark.BlindLook, ""},
		"a blind look": {func(_ *Analysis, r *Report) { r.Looks = &LooksSummary{Blind: []int{5}} },
			remark.BlindLook, "after [5] mpiruns"},
		"a blind look, refused": {func(_ *Analysis, r *Report) {
			r.Looks, r.Refused = &LooksSummary{Blind: []int{5}},
				&judge.Refusal{}
		}, remark.BlindLook, ""},
		"complete": {func(*Analysis, *Report) {}, remark.Incomplete, ""},
		"incomplete": {func(_ *Analysis, r *Report) { r.Incomplete = make([]Incomplete, 1) },
			remark.Incomplete, "valid data: 1"},
		"in sync": {func(*Analysis, *Report) {}, remark.OutOfSync, ""},
		"out of sync": {func(_ *Analysis, r *Report) {
			r.OutOfSync = []medians.OutOfSync{{Invalid: 3, TooMany: true}, {Invalid: 4}, {TooMany: true}}
		}, remark.OutOfSync,
			"7 of 288 samples were out of sync and left out; cases with more than 25 % of them are inconclusive (2 here)"},
		"no drift": {func(*Analysis, *Report) {}, remark.Drift, ""},
		"a drift": {func(a *Analysis, _ *Report) { a.set.Drifted, a.set.WorstDriftNS = 1, 12000 },
			remark.Drift,
			"in 1 mpiruns a global clock was off by more than measure.max_drift when it was synchronised again, at worst by 12 µs"},
		"independent": {func(*Analysis, *Report) {}, remark.DependentSamples, ""},
		"dependent":   {dependent, remark.DependentSamples, "in 3 of 6 cases"},
		"the worst": {dependent, remark.DependentSamples,
			"(the worst: y at 16 B on p2, where 90 are worth one)"},
		"paired": {func(*Analysis, *Report) {}, remark.NotPaired, ""},
		"ranks elsewhere": {func(a *Analysis, _ *Report) {
			a.manifest.Factors.Layouts = []host.Layout{{Shape: "p2"},
				{Shape: "p2"}}
		}, remark.PlacementChanged, "ran elsewhere"},
	} {
		m := fixture.Manifest()
		a := must.Get(Analyze(m, fixture.Measured(m, fixture.Quiet...), judge.Default()))(t)
		r := *a.Report
		c.change(a, &r)
		got := warning(&Report{Warnings: a.warnings(&r)}, c.id)
		should.Hold(t, (got != nil) == (c.want != "") && (got == nil || strings.Contains(got.Text, c.want)),
			"%s: %+v", name, got)
	}
}

func dependent(_ *Analysis, r *Report) {
	k := func(function string, msize int64, n float64) medians.DependentCase {
		return medians.DependentCase{Cell: medians.Cell{Function: function, Msize: msize, Shape: "p2"},
			Inefficiency: n}
	}
	r.Dependence.Strong = []medians.DependentCase{k("x", 8, 70), k("y", 16, 90), k("z", 32, 80)}
}

// 2^-12 and the reserve: five tests pair from ceiling(log2(8*5/.05)) = 10 mpiruns on.
func TestTestsThatCannotPairSayFromWhenOnTheyWould(t *testing.T) {
	for name, c := range map[string]struct {
		r       int
		test    judge.TestName
		method  judge.Method
		tests   bool
		refused bool
		want    bool
	}{
		"too few":           {5, judge.TestAuto, judge.MethodDefault, true, false, true},
		"enough":            {10, judge.TestAuto, judge.MethodDefault, true, false, false},
		"not asked to pair": {5, judge.TestRankSum, judge.MethodDefault, true, false, false},
		"the paper":         {5, judge.TestAuto, judge.MethodPaper, true, false, false},
		"refused":           {5, judge.TestAuto, judge.MethodDefault, true, true, false},
		"without tests":     {5, judge.TestAuto, judge.MethodDefault, false, false, false},
	} {
		m := fixture.Manifest()
		m.R = c.r
		if !c.tests {
			m.Plan.Tests = nil
		}
		cfg := judge.Default()
		cfg.Test, cfg.Method = c.test, c.method
		a := must.Get(begin(m, medians.New(m), cfg))(t)
		r := &Report{Method: c.method}
		if c.refused {
			r.Refused = &judge.Refusal{}
		}
		var out Remarks
		out.ofPairing(a, r)
		should.Hold(t, (len(out) == 1) == c.want, "%s: %+v", name, out)
		if c.want {
			should.Contain(t, out[0].Text, "R = 5 mpiruns are too few", "(m = 5 tests)", "R = 10 mpiruns would do")
		}
	}
	m := fixture.Manifest()
	m.R = 50
	cfg := judge.Default()
	cfg.Test = judge.TestRankSum
	a := must.Get(begin(m, medians.New(m), cfg))(t)
	spread := func(plan int, by float64) {
		for i := range a.set.Cases[plan].Medians {
			a.set.Cases[plan].Medians[i] = math.Exp(by * float64(i))
		}
	}
	for plan := range m.Plan.Cases {
		spread(plan, 1)
	}
	// Of five tests .5 ± .67 differ by chance: two are more.
	for name, c := range map[string]struct {
		by   map[int]float64
		runs int
		want bool
	}{
		"one":                  {map[int]float64{5: 3.5}, 50, false},
		"two":                  {map[int]float64{4: 3.5, 5: 3.5}, 50, true},
		"two, by three":        {map[int]float64{4: 3, 5: 3}, 50, false},
		"two, by less":         {map[int]float64{4: 2.5, 5: 2.5}, 50, false},
		"two, after one look":  {map[int]float64{4: 3.5, 5: 3.5}, 9, false},
		"two that spread less": {map[int]float64{4: .25, 5: .25}, 50, true},
	} {
		for plan := range m.Plan.Cases {
			spread(plan, 1)
		}
		for plan, by := range c.by {
			spread(plan, by)
		}
		for i := range a.family.Outcomes {
			a.family.Outcomes[i].Runs = c.runs
		}
		var out Remarks
		out.ofPairing(a, &Report{})
		should.Hold(t, (len(out) == 1) == c.want, "%s: %+v", name, out)
	}
}

func TestFaultsThatAreMostAreNamed(t *testing.T) {
	k := func(function string) medians.FaultingCase {
		return medians.FaultingCase{Cell: medians.Cell{Function: function, Msize: 8, Shape: "p2"}, PerCall: 1.4}
	}
	var out Remarks
	out.ofFaults(&Report{})
	should.Equal(t, len(out), 0)
	out.ofFaults(&Report{PageFaults: []medians.FaultingCase{k("a"), k("b"), k("c"), k("d")}})
	must.Hold(t, len(out) == 1, "%+v", out)
	should.Hold(t, strings.HasPrefix(out[0].Text, "4 cases in which") && strings.Contains(out[0].Text,
		"c at 8 B on p2: 1 page fault (rank 0)") && !strings.Contains(out[0].Text, "d at"), "%s", out[0].Text)
	out = nil
	out.Differs("measure.stall time", "measure again", "%d", 7)
	should.Hold(t, out[0].ID == remark.Differs+"measure-stall-time" && out[0].Place == "measure.stall time" &&
		out[0].Text == "7" && out[0].Remedy == "measure again", "%+v", out)
}

func TestStatesAreToldInWords(t *testing.T) {
	in := InStates{{"1", Alone{Mpiruns: 6, Verdict: judge.Violated}}, {"2", Alone{Mpiruns: 4, Verdict: judge.Kept}}}
	should.Equal(t, in.String(), "violated in state 1 (6 mpiruns), kept in state 2 (4)")
	ratio := 1.9
	states := []medians.State{{Shape: "p4", Name: "1", Mpiruns: []int{1}}, {Shape: "p2", Name: "1", Mpiruns: []int{1,
		3}},
		{Shape: "p2", Name: "2", Mpiruns: []int{2}, Ratio: &ratio}, {Shape: "p2", Name: "3", Mpiruns: []int{4}}}
	should.Equal(t, StatesOf(states, "p2"), "state 1 in 2 mpiruns, state 2 in 1 (calls take 1.90× as long), state 3 in 1")
	var out Remarks
	out.ofStates(states)
	should.Hold(t, len(out) == 2 && out[0].Place == "p4" && out[1].Place == "p2", "one for each shape: %+v", out)
	r := &Report{States: states, SlowMpiruns: []medians.SlowMpirun{{Shape: "p2", Run: 1}, {Shape: "p2", Run: 2},
		{Shape: "p4", Run: 2}}}
	left := r.Disturbed()
	should.Hold(t, len(left) == 2 && left[0].Run == 1 && left[1].Shape == "p4", "%+v", left)
	test := func(shape string, runs int, by InStates, told bool) Verdict {
		return Verdict{Type: guidelines.Pattern, Shape: shape, Runs: runs, ByState: by, ByStateTold: told}
	}
	split := test("p2", 5, in, true)
	split.Type = guidelines.Split
	others := []Verdict{test("p4", 5, in, true), test("p2", 0, in, true), split}
	for want, verdicts := range map[string][]Verdict{
		"too few mpiruns in a state to tell whether an answer depends on them":                               {test("p2", 1, nil, false)},
		"no answer is shown to depend on them by the 1 of 2 tests with enough mpiruns in two states to tell": {test("p2", 5, nil, true), test("p2", 1, nil, false)},
		"1 answer depends on them (1 of 1 test have enough mpiruns in two states to tell)":                   {test("p2", 5, in, true)},
		"2 answers depend on them (2 of 3 tests have enough mpiruns in two states to tell)":                  {test("p2", 5, in, true), test("p2", 5, in, true), test("p2", 5, nil, false)},
	} {
		should.Equal(t, (&Report{Verdicts: append(verdicts, others...)}).StateAnswers("p2"), want)
	}
}
