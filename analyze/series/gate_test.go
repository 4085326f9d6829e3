package series

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/fixture"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// asked is test 2 of fixture, GL8 at 8 B, with an answer; the interval is 2 % to both sides.
func asked(verdict judge.Verdict, ratio float64) analyze.Verdict {
	lo, hi := ratio/1.02, ratio*1.02
	return analyze.Verdict{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce",
		Msize: 8, MsizeOther: 8, Shape: "p2", NP: 2, Verdict: verdict, Ratio: &ratio, RatioLo95: &lo, RatioHi95: &hi}
}

// baselineOf is a baseline that has one answer, made on a machine whose cache line takes so
// long; 0: not known.
func baselineOf(name string, line float64, verdicts ...analyze.Verdict) *PastNight {
	r := &analyze.Report{Shapes: []analyze.Shape{{Name: "p2"}}, Operation: analyze.Operation{Datatype: "byte", Op: "bor"}, Verdicts: verdicts}
	if line > 0 {
		r.Yardstick = []analyze.Yardstick{{Shape: "p2", Speed: medians.Speed{LineNS: line}}}
	}
	return PastNightOf(r, name)
}

// held is an Analysis that has one answer.
func judged(line float64, v analyze.Verdict) *analyze.Analysis {
	m := fixture.Manifest()
	m.Plan.Tests = m.Plan.Tests[2:3]
	m.Plan.Datatype, m.Plan.Op, m.Created = "byte", "bor", "2026-11-22T03:00:00Z"
	m.Rank.Library, m.Rank.LibVersion = "mpich", "MPICH Version:\t4.0.2, and more"
	a := &analyze.Analysis{Manifest: m, Set: medians.New(m), Cfg: judge.Default(), Verdicts: []analyze.Verdict{v}}
	a.Report = &analyze.Report{Verdicts: a.Verdicts, Shapes: []analyze.Shape{{Name: "p2"}}, Yardstick: baselineOf("", line).Yardstick}
	return a
}

// unsure is an answer of a night that was not sure of it.
func unsure(v analyze.Verdict) analyze.Verdict {
	v.Gated = &analyze.Gated{State: analyze.Unsure}
	return v
}

func gateOf(nights ...*PastNight) *Against {
	g := &Against{GateConfig: DefaultGate(), Nights: nights}
	for _, n := range nights {
		g.Baseline = append(g.Baseline, n.Folder)
	}
	return g
}

// inTwoStates is a night of a machine that was also four times as slow.
func inTwoStates(n *PastNight) *PastNight {
	for _, line := range []float64{100, 400} {
		n.States = append(n.States, medians.State{Shape: "p2", Speed: medians.Speed{LineNS: line}})
	}
	return n
}

