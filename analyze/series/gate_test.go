package series

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// asked is test 2 of fixture, GL8 at 8 B, with an answer; the interval is 2 % to both sides.
func asked(verdict judge.Verdict, ratio float64) analyze.Verdict {
	lo, hi := ratio/1.02, ratio*1.02
	return analyze.Verdict{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce",
		Msize: 8, MsizeOther: 8, Shape: "p2", NP: 2, Verdict: verdict, Tested: analyze.Tested{Effect: analyze.Effect{Ratio: &ratio, RatioLo95: &lo, RatioHi95: &hi}}}
}

// baselineOf is a baseline that has one answer, made on a machine whose cache line takes so
// long; 0: not known.
func baselineOf(name string, line float64, verdicts ...analyze.Verdict) *Check {
	r := &analyze.Report{Shapes: []analyze.Shape{{Name: "p2"}}, Operation: analyze.Operation{Datatype: "byte", Op: "bor"}, Verdicts: verdicts}
	if line > 0 {
		r.Probes = []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: line}}}
	}
	return CheckOf(r, name)
}

// today is a check before its confirmation is measured.
type today struct {
	*analyze.Analysis
	m   *results.Manifest
	set *medians.Set
}

// judged is a check that has one answer.
func judged(line float64, v analyze.Verdict) today {
	m := fixture.Manifest()
	m.Plan.Tests = m.Plan.Tests[2:3]
	m.Plan.Datatype, m.Plan.Op, m.Created = "byte", "bor", "2026-11-22T03:00:00Z"
	m.Rank.Library, m.Rank.LibVersion = "mpich", "MPICH Version:\t4.0.2, and more"
	set := medians.New(m)
	a, err := analyze.Judge(m, set, judge.Default())
	if err != nil {
		panic(err)
	}
	a.Report.Verdicts, a.Report.Probes, a.Report.States, a.Report.Warnings = []analyze.Verdict{v}, baselineOf("", line).Probes, nil, nil
	a.Report.Incomplete, a.Report.Refused = nil, nil
	return today{a, m, set}
}

// held is the report on tonight's check against its baselines.
func held(t *testing.T, a today, g *Baselines) *analyze.Report {
	t.Helper()
	r, err := Hold(a.Analysis, g)
	must.Do(t, err)
	return r
}

// unsure is an answer of a night that was not sure of it.
func unsure(v analyze.Verdict) analyze.Verdict {
	v.Gated = &analyze.Gated{State: analyze.Unsure}
	return v
}

func gateOf(nights ...*Check) *Baselines {
	g := &Baselines{GateConfig: DefaultGate(), Nights: nights}
	for _, n := range nights {
		g.Baseline = append(g.Baseline, n.Path)
	}
	return g
}

// inTwoStates is a night of a machine that was also four times as slow.
func inTwoStates(n *Check) *Check {
	for _, line := range []float64{100, 400} {
		n.States = append(n.States, medians.State{Shape: "p2", Speed: medians.Speed{LineNS: line}})
	}
	return n
}

func TestStatesAgainstABaseline(t *testing.T) {
	violated, kept, marginal, undecided := asked(judge.Violated, 1.5), asked(judge.Kept, 1), asked(judge.Marginal, 1.03), asked(judge.Undecided, 1.2)
	byState := violated
	byState.ByState = analyze.InStates{{State: "A", Alone: analyze.Alone{Verdict: judge.Kept}}, {State: "B", Alone: analyze.Alone{Verdict: judge.Violated}}}
	expect := []Expectation{{Guideline: "GL8", Reason: "slow link", Ticket: "T-7"}}
	until := []Expectation{{Guideline: "GL8", Until: "2026-11-21"}}
	today := []Expectation{{Guideline: "GL8", Until: "2026-11-22"}}
	for name, c := range map[string]struct {
		now    analyze.Verdict
		nights []*Check
		expect []Expectation
		set    func(*GateConfig)
		want   analyze.GateState
		alarm  bool
		says   string
	}{
		"new":                  {now: violated, nights: []*Check{baselineOf("a", 0, kept)}, want: analyze.New, alarm: true, says: "kept in a (1.00× [0.98, 1.02])"},
		"new, marginal before": {now: violated, nights: []*Check{baselineOf("a", 0, marginal)}, want: analyze.New, alarm: true},
		"intervals overlap":    {now: asked(judge.Violated, 1.06), nights: []*Check{baselineOf("a", 0, marginal)}, want: analyze.Unsure, says: "the ratio may be the same"},
		// The interval before ends at 1.02: today's must begin above 1.02·1.05 = 1.071.
		"above, by too little":       {now: asked(judge.Violated, 1.08), nights: []*Check{baselineOf("a", 0, kept)}, want: analyze.Unsure, says: "the ratio may be the same"},
		"above by min_slowdown":      {now: asked(judge.Violated, 1.1), nights: []*Check{baselineOf("a", 0, kept)}, want: analyze.New, alarm: true},
		"one of several kept it":     {now: violated, nights: []*Check{baselineOf("b", 0, undecided), baselineOf("a", 0, kept)}, want: analyze.New, alarm: true},
		"one of several violates":    {now: violated, nights: []*Check{baselineOf("b", 0, kept), baselineOf("a", 0, violated)}, want: analyze.Known, says: "violated in a"},
		"known":                      {now: violated, nights: []*Check{baselineOf("a", 0, violated)}, want: analyze.Known},
		"worse":                      {now: asked(judge.Violated, 2), nights: []*Check{baselineOf("a", 0, violated)}, want: analyze.Worse, alarm: true},
		"worse, several states":      {now: asked(judge.Violated, 2), nights: []*Check{inTwoStates(baselineOf("a", 100, violated))}, want: analyze.Worse, alarm: true},
		"worse, by the state":        {now: asked(judge.Violated, 2), nights: []*Check{inTwoStates(baselineOf("a", 100, byState))}, want: analyze.Unsure, says: "depends on the states"},
		"worse in every state":       {now: inStates(2.4, 2, 3), nights: []*Check{baselineOf("a", 0, inStates(1.5, 1.2, 1.7))}, want: analyze.Worse, alarm: true},
		"worse in one state":         {now: inStates(2.4, 1.6, 3), nights: []*Check{baselineOf("a", 0, inStates(1.5, 1.2, 1.7))}, want: analyze.Unsure, says: "depends on the states"},
		"worse, states only before":  {now: asked(judge.Violated, 2.4), nights: []*Check{baselineOf("a", 0, inStates(1.5, 1.2, 1.7))}, want: analyze.Worse, alarm: true},
		"a little worse":             {now: asked(judge.Violated, 1.8), nights: []*Check{baselineOf("a", 0, violated)}, want: analyze.Known},
		"worse than one only":        {now: asked(judge.Violated, 2), nights: []*Check{baselineOf("b", 0, violated), baselineOf("a", 0, asked(judge.Violated, 1.9))}, want: analyze.Known},
		"not confirmed before":       {now: violated, nights: []*Check{baselineOf("b", 0, unsure(violated)), baselineOf("a", 0, kept)}, want: analyze.New, alarm: true},
		"never confirmed before":     {now: violated, nights: []*Check{baselineOf("a", 0, unsure(violated))}, want: analyze.Unsure, says: "violated, but unsure, in a"},
		"undecided before":           {now: violated, nights: []*Check{baselineOf("a", 0, undecided)}, want: analyze.New, alarm: true, says: "undecided in a"},
		"undecided, nearly as much":  {now: violated, nights: []*Check{baselineOf("a", 0, asked(judge.Undecided, 1.4))}, want: analyze.Unsure, says: "undecided in a"},
		"undecided beside kept":      {now: violated, nights: []*Check{baselineOf("b", 0, asked(judge.Undecided, 1.4)), baselineOf("a", 0, kept)}, want: analyze.New, alarm: true, says: "kept in a"},
		"suspected before":           {now: violated, nights: []*Check{baselineOf("a", 0, asked(judge.Suspected, 1.5))}, want: analyze.FirstShown},
		"not suspected before":       {now: violated, nights: []*Check{baselineOf("a", 0, asked(judge.NotSuspected, 1))}, want: analyze.New, alarm: true},
		"not suspected, not by 25 %": {now: asked(judge.Violated, 1.2), nights: []*Check{baselineOf("a", 0, asked(judge.NotSuspected, 1))}, want: analyze.Unsure},
		"not measured before":        {now: violated, nights: []*Check{baselineOf("a", 0, asked(judge.NotMeasured, 1))}, want: analyze.FirstShown},
		"not planned before":         {now: violated, nights: []*Check{baselineOf("a", 0)}, want: analyze.FirstShown, says: "no baseline has planned it"},
		"gone":                       {now: kept, nights: []*Check{baselineOf("a", 0, violated)}, want: analyze.Gone},
		"gone long ago":              {now: kept, nights: []*Check{baselineOf("b", 0, kept), baselineOf("a", 0, violated)}},
		"gone, one night undecided":  {now: kept, nights: []*Check{baselineOf("b", 0, undecided), baselineOf("a", 0, violated)}, want: analyze.Gone},
		"no longer shown":            {now: undecided, nights: []*Check{baselineOf("a", 0, violated)}, want: analyze.Unsure, says: "violated in a"},
		"marginal now":               {now: marginal, nights: []*Check{baselineOf("a", 0, violated)}, want: analyze.Unsure},
		"not measured now":           {now: asked(judge.NotMeasured, 1), nights: []*Check{baselineOf("a", 0, kept)}, want: analyze.Lost, says: "kept in a"},
		"not measured now, strict":   {now: asked(judge.NotMeasured, 1), nights: []*Check{baselineOf("a", 0, kept)}, set: func(c *GateConfig) { c.Strict = true }, want: analyze.Lost, alarm: true},
		"never measured":             {now: asked(judge.NotMeasured, 1), nights: []*Check{baselineOf("a", 0, asked(judge.NotMeasured, 1))}},
		"quiet":                      {now: kept, nights: []*Check{baselineOf("a", 0, kept)}},
		"expected":                   {now: violated, nights: []*Check{baselineOf("a", 0, kept)}, expect: expect, want: analyze.Expected, says: "slow link"},
		"expired":                    {now: violated, nights: []*Check{baselineOf("a", 0, violated)}, expect: until, want: analyze.Expired, alarm: true, says: "until 2026-11-21"},
		"the last day":               {now: violated, expect: today, want: analyze.Expected},
		"xpass":                      {now: kept, nights: []*Check{baselineOf("a", 0, violated)}, expect: expect, want: analyze.Xpass},
		"xpass, strict":              {now: kept, expect: expect, set: func(c *GateConfig) { c.Strict = true }, want: analyze.Xpass, alarm: true},
		"expected and undecided":     {now: undecided, expect: expect},
		"expectations only":          {now: violated, expect: []Expectation{{Guideline: "GL9"}}, want: analyze.New, alarm: true, says: "no expectation names it"},
		"another state":              {now: violated, nights: []*Check{baselineOf("a", 400, kept)}, want: analyze.Unsure, says: "in a state that no baseline has"},
		"known in another state":     {now: violated, nights: []*Check{baselineOf("a", 400, violated)}, want: analyze.Known, says: "another state"},
		"violates in another state":  {now: violated, nights: []*Check{baselineOf("b", 400, violated), baselineOf("a", 101, kept)}, want: analyze.New, alarm: true},
		"gone in another state":      {now: kept, nights: []*Check{baselineOf("a", 400, violated)}, want: analyze.Gone},
		"sure only":                  {now: violated, nights: []*Check{baselineOf("a", 0, kept)}, set: func(c *GateConfig) { c.FailOn = FailOnSure }, want: analyze.New},
		"every violation":            {now: violated, nights: []*Check{baselineOf("a", 0, violated)}, set: func(c *GateConfig) { c.FailOn = FailOnViolated }, want: analyze.Known, alarm: true},
		"every one, but expected":    {now: violated, nights: []*Check{baselineOf("a", 0, violated)}, expect: expect, set: func(c *GateConfig) { c.FailOn = FailOnViolated }, want: analyze.Expected},
		"no night before":            {now: violated, set: func(c *GateConfig) { c.Baseline = []string{"nights"} }, want: analyze.FirstShown},
	} {
		t.Run(name, func(t *testing.T) {
			a, g := judged(100, c.now), gateOf(c.nights...)
			g.Expect, g.Confirm = c.expect, false
			if c.set != nil {
				c.set(&g.GateConfig)
			}
			r := held(t, a, g)
			v, gate := &r.Verdicts[0], r.Gate
			should.Hold(t, a.Report.Gate == nil && a.Report.Verdicts[0].Gated == nil, "the report that is held is changed")
			if c.want == "" {
				must.Hold(t, v.Gated == nil, "%+v", v.Gated)
				return
			}
			must.Hold(t, v.Gated != nil && v.State == c.want && v.Alarm == c.alarm && strings.Contains(v.StateReason, c.says), "%+v", v.Gated)
			alarms := 0
			if c.alarm {
				alarms = 1
			}
			exit := alarms
			if c.want == analyze.Lost && !c.alarm {
				exit = 4 // there is no other test
			}
			should.Hold(t, gate.Alarms == alarms && gate.ByState[c.want] == 1 && r.Exit == exit, "%+v, exit %d", gate, r.Exit)
		})
	}
}

func TestANightThatCouldNotBeJudgedSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		line float64
		must bool
		want []string
		exit int
	}{
		"judged":          {101, true, nil, 0},
		"not judged":      {400, false, []string{"p2"}, 0},
		"it must be":      {400, true, []string{"p2"}, 4},
		"the first night": {0, true, nil, 0},
	} {
		a, g := judged(100, asked(judge.Kept, 1)), gateOf(baselineOf("a", c.line, asked(judge.Kept, 1)))
		g.MustJudge = c.must
		if c.line == 0 {
			g.Nights = nil
		}
		if r := held(t, a, g); !slices.Equal(r.Gate.NotJudged, c.want) || r.Exit != c.exit || r.Gate.First != (c.line == 0) {
			t.Errorf("%s: exit %d, %+v", name, r.Exit, r.Gate)
		}
	}
}

func TestSureAloneFailsOnSureViolations(t *testing.T) {
	for firm, want := range map[bool]int{true: 1, false: 0} {
		v := asked(judge.Violated, 2)
		v.Firm = firm
		g := &Baselines{GateConfig: DefaultGate()}
		g.FailOn = FailOnSure
		if r := held(t, judged(0, v), g); !g.Wanted() || r.Exit != want {
			t.Errorf("firm %v: exit %d", firm, r.Exit)
		}
	}
}