func TestStatesAgainstABaseline(t *testing.T) {
	violated, kept, marginal, undecided := asked(judge.Violated, 1.5), asked(judge.Kept, 1), asked(judge.Marginal, 1.03), asked(judge.Undecided, 1.2)
	expect := []Expectation{{Guideline: "GL8", Reason: "slow link", Ticket: "T-7"}}
	until := []Expectation{{Guideline: "GL8", Until: "2026-11-21"}}
	today := []Expectation{{Guideline: "GL8", Until: "2026-11-22"}}
	for name, c := range map[string]struct {
		now    analyze.Verdict
		nights []*PastNight
		expect []Expectation
		set    func(*GateConfig)
		want   analyze.GateState
		alarm  bool
		says   string
	}{
		"new":                  {now: violated, nights: []*PastNight{baselineOf("a", 0, kept)}, want: analyze.New, alarm: true, says: "kept in a (1.00× [0.98, 1.02])"},
		"new, marginal before": {now: violated, nights: []*PastNight{baselineOf("a", 0, marginal)}, want: analyze.New, alarm: true},
		"intervals overlap":    {now: asked(judge.Violated, 1.06), nights: []*PastNight{baselineOf("a", 0, marginal)}, want: analyze.Unsure, says: "the ratio may be the same"},
		// The interval before ends at 1.02: today's must begin above 1.02·1.05 = 1.071.
		"above, by too little":      {now: asked(judge.Violated, 1.08), nights: []*PastNight{baselineOf("a", 0, kept)}, want: analyze.Unsure, says: "the ratio may be the same"},
		"above by min_slowdown":     {now: asked(judge.Violated, 1.1), nights: []*PastNight{baselineOf("a", 0, kept)}, want: analyze.New, alarm: true},
		"one of several kept it":    {now: violated, nights: []*PastNight{baselineOf("b", 0, undecided), baselineOf("a", 0, kept)}, want: analyze.New, alarm: true},
		"one of several violates":   {now: violated, nights: []*PastNight{baselineOf("b", 0, kept), baselineOf("a", 0, violated)}, want: analyze.Known, says: "violated in a"},
		"known":                     {now: violated, nights: []*PastNight{baselineOf("a", 0, violated)}, want: analyze.Known},
		"worse":                     {now: asked(judge.Violated, 2), nights: []*PastNight{baselineOf("a", 0, violated)}, want: analyze.Worse, alarm: true},
		"worse, several states":     {now: asked(judge.Violated, 2), nights: []*PastNight{inTwoStates(baselineOf("a", 100, violated))}, want: analyze.Unsure, says: "several states"},
		"a little worse":            {now: asked(judge.Violated, 1.8), nights: []*PastNight{baselineOf("a", 0, violated)}, want: analyze.Known},
		"worse than one only":       {now: asked(judge.Violated, 2), nights: []*PastNight{baselineOf("b", 0, violated), baselineOf("a", 0, asked(judge.Violated, 1.9))}, want: analyze.Known},
		"not confirmed before":      {now: violated, nights: []*PastNight{baselineOf("b", 0, unsure(violated)), baselineOf("a", 0, kept)}, want: analyze.New, alarm: true},
		"never confirmed before":    {now: violated, nights: []*PastNight{baselineOf("a", 0, unsure(violated))}, want: analyze.FirstShown, says: "violated, but unsure, in a"},
		"undecided before":          {now: violated, nights: []*PastNight{baselineOf("a", 0, undecided)}, want: analyze.FirstShown, says: "undecided in a"},
		"suspected before":          {now: violated, nights: []*PastNight{baselineOf("a", 0, asked(judge.Suspected, 1.5))}, want: analyze.FirstShown},
		"not suspected before":      {now: violated, nights: []*PastNight{baselineOf("a", 0, asked(judge.NotSuspected, 1))}, want: analyze.FirstShown},
		"not measured before":       {now: violated, nights: []*PastNight{baselineOf("a", 0, asked(judge.NotMeasured, 1))}, want: analyze.FirstShown},
		"not planned before":        {now: violated, nights: []*PastNight{baselineOf("a", 0)}, want: analyze.FirstShown, says: "no baseline has planned it"},
		"a verdict of later pgmpi":  {now: violated, nights: []*PastNight{baselineOf("a", 0, asked("forbidden", 1))}, want: analyze.FirstShown},
		"gone":                      {now: kept, nights: []*PastNight{baselineOf("a", 0, violated)}, want: analyze.Gone},
		"gone long ago":             {now: kept, nights: []*PastNight{baselineOf("b", 0, kept), baselineOf("a", 0, violated)}},
		"gone, one night undecided": {now: kept, nights: []*PastNight{baselineOf("b", 0, undecided), baselineOf("a", 0, violated)}, want: analyze.Gone},
		"no longer shown":           {now: undecided, nights: []*PastNight{baselineOf("a", 0, violated)}, want: analyze.Unsure, says: "violated in a"},
		"marginal now":              {now: marginal, nights: []*PastNight{baselineOf("a", 0, violated)}, want: analyze.Unsure},
		"not measured now":          {now: asked(judge.NotMeasured, 1), nights: []*PastNight{baselineOf("a", 0, violated)}},
		"quiet":                     {now: kept, nights: []*PastNight{baselineOf("a", 0, kept)}},
		"expected":                  {now: violated, nights: []*PastNight{baselineOf("a", 0, kept)}, expect: expect, want: analyze.Expected, says: "slow link"},
		"expired":                   {now: violated, nights: []*PastNight{baselineOf("a", 0, violated)}, expect: until, want: analyze.Expired, alarm: true, says: "until 2026-11-21"},
		"the last day":              {now: violated, expect: today, want: analyze.Expected},
		"xpass":                     {now: kept, nights: []*PastNight{baselineOf("a", 0, violated)}, expect: expect, want: analyze.Xpass},
		"xpass, strict":             {now: kept, expect: expect, set: func(c *GateConfig) { c.Strict = true }, want: analyze.Xpass, alarm: true},
		"expected and undecided":    {now: undecided, expect: expect},
		"expectations only":         {now: violated, expect: []Expectation{{Guideline: "GL9"}}, want: analyze.New, alarm: true, says: "no expectation names it"},
		"another state":             {now: violated, nights: []*PastNight{baselineOf("a", 400, kept)}, want: analyze.Unsure, says: "in a state that no baseline has"},
		"known in another state":    {now: violated, nights: []*PastNight{baselineOf("a", 400, violated)}, want: analyze.Known, says: "another state"},
		"violates in another state": {now: violated, nights: []*PastNight{baselineOf("b", 400, violated), baselineOf("a", 101, kept)}, want: analyze.New, alarm: true},
		"gone in another state":     {now: kept, nights: []*PastNight{baselineOf("a", 400, violated)}, want: analyze.Gone},
		"firm only":                 {now: violated, nights: []*PastNight{baselineOf("a", 0, kept)}, set: func(c *GateConfig) { c.FailOn = FailOnFirm }, want: analyze.New},
		"every violation":           {now: violated, nights: []*PastNight{baselineOf("a", 0, violated)}, set: func(c *GateConfig) { c.FailOn = FailOnViolated }, want: analyze.Known, alarm: true},
		"every one, but expected":   {now: violated, nights: []*PastNight{baselineOf("a", 0, violated)}, expect: expect, set: func(c *GateConfig) { c.FailOn = FailOnViolated }, want: analyze.Expected},
		"no night before":           {now: violated, set: func(c *GateConfig) { c.Baseline = []string{"nights"} }, want: analyze.FirstShown},
	} {
		t.Run(name, func(t *testing.T) {
			a, g := judged(100, c.now), gateOf(c.nights...)
			g.Expect, g.Confirm = c.expect, false
			if c.set != nil {
				c.set(&g.GateConfig)
			}
			must.Do(t, Hold(a, g))
			v, gate := &a.Report.Verdicts[0], a.Report.Gate
			if c.want == "" {
				if v.Gated != nil {
					t.Fatalf("%+v", v.Gated)
				}
				return
			}
			if v.Gated == nil || v.State != c.want || v.Alarm != c.alarm || !strings.Contains(v.StateReason, c.says) {
				t.Fatalf("%+v", v.Gated)
			}
			alarms := 0
			if c.alarm {
				alarms = 1
			}
			if gate.Alarms != alarms || gate.ByState[c.want] != 1 || a.Report.Exit != alarms {
				t.Errorf("%+v, exit %d", gate, a.Report.Exit)
			}
		})
	}
}

func TestAnExpectationHasItsTicket(t *testing.T) {
	a, g := judged(0, asked(judge.Violated, 2)), gateOf()
	g.Expect = []Expectation{{Guideline: "GL8", Ticket: "T-7"}}
	if err := Hold(a, g); err != nil || a.Report.Verdicts[0].Ticket != "T-7" {
		t.Errorf("%v, %+v", err, a.Report.Verdicts[0].Gated)
	}
}

func TestAFirmAlarmIsOneWhereOnlyFirmOnesAre(t *testing.T) {
	v := asked(judge.Violated, 2)
	v.Firm = true
	a, g := judged(0, v), gateOf(baselineOf("a", 0, asked(judge.Kept, 1)))
	g.FailOn = FailOnFirm
	if err := Hold(a, g); err != nil || a.Report.Exit != 1 {
		t.Errorf("%v, exit %d", err, a.Report.Exit)
	}
}

// Where the answer depends on the machine's state, that in which it is violated counts.
func TestAViolationInOneStateIsHeldAgainstNightsInThatState(t *testing.T) {
	v := asked(judge.Violated, 1.5)
	v.ByState = []analyze.StateVerdict{{State: "A", Verdict: judge.Kept}, {State: "B", Verdict: judge.Violated}}
	states := []medians.State{{Shape: "p2", Name: "A", Mpiruns: []int{1, 2, 3}, Speed: medians.Speed{LineNS: 100}}, {Shape: "p2", Name: "B", Mpiruns: []int{4, 5}, Speed: medians.Speed{LineNS: 400}}}
	for line, want := range map[float64]analyze.GateState{100: analyze.Unsure, 380: analyze.New} {
		a := judged(0, v)
		a.Report.States = states
		if err := Hold(a, gateOf(baselineOf("a", line, asked(judge.Kept, 1)))); err != nil || a.Report.Verdicts[0].State != want {
			t.Errorf("%v: %v, %+v", line, err, a.Report.Verdicts[0].Gated)
		}
	}
}