func TestAnExpectationHasItsTicket(t *testing.T) {
	a, g := judged(0, asked(judge.Violated, 2)), gateOf()
	g.Expect = []Expectation{{Guideline: "GL8", Ticket: "T-7"}}
	v := held(t, a, g).Verdicts[0]
	should.Hold(t, v.Ticket == "T-7", "%+v", v.Gated)
}

func TestASureAlarmIsOneWhereOnlySureOnesAre(t *testing.T) {
	v := asked(judge.Violated, 2)
	v.Firm = true
	a, g := judged(0, v), gateOf(baselineOf("a", 0, asked(judge.Kept, 1)))
	g.FailOn = FailOnSure
	should.Equal(t, held(t, a, g).Exit, 1, "exit")
}

// inStates is violated, with other ratios in two states of the machine.
func inStates(ratio, a, b float64) analyze.Verdict {
	v := asked(judge.Violated, ratio)
	for name, in := range map[string]float64{"A": a, "B": b} {
		v.ByState = append(v.ByState, analyze.StateVerdict{State: name, Alone: analyze.Alone{Verdict: judge.Violated, Effect: analyze.Effect{RatioLo95: analyze.Number(.99 * in), RatioHi95: analyze.Number(1.01 * in)}}})
	}
	return v
}

// Where the answer depends on the machine's state, that in which it is violated counts.
func TestAViolationInOneStateIsHeldAgainstNightsInThatState(t *testing.T) {
	v := asked(judge.Violated, 1.5)
	v.ByState = []analyze.StateVerdict{{State: "A", Alone: analyze.Alone{Verdict: judge.Kept}}, {State: "B", Alone: analyze.Alone{Verdict: judge.Violated}}}
	states := []medians.State{{Shape: "p2", Name: "A", Mpiruns: []int{1, 2, 3}, Speed: medians.Speed{LineNS: 100}}, {Shape: "p2", Name: "B", Mpiruns: []int{4, 5}, Speed: medians.Speed{LineNS: 400}}}
	for line, want := range map[float64]analyze.GateState{100: analyze.Unsure, 380: analyze.New} {
		a := judged(0, v)
		a.Report.States = states
		v := held(t, a, gateOf(baselineOf("a", line, asked(judge.Kept, 1)))).Verdicts[0]
		should.Hold(t, v.State == want, "%v: %+v", line, v.Gated)
	}
}

// again measures GL8 at 8 B again; line is the yardstick's.
func measuredAgain(a today, reduce, allreduce int64, line float64) {
	m := a.m
	for n := 1; n <= m.FollowUps[protocol.ModeConfirm].R; n++ {
		run := &results.Run{Header: results.Header{Mode: protocol.ModeConfirm, Shape: fixture.P2, Run: n, Probes: []protocol.Probes{{LineNS: line}}}}
		fixture.Add(run, m, 0, 1, fixture.Samples(reduce+int64(n)))
		fixture.Add(run, m, 2, 1, fixture.Samples(allreduce+int64(n)))
		if err := a.set.Add(run); err != nil {
			panic(err)
		}
	}
}

func TestAnAlarmIsOneOnlyIfItIsConfirmed(t *testing.T) {
	planned := &results.FollowUps{R: 10, Comparisons: []results.Comparison{{Test: 0, Case: 0, Part: 2, Calls: 1}}}
	for name, c := range map[string]struct {
		reduce int64 // against 10000 of the mock-up
		line   float64
		before analyze.Verdict
		now    float64
		plan   *results.FollowUps
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
		"not planned":       {15000, 100, asked(judge.Kept, 1), 1.5, &results.FollowUps{R: 10, Comparisons: []results.Comparison{}}, analyze.Unsure, "it was not measured again"},
		"not measured":      {0, 100, asked(judge.Kept, 1), 1.5, planned, analyze.Unsure, "has not been measured"},
		"too few":           {15000, 100, asked(judge.Kept, 1), 1.5, &results.FollowUps{R: 2, Comparisons: planned.Comparisons}, analyze.Unsure, "too few"},
		"folder without it": {0, 0, asked(judge.Kept, 1), 1.5, nil, analyze.New, "not measured again"},
	} {
		t.Run(name, func(t *testing.T) {
			a := judged(100, asked(judge.Violated, c.now))
			a.m.Planned(protocol.ModeConfirm, c.plan)
			if c.reduce > 0 {
				measuredAgain(a, c.reduce, 10000, c.line)
			}
			v := held(t, a, gateOf(baselineOf("a", 101, c.before))).Verdicts[0]
			should.Hold(t, v.State == c.want && v.Alarm == (c.want != analyze.Unsure) && strings.Contains(v.StateReason, c.says), "%+v", v.Gated)
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
		v := held(t, a, gateOf(n)).Verdicts[0]
		should.Hold(t, v.State == c.want, "%s: %+v", name, v.Gated)
	}
	n, err := ReadCheck(strings.NewReader(`{"schema": "`+analyze.Schema+`", "warnings": [{"id": "page-faults"}, {"id": "others-busy"}], "verdicts": []}`), "a")
	should.Hold(t, err == nil && *n.Busy, "%+v, %v", n, err)
}

func TestAConfirmationInAStateInWhichItIsKnownIsNone(t *testing.T) {
	a := judged(100, asked(judge.Violated, 1.5))
	a.m.Planned(protocol.ModeConfirm, &results.FollowUps{R: 10, Comparisons: []results.Comparison{{Test: 0, Case: 0, Part: 2, Calls: 1}}})
	measuredAgain(a, 15000, 10000, 400)
	v := held(t, a, gateOf(baselineOf("b", 100, asked(judge.Kept, 1)), baselineOf("a", 400, asked(judge.Violated, 1.5)))).Verdicts[0]
	should.Hold(t, v.State == analyze.Unsure && !v.Alarm && strings.Contains(v.StateReason, "in that state of the machine it was violated in a"), "%+v", v.Gated)
}

func TestOnlyWhatWouldBeAnAlarmIsMeasuredAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before judge.Verdict
		failOn FailOn
		off    bool
		alone  bool
		want   int
	}{
		"new":              {before: judge.Kept, failOn: FailOnNew, want: 1},
		"known":            {before: judge.Violated, failOn: FailOnNew},
		"known, an alarm":  {before: judge.Violated, failOn: FailOnViolated},
		"undecided":        {before: judge.Undecided, failOn: FailOnNew, want: 1},
		"shown first":      {before: judge.Suspected, failOn: FailOnNew},
		"an alarm, though": {before: judge.Suspected, failOn: FailOnViolated, want: 1},
		"not wanted":       {before: judge.Kept, failOn: FailOnNew, off: true},
		"against nothing":  {before: judge.Kept, failOn: FailOnNew, alone: true},
	} {
		m := fixture.Manifest()
		m.Plan.Tests = m.Plan.Tests[2:3]
		a, err := analyze.Analyze(m, fixture.Measured(m, 20000, 20000, 10000, 30000, 20000, 25000), judge.Default())
		must.Hold(t, err == nil && a.Report.Verdicts[0].Verdict == judge.Violated, "%v %v", err, a.Report.Verdicts[0].Verdict)
		g := gateOf(baselineOf("a", 0, asked(c.before, 1.8)))
		g.FailOn, g.Confirm = c.failOn, !c.off
		if c.alone {
			g.Baseline, g.Nights = nil, nil
		}
		x := Confirmation(a, g)
		should.Hold(t, (x == nil) == (c.want == 0) && (x == nil || len(x.Comparisons) == c.want && x.R == fixture.R && x.Comparisons[0] == (results.Comparison{Test: 0, Case: 0, Part: 2, Calls: 1})),
			"%s: %+v", name, x)
	}
}