// again measures GL8 at 8 B again; line is the yardstick's.
func measuredAgain(a *analyze.Analysis, reduce, allreduce int64, line float64) {
	m := a.Manifest
	for n := 1; n <= m.Confirm.R; n++ {
		run := &results.Run{Header: results.Header{Mode: protocol.ModeConfirm, Shape: fixture.P2, Run: n, Yardstick: []protocol.Yardstick{{LineNS: line}}}}
		fixture.Add(run, m, 0, 1, fixture.Samples(reduce+int64(n)))
		fixture.Add(run, m, 2, 1, fixture.Samples(allreduce+int64(n)))
		if err := a.Set.Add(run); err != nil {
			panic(err)
		}
	}
}

func TestAnAlarmIsOneOnlyIfItIsConfirmed(t *testing.T) {
	planned := &results.SplitPlan{R: 10, FollowUps: []results.FollowUp{{Test: 0, Case: 0, Part: 2, Calls: 1}}}
	for name, c := range map[string]struct {
		reduce int64 // against 10000 of the mock-up
		line   float64
		before analyze.Verdict
		now    float64
		plan   *results.SplitPlan
		want   analyze.GateState
		says   string
	}{
		"confirmed":         {15000, 100, asked(judge.Kept, 1), 1.5, planned, analyze.New, "1.50× [1.50, 1.50] when measured again"},
		"not confirmed":     {10010, 100, asked(judge.Kept, 1), 1.5, planned, analyze.Unsure, "not confirmed: marginal, 1.00×"},
		"kept":              {9000, 100, asked(judge.Kept, 1), 1.5, planned, analyze.Unsure, "not confirmed: kept, 0.90×"},
		"in another state":  {15000, 400, asked(judge.Kept, 1), 1.5, planned, analyze.Unsure, "in a state that no baseline has"},
		"worse":             {20000, 100, asked(judge.Violated, 1.5), 2, planned, analyze.Worse, "2.00×"},
		"no longer worse":   {16000, 100, asked(judge.Violated, 1.5), 2, planned, analyze.Unsure, "not clearly above 1.88×"},
		"as it was":         {11500, 100, asked(judge.Kept, 1.2), 1.5, planned, analyze.Unsure, "not clearly above 1.29×"},
		"not planned":       {15000, 100, asked(judge.Kept, 1), 1.5, &results.SplitPlan{R: 10, FollowUps: []results.FollowUp{}}, analyze.Unsure, "it was not measured again"},
		"not measured":      {0, 100, asked(judge.Kept, 1), 1.5, planned, analyze.Unsure, "has not been measured"},
		"too few":           {15000, 100, asked(judge.Kept, 1), 1.5, &results.SplitPlan{R: 2, FollowUps: planned.FollowUps}, analyze.Unsure, "too few"},
		"folder without it": {0, 0, asked(judge.Kept, 1), 1.5, nil, analyze.New, "not measured again"},
	} {
		t.Run(name, func(t *testing.T) {
			a := judged(100, asked(judge.Violated, c.now))
			a.Manifest.Confirm = c.plan
			if c.reduce > 0 {
				measuredAgain(a, c.reduce, 10000, c.line)
			}
			must.Do(t, Hold(a, gateOf(baselineOf("a", 101, c.before))))
			v := a.Report.Verdicts[0]
			if v.State != c.want || v.Alarm != (c.want != analyze.Unsure) || !strings.Contains(v.StateReason, c.says) {
				t.Errorf("%+v", v.Gated)
			}
		})
	}
}