func TestSplitsThatABaselineViolatesAreFollowedUp(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 1000, 7000, 60000, 60000, 60000, 60000) // 8 calls of 8 B take longer than one of 64 B
	before := analyze.Verdict{Guideline: "GL2", Type: guidelines.Split, Function: "MPI_Reduce", Msize: 64, MsizeOther: 8, K: 8, Shape: "p2", Verdict: judge.Violated}
	for want, nights := range [][]*Check{nil, {baselineOf("a", 0, before)}} {
		plan, err := analyze.PlanSplit(m, fixture.Collected(t, medians.New(m), runs), judge.Default(), gateOf(nights...).SplitViolated)
		if err != nil || want == 0 && plan != nil || want == 1 && (plan == nil || !slices.Equal(plan.Comparisons, []results.Comparison{{Test: 1, Case: 1, Part: 0, Calls: 8}})) {
			t.Errorf("%d: %v, %+v", want, err, plan)
		}
	}
}

func TestBaselinesThatAskSomethingElseAreRefusedByName(t *testing.T) {
	for says, change := range map[string]func(*Check){
		`another job.datatype, "int", and this check "byte"`: func(n *Check) { n.Datatype = "int" },
		`another job.op, "sum"`:                              func(n *Check) { n.Op = "sum" },
		`another job.root, "3"`:                              func(n *Check) { n.Root = 3 },
		"has only 16x2 and this check only p2":               func(n *Check) { n.Shapes = []analyze.Shape{{Name: "16x2"}} },
		"no test in common":                                  func(n *Check) { *n = *baselineOf("a", 0) },
	} {
		n := baselineOf("a", 0, asked(judge.Kept, 1))
		change(n)
		err := n.Comparable(judged(0, analyze.Verdict{}).m)
		var no *analyze.NotComparable
		should.Hold(t, errors.As(err, &no) && strings.Contains(err.Error(), says), "%s: %v", says, err)
	}
	should.Do(t, baselineOf("a", 0, asked(judge.Kept, 1)).Comparable(judged(0, analyze.Verdict{}).m))
}

func TestAReportIsReadBackAsANight(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 20000, 20000, 10000, 30000, 20000, 25000)
	for i := range runs {
		runs[i].Probes = []protocol.Probes{{LineNS: 100}}
	}
	r := analyzed(t, m, runs, judge.Default())
	text, err := json.Marshal(r)
	must.Do(t, err)
	n, err := ReadCheck(strings.NewReader(string(text)), "a")
	must.Do(t, err)
	want := CheckOf(r, "a")
	should.Hold(t, reflect.DeepEqual(n, want) && len(n.Points) == 6 && n.Probes[0].LineNS == 100, "%+v\n%+v", n, want)
}

func TestDamagedAndHostileReportsAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                 "no report.json",
		"[]":                               "no report.json",
		"{":                                "damaged",
		`{"schema": "x"}`:                  `schema "x"`,
		`{}`:                               `schema ""`,
		`{"schema": 1}`:                    "damaged: schema",
		`{"verdicts": {}}`:                 "damaged: verdicts cannot be of type object",
		`{"verdicts": [1]}`:                "damaged: verdicts",
		`{"verdicts": [{"ratio": NaN}]}`:   "no report.json",
		`{"verdicts": [{"ratio": 1e999}]}`: "damaged: verdicts",
		`{"verdicts": [{"ratio": -1}]}`:    "damaged: verdicts: value 1: -1 is no ratio",
		`{"verdicts": [{"ratio_lo95": 2, "ratio_hi95": 1}]}`:                                             "damaged: verdicts",
		`{"verdicts": [{"msize": -8}]}`:                                                                  "damaged: verdicts",
		`{"root": "\u001b[31m"}`:                                                                         "damaged: root",
		`{"verdicts": ` + strings.Repeat("[", 20000):                                                     "damaged",
		`{"notes": ` + strings.Repeat("[", 20000):                                                        "damaged",
		`{"shapes": [{}` + strings.Repeat(",{}", mostListed) + `]}`:                                      "more than 1000",
		`{"verdicts": [{"verdict": "kept"}` + strings.Repeat(`,{"verdict": "kept"}`, mostObjects) + `]}`: "more than 1000000",
		`{"verdicts": [{"verdict": "great"}]}`:                                                           `value 1: "great" is no verdict`,
		`{"verdicts": [{"verdict": "violated", "ratio": 1e308}]}`:                                        "value 1: 1e+308 is no ratio",
		`{"verdicts": [{"verdict": "kept", "ratio_hi95": 1e308}]}`:                                       "value 1: 1e+308 is no ratio",
	} {
		_, err := ReadCheck(strings.NewReader(text), "a")
		should.Fail(t, err, says, "%.60s", text)
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
		should.Equal(t, c.e.about(AskedBy(&v)) && c.e.with(l), c.want, "%+v", c.e)
	}
}