// Other programs slow calls down by different factors: a night beside them is no baseline
// for one without, and the other way round.
func TestANightBesideOtherProgramsIsOneOfAnotherState(t *testing.T) {
	others := []remark.Remark{{ID: remark.OthersBusy}}
	for name, c := range map[string]struct {
		before   analyze.Verdict
		now      float64
		then, is []remark.Remark
		want     analyze.GateState
	}{
		"new in both":       {asked(judge.Kept, 1), 1.5, others, others, analyze.New},
		"new beside others": {asked(judge.Kept, 1), 1.5, nil, others, analyze.Unsure},
		"new without":       {asked(judge.Kept, 1), 1.5, others, nil, analyze.Unsure},
		"worse":             {asked(judge.Violated, 1.5), 3, nil, others, analyze.Known},
	} {
		a := judged(100, asked(judge.Violated, c.now))
		a.Report.Warnings = c.is
		n := baselineOf("a", 101, c.before)
		beside := busy(c.then)
		n.Busy = &beside
		if err := Hold(a, gateOf(n)); err != nil || a.Report.Verdicts[0].State != c.want {
			t.Errorf("%s: %v, %+v", name, err, a.Report.Verdicts[0].Gated)
		}
	}
	n, err := ReadPastNight(strings.NewReader(`{"schema": "`+analyze.Schema+`", "warnings": [{"id": "page-faults"}, {"id": "others-busy"}], "verdicts": []}`), "a")
	if err != nil || !*n.Busy {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestAConfirmationInAStateInWhichItIsKnownIsNone(t *testing.T) {
	a := judged(100, asked(judge.Violated, 1.5))
	a.Manifest.Confirm = &results.SplitPlan{R: 10, FollowUps: []results.FollowUp{{Test: 0, Case: 0, Part: 2, Calls: 1}}}
	measuredAgain(a, 15000, 10000, 400)
	must.Do(t, Hold(a, gateOf(baselineOf("b", 100, asked(judge.Kept, 1)), baselineOf("a", 400, asked(judge.Violated, 1.5)))))
	if v := a.Report.Verdicts[0]; v.State != analyze.Unsure || v.Alarm || !strings.Contains(v.StateReason, "in that state of the machine it was violated in a") {
		t.Errorf("%+v", v.Gated)
	}
}

func TestOnlyWhatWouldBeAnAlarmIsMeasuredAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before judge.Verdict
		failOn FailOn
		off    bool
		want   int
	}{
		"new":              {before: judge.Kept, failOn: FailOnNew, want: 1},
		"known":            {before: judge.Violated, failOn: FailOnNew},
		"known, an alarm":  {before: judge.Violated, failOn: FailOnViolated},
		"shown first":      {before: judge.Undecided, failOn: FailOnNew},
		"an alarm, though": {before: judge.Undecided, failOn: FailOnViolated, want: 1},
		"not wanted":       {before: judge.Kept, failOn: FailOnNew, off: true},
	} {
		m := fixture.Manifest()
		m.Plan.Tests = m.Plan.Tests[2:3]
		a, err := analyze.Analyze(m, fixture.Measured(m, 20000, 20000, 10000, 30000, 20000, 25000), judge.Default())
		if err != nil || a.Verdicts[0].Verdict != judge.Violated {
			t.Fatal(err, a.Verdicts[0].Verdict)
		}
		g := gateOf(baselineOf("a", 0, asked(c.before, 1.8)))
		g.FailOn, g.Confirm = c.failOn, !c.off
		x, err := Confirmation(a, g)
		if err != nil || (x == nil) != (c.want == 0) || x != nil && (len(x.FollowUps) != c.want || x.R != fixture.R || x.FollowUps[0] != (results.FollowUp{Test: 0, Case: 0, Part: 2, Calls: 1})) {
			t.Errorf("%s: %v, %+v", name, err, x)
		}
	}
}