func TestAnExpectationThatMatchesNothingIsNoted(t *testing.T) {
	a, g := judged(0, asked(judge.Violated, 2)), gateOf()
	g.Expect = []Expectation{{Guideline: "GL8"}, {Guideline: "GL9", Function: "MPI_Scan", Msizes: guidelines.MsizeList{"8"}, Shape: "p2"}, {Guideline: "GL9", Library: "Open MPI*"}}
	should.Equal(t, held(t, a, g).Gate.Notes, []string{"the expectation about GL9 MPI_Scan at 8 on p2 matches no test of this check"})
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
	n.Created, n.Library.Version = "2026-11-22T03:00:00Z", "MPICH 4"
	got := fmt.Sprint(Expectations(n))
	should.Equal(t, got, "[{GL8 MPI_Reduce [8..32 128] p2 MPICH 4 known since 2026-11-22  } {user MPI_Barrier [0] p2 MPICH 4 known since 2026-11-22  }]")
	for _, v := range append(tests, barrier) {
		named := slices.ContainsFunc(Expectations(n), func(e Expectation) bool { return e.about(AskedBy(&v)) })
		should.Equal(t, named, v.Verdict == judge.Violated, "%d B", v.Msize)
	}
}

func TestRunTimesAreAlarmsOnlyIfTheyAreAskedForAndTheMachineDidNotChange(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, nil), side(t, "b", with(1, 30000), nil)
	c := compared(t, a, b, nil)
	v := asked(judge.Kept, 1)
	for want, times := range [][]*Comparison{{c, compared(t, a, a, nil)}, {c}, {c, c}} {
		x, g := judged(0, v), gateOf(baselineOf("a", 0, v))
		g.Times = times
		r := held(t, x, g)
		should.Hold(t, len(r.Gate.Slower) == min(want, 1) && r.Exit == min(want, 1), "%d: %+v", want, r.Gate)
	}
	shifted := *c
	var out analyze.Remarks
	out.Add(remark.MachineShift, "all calls became slower together")
	shifted.Warnings = out
	x, g := judged(0, v), gateOf(baselineOf("a", 0, v))
	g.Times = []*Comparison{&shifted}
	r := held(t, x, g)
	should.Hold(t, r.Exit == 0 && slices.Contains(r.Gate.Notes, "run-times raise no alarm: all calls became slower together"), "%+v", r.Gate)
}

func TestASpeedThatWasNotReadIsNoOtherState(t *testing.T) {
	n := baselineOf("a", 100)
	for line, want := range map[float64]bool{0: true, 149: true, 151: false, 70: true, 60: false, math.Inf(1): false} {
		should.Equal(t, n.met("p2", []medians.Speed{{LineNS: line}}), want, "%v", line)
	}
}

func TestAMachineThatBecameSlowerIsSaid(t *testing.T) {
	m := fixture.Manifest()
	a := must.Get(analyze.Analyze(m, fixture.Measured(m, 20000, 20000, 10000, 30000, 20000, 25000), judge.Default()))(t)
	before := CheckOf(a.Report, "before")
	before.Probes = []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: 100}}}
	a.Report.Probes = []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: 400}}}
	r, err := Hold(a, gateOf(before))
	should.Hold(t, err == nil && strings.HasPrefix(r.Gate.Notes[0], "since before: the machine was in another state"), "%v, %q", err, r.Gate.Notes)
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