func TestSplitsThatABaselineViolatesAreFollowedUp(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 1000, 7000, 60000, 60000, 60000, 60000) // 8 calls of 8 B take longer than one of 64 B
	before := analyze.Verdict{Guideline: "GL2", Type: guidelines.Split, Function: "MPI_Reduce", Msize: 64, MsizeOther: 8, K: 8, Shape: "p2", Verdict: judge.Violated}
	for want, nights := range [][]*PastNight{nil, {baselineOf("a", 0, before)}} {
		plan, err := analyze.FollowUps(m, fixture.Collected(t, medians.New(m), runs), judge.Default(), SplitViolated(nights))
		if err != nil || want == 0 && plan != nil || want == 1 && (plan == nil || !slices.Equal(plan.FollowUps, []results.FollowUp{{Test: 1, Case: 1, Part: 0, Calls: 8}})) {
			t.Errorf("%d: %v, %+v", want, err, plan)
		}
	}
}

func TestBaselinesThatAskSomethingElseAreRefusedByName(t *testing.T) {
	for says, change := range map[string]func(*PastNight){
		`another job.datatype, "int", and this check "byte"`: func(n *PastNight) { n.Datatype = "int" },
		`another job.op, "sum"`:                              func(n *PastNight) { n.Op = "sum" },
		`another job.root, "3"`:                              func(n *PastNight) { n.Root = 3 },
		"has only 16x2 and this check only p2":               func(n *PastNight) { n.Shapes = []string{"16x2"} },
		"no test in common":                                  func(n *PastNight) { *n = *baselineOf("a", 0) },
	} {
		n := baselineOf("a", 0, asked(judge.Kept, 1))
		change(n)
		err := n.Comparable(judged(0, analyze.Verdict{}).Manifest)
		var no *analyze.NotComparable
		if !errors.As(err, &no) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if err := baselineOf("a", 0, asked(judge.Kept, 1)).Comparable(judged(0, analyze.Verdict{}).Manifest); err != nil {
		t.Error(err)
	}
}

func TestAReportIsReadBackAsANight(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 20000, 20000, 10000, 30000, 20000, 25000)
	for i := range runs {
		runs[i].Yardstick = []protocol.Yardstick{{LineNS: 100}}
	}
	r := analyzed(t, m, runs, judge.Default())
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	n := must.Get(ReadPastNight(strings.NewReader(string(text)), "a"))(t)
	again, err := json.Marshal(n)
	want, _ := json.Marshal(PastNightOf(r, "a"))
	if err != nil || string(again) != string(want) || len(n.Tests) != 6 || n.Yardstick[0].LineNS != 100 {
		t.Errorf("%v\n%s\n%s", err, again, want)
	}
}

func TestDamagedAndHostileReportsAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                 "no report.json",
		"[]":                               "no report.json",
		"{":                                "damaged",
		`{"schema": "x"}`:                  "its schema",
		`{}`:                               "its schema",
		`{"schema": 1}`:                    "damaged: schema",
		`{"verdicts": {}}`:                 "damaged: verdicts: it is no array",
		`{"verdicts": [1]}`:                "damaged: verdicts",
		`{"verdicts": [{"ratio": NaN}]}`:   "damaged: verdicts",
		`{"verdicts": [{"ratio": 1e999}]}`: "damaged: verdicts",
		`{"verdicts": [{"ratio": -1}]}`:    "damaged: verdicts: value 1: -1 is no ratio",
		`{"verdicts": [{"ratio_lo95": 2, "ratio_hi95": 1}]}`:             "damaged: verdicts",
		`{"verdicts": [{"msize": -8}]}`:                                  "damaged: verdicts",
		`{"root": "\u001b[31m"}`:                                         "damaged: root",
		`{"verdicts": ` + strings.Repeat("[", 20000):                     "damaged",
		`{"notes": ` + strings.Repeat("[", 20000):                        "damaged",
		`{"shapes": [{}` + strings.Repeat(",{}", mostListed) + `]}`:      "more than 1000",
		`{"verdicts": [{}` + strings.Repeat(",{}", mostPastTests) + `]}`: "more than 200000",
	} {
		if _, err := ReadPastNight(strings.NewReader(text), "a"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

func TestExpectationsNameTestsAndLibraries(t *testing.T) {
	l := analyze.Library{Name: "mpich", Version: "MPICH Version:\t4.0.2, and more"}
	for _, c := range []struct {
		e    Expectation
		want bool
	}{
		{Expectation{Guideline: "GL8"}, true},
		{Expectation{Guideline: "GL80"}, false},
		{Expectation{Guideline: "GL8", Function: "MPI_Reduce", Shape: "p2", Msizes: guidelines.MsizeList{"64", "8"}}, true},
		{Expectation{Guideline: "GL8", Function: "MPI_Bcast"}, false},
		{Expectation{Guideline: "GL8", Shape: "p4"}, false},
		{Expectation{Guideline: "GL8", Msizes: guidelines.MsizeList{"1..7"}}, false},
		{Expectation{Guideline: "GL8", Msizes: guidelines.MsizeList{"1..1Mi"}}, true},
		{Expectation{Guideline: "GL8", Library: "MPICH Version: 4.0.2"}, true},
		{Expectation{Guideline: "GL8", Library: "mpich*4.?.2"}, true},
		{Expectation{Guideline: "GL8", Library: "mpich"}, true},
		{Expectation{Guideline: "GL8", Library: "MPICH*4.1*"}, false},
		{Expectation{Guideline: "GL8", Library: "MPICH Version: 4.0.["}, false},
	} {
		v := asked(judge.Violated, 2)
		if got := c.e.about(&v) && c.e.with(l); got != c.want {
			t.Errorf("%+v: %v", c.e, got)
		}
	}
}

func TestAnExpectationThatMatchesNothingIsNoted(t *testing.T) {
	a, g := judged(0, asked(judge.Violated, 2)), gateOf()
	g.Expect = []Expectation{{Guideline: "GL8"}, {Guideline: "GL9", Function: "MPI_Scan", Msizes: guidelines.MsizeList{"8"}, Shape: "p2"}, {Guideline: "GL9", Library: "Open MPI*"}}
	if err := Hold(a, g); err != nil || !slices.Equal(a.Report.Gate.Notes, []string{"the expectation about GL9 MPI_Scan at 8 on p2 matches no test of this check"}) {
		t.Errorf("%v, %q", err, a.Report.Gate.Notes)
	}
}

func TestNeighbouringSizesAreOneExpectation(t *testing.T) {
	var tests []analyze.Verdict
	for i, v := range []judge.Verdict{judge.Violated, judge.Violated, judge.Violated, judge.Kept, judge.Violated} {
		x := asked(v, 2)
		x.Msize = 8 << i
		tests = append(tests, x)
	}
	barrier := analyze.Verdict{Guideline: "user", Type: guidelines.Pattern, Function: "MPI_Barrier", Shape: "p2", Verdict: judge.Violated}
	n := baselineOf("a", 0, append(tests, barrier)...)
	n.Created, n.Library = "2026-11-22T03:00:00Z", "MPICH 4"
	got := fmt.Sprint(Expectations(n))
	if want := "[{GL8 MPI_Reduce [8..32 128] p2 MPICH 4 known since 2026-11-22  } {user MPI_Barrier [0] p2 MPICH 4 known since 2026-11-22  }]"; got != want {
		t.Errorf("%s", got)
	}
	for _, v := range append(tests, barrier) {
		named := slices.ContainsFunc(Expectations(n), func(e Expectation) bool { return e.about(&v) })
		if named != (v.Verdict == judge.Violated) {
			t.Errorf("%d B: %v", v.Msize, named)
		}
	}
}

func TestRunTimesAreAlarmsOnlyIfTheyAreAskedForAndTheMachineDidNotChange(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, nil), side(t, "b", with(1, 30000), nil)
	c := compared(t, a, b, nil)
	v := asked(judge.Kept, 1)
	for want, times := range [][]*Comparison{{c, compared(t, a, a, nil)}, {c}, {c, c}} {
		x, g := judged(0, v), gateOf(baselineOf("a", 0, v))
		g.Times = times
		if err := Hold(x, g); err != nil || len(x.Report.Gate.Slower) != min(want, 1) || x.Report.Exit != min(want, 1) {
			t.Errorf("%d: %v, %+v", want, err, x.Report.Gate)
		}
	}
	shifted := *c
	var out analyze.Remarks
	out.Add(remark.MachineShift, "all calls became slower together")
	shifted.Warnings = out
	x, g := judged(0, v), gateOf(baselineOf("a", 0, v))
	g.Times = []*Comparison{&shifted}
	if err := Hold(x, g); err != nil || x.Report.Exit != 0 || !slices.Contains(x.Report.Gate.Notes, "run-times raise no alarm: all calls became slower together") {
		t.Errorf("%v, %+v", err, x.Report.Gate)
	}
}

func TestASpeedThatWasNotReadIsNoOtherState(t *testing.T) {
	n := baselineOf("a", 100)
	for line, want := range map[float64]bool{0: true, 149: true, 151: false, 70: true, 60: false, math.Inf(1): false} {
		if got := n.met("p2", []medians.Speed{{LineNS: line}}); got != want {
			t.Errorf("%v: %v", line, got)
		}
	}
}

func TestAMachineThatBecameSlowerIsSaid(t *testing.T) {
	m := fixture.Manifest()
	a := must.Get(analyze.Analyze(m, fixture.Measured(m, 20000, 20000, 10000, 30000, 20000, 25000), judge.Default()))(t)
	before := PastNightOf(a.Report, "before")
	before.Yardstick = []analyze.Yardstick{{Shape: "p2", Speed: medians.Speed{LineNS: 100}}}
	a.Report.Yardstick = []analyze.Yardstick{{Shape: "p2", Speed: medians.Speed{LineNS: 400}}}
	if err := Hold(a, gateOf(before)); err != nil || !strings.HasPrefix(a.Report.Gate.Notes[0], "since before: probably the machine changed") {
		t.Errorf("%v, %q", err, a.Report.Gate.Notes)
	}
}

func analyzed(t *testing.T, m *results.Manifest, runs []results.Run, cfg judge.Config) *analyze.Report {
	t.Helper()
	a := must.Get(analyze.Analyze(m, runs, cfg))(t)
	return a.Report
}

func verdicts(r *analyze.Report) string {
	var out []string
	for _, v := range r.Verdicts {
		out = append(out, string(v.Verdict))
	}
	return strings.Join(out, " ")
}
