package series

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

// Each rule of the gate with several conditions has here, for each of them, a case that it alone decides.

func TestWhatIsAnAlarmFollowsFromStateAndConfiguration(t *testing.T) {
	violated, seen, sure := asked(judge.Violated, 2), asked(judge.SeenOnce, 2), asked(judge.Violated, 2)
	sure.Firm = true
	for _, c := range []struct {
		state  analyze.GateState
		v      analyze.Verdict
		failOn FailOn
		strict bool
		want   bool
	}{
		{analyze.New, violated, FailOnNew, false, true},
		{analyze.Worse, violated, FailOnTimes, false, true},
		{analyze.New, violated, FailOnSure, false, false},
		{analyze.New, violated, firm, false, false}, // as sure was called
		{analyze.New, sure, FailOnSure, false, true},
		{analyze.Expired, violated, FailOnSure, false, true},
		{analyze.Xpass, violated, FailOnViolated, false, false},
		{analyze.Lost, violated, FailOnNew, true, true},
		{analyze.Known, violated, FailOnViolated, false, true},
		{analyze.Known, violated, FailOnNew, false, false},
		{analyze.Unsure, seen, FailOnViolated, false, false},
		{analyze.Unsure, seen, FailOnSeen, false, true},
		{analyze.Unsure, seen, FailOnNew, false, false},
		{analyze.FirstShown, violated, FailOnSeen, false, false},
		{analyze.Expected, violated, FailOnViolated, true, false},
		{analyze.Gone, violated, FailOnViolated, true, false},
	} {
		g := &Baselines{GateConfig: GateConfig{FailOn: c.failOn, Strict: c.strict}}
		should.Equal(t, g.alarms(c.state, &c.v), c.want, "%s, %s by fail_on %s, strict %v", c.state, c.v.Verdict, c.failOn, c.strict)
	}
}

func TestOnlyAnAlarmOfANewViolationHasToBeMeasuredAgain(t *testing.T) {
	violated, kept := asked(judge.Violated, 1.5), asked(judge.Kept, 1)
	for name, c := range map[string]struct {
		now    analyze.Verdict
		nights []*Check
		set    func(*Baselines)
		want   bool
	}{
		"new": {violated, []*Check{baselineOf("a", 0, kept)}, func(*Baselines) {}, true},
		"no alarm": {violated, []*Check{baselineOf("a", 0, kept)},
			func(g *Baselines) { g.FailOn = FailOnSure }, false},
		"known, and an alarm": {violated, []*Check{baselineOf("a", 0, violated)},
			func(g *Baselines) { g.FailOn = FailOnViolated }, false},
		"an alarm without violation": {kept, nil, func(g *Baselines) {
			g.Strict, g.Expect, g.GateConfig.Expect = true, []Expectation{{Guideline: "GL8"}}, "known.toml"
		}, false},
		"nothing is to be confirmed":  {violated, []*Check{baselineOf("a", 0, kept)}, func(g *Baselines) { g.Confirm = false }, false},
		"no baseline, no expectation": {violated, nil, func(*Baselines) {}, false},
		"expired":                     {violated, []*Check{baselineOf("a", 0, kept)}, expired, true},
		"expired, and not planned":    {violated, []*Check{baselineOf("a", 0)}, expired, true},
		"expired, and known":          {violated, []*Check{baselineOf("a", 0, violated)}, expired, false},
	} {
		a, g := judged(100, c.now), gateOf(c.nights...)
		c.set(g)
		v := held(t, a, g).Verdicts[0]
		says := v.Gated != nil && strings.Contains(v.StateReason, "and not measured again")
		should.Equal(t, says, c.want, "%s: %+v", name, v.Gated)
	}
}

func expired(g *Baselines) {
	g.Expect = []Expectation{{Guideline: "GL8", Until: "2026-11-21"}}
}

func TestAGateListsItsBaselines(t *testing.T) {
	v := asked(judge.Kept, 1)
	n := baselineOf("nights/3", 0, v)
	n.Created, n.Library.Name = "2026-11-20T03:00:00Z", "mpich"
	r := held(t, judged(0, v), gateOf(n))
	b := r.Gate.Baselines
	should.Hold(t, len(b) == 1 && b[0].Folder == "nights/3" && b[0].Created == n.Created && b[0].Library == n.Library.Short() && !r.Gate.First, "%+v", r.Gate)
	should.Hold(t, !held(t, judged(0, v), gateOf()).Gate.First, "without a baseline no night is the first")
}

func TestAnExpectationIsOfItsLibraryAndGivesItsReason(t *testing.T) {
	for name, c := range map[string]struct {
		now  judge.Verdict
		e    Expectation
		want analyze.GateState
		says string
	}{
		"another library":   {judge.Violated, Expectation{Guideline: "GL8", Library: "Open MPI*"}, analyze.New, "no expectation names it"},
		"this library":      {judge.Violated, Expectation{Guideline: "GL8", Library: "mpich"}, analyze.Expected, ""},
		"kept, no reason":   {judge.Kept, Expectation{Guideline: "GL8"}, analyze.Xpass, "expected to be violated, and kept"},
		"kept, its reason":  {judge.Kept, Expectation{Guideline: "GL8", Reason: "slow link"}, analyze.Xpass, "expected to be violated, and kept: slow link"},
		"seen once":         {judge.SeenOnce, Expectation{Guideline: "GL8"}, analyze.Unsure, ""},
		"too late, and why": {judge.Violated, Expectation{Guideline: "GL8", Until: "2026-11-21", Reason: "slow link"}, analyze.Expired, "expected until 2026-11-21 only: slow link"},
	} {
		g := gateOf()
		g.Confirm, g.Expect = false, []Expectation{c.e}
		v := held(t, judged(0, asked(c.now, 2)), g).Verdicts[0]
		should.Hold(t, v.Gated != nil && v.State == c.want && v.StateReason == c.says && v.Ticket == "", "%s: %+v", name, v.Gated)
	}
}

func TestSeenOnceIsUnsureForItsOwnReason(t *testing.T) {
	v := asked(judge.SeenOnce, 2)
	v.Reason = "1 mpirun: another may differ"
	got := held(t, judged(0, v), gateOf(baselineOf("a", 0, asked(judge.Kept, 1)))).Verdicts[0]
	should.Hold(t, got.State == analyze.Unsure && got.StateReason == v.Reason, "%+v", got.Gated)
}

func TestWrongDataAreNeitherGoneNorUnsure(t *testing.T) {
	empty := baselineOf("b", 0)
	violated := baselineOf("a", 0, asked(judge.Violated, 2))
	got := held(t, judged(0, asked(judge.Wrong, 1)), gateOf(empty, violated)).Verdicts[0]
	should.Hold(t, got.Gated == nil, "%+v", got.Gated)
	got = held(t, judged(0, asked(judge.Kept, 1)), gateOf(empty, violated)).Verdicts[0]
	should.Hold(t, got.State == analyze.Gone, "a night that has not planned it says nothing: %+v", got.Gated)
}

// 25 % more, and the intervals apart; all four numbers have to be known.
func TestWorseIsAQuarterMoreWithIntervalsApart(t *testing.T) {
	is := func(ratio, lo float64) *analyze.Verdict {
		return &analyze.Verdict{Tested: analyze.Tested{Effect: analyze.Effect{Ratio: analyze.Number(ratio), RatioLo95: analyze.Number(lo)}}}
	}
	was := func(ratio, hi float64) *Point {
		return &Point{Answer: Answer{Effect: analyze.Effect{Ratio: analyze.Number(ratio), RatioHi95: analyze.Number(hi)}}}
	}
	nan := math.NaN() // not known
	for _, c := range []struct {
		now  *analyze.Verdict
		then *Point
		want bool
	}{
		{is(2.5, 2.25), was(2, 2.2), true},
		{is(2.49, 2.25), was(2, 2.2), false},
		{is(2.5, 2.2), was(2, 2.2), false},
		{is(nan, 2.25), was(2, 2.2), false},
		{is(2.5, nan), was(2, 2.2), false},
		{is(2.5, 2.25), was(nan, 2.2), false},
		{is(2.5, 2.25), was(2, nan), false},
	} {
		should.Equal(t, worse(c.now, c.then), c.want, "%v of %v after %v of %v", analyze.Or(c.now.Ratio, nan), analyze.Or(c.now.RatioLo95, nan),
			analyze.Or(c.then.Ratio, nan), analyze.Or(c.then.RatioHi95, nan))
	}
	v := inStates(2, 1.5, 1.8)
	should.Hold(t, math.Abs(least(&v)-.99*1.5) < 1e-12, "%v", least(&v))
	v.ByState[0].RatioLo95 = nil
	should.Equal(t, least(&v), 0.0, "a state without an interval")
	v = inStates(2, 2.5, 1.8)
	p := pointOf(&v)
	should.Hold(t, math.Abs(p.largest()-1.01*2.5) < 1e-12, "%v", p.largest())
	p.ByState[0].RatioHi95 = nil
	should.Hold(t, math.IsInf(p.largest(), 1), "a state without an interval: %v", p.largest())
}

// Violated comes before tested before undecided, and of the same the largest ratio; the first of equal ones.
func TestTheStrongestAnswerIsAgainstSomethingNew(t *testing.T) {
	violated, kept, undecided := asked(judge.Violated, 1.2), asked(judge.Kept, 1.4), asked(judge.Undecided, 1.6)
	pointless := asked(judge.Undecided, 3)
	pointless.RatioHi95 = nil
	for want, verdicts := range map[string][]analyze.Verdict{
		"a": {violated, kept, undecided, violated},
		"b": {kept, violated},
		"c": {undecided, undecided, kept},
		"d": {undecided, asked(judge.Undecided, 1.5), pointless, asked(judge.Undecided, 1.7)},
	} {
		var nights []*Check
		for i, v := range verdicts {
			nights = append(nights, baselineOf(string(rune('a'+i)), 0, v))
		}
		most, ok := against(nights, &violated)
		should.Hold(t, ok && most.check.Path == want, "%s: %+v", want, most.check)
	}
	_, ok := against([]*Check{baselineOf("a", 0, pointless)}, &violated)
	should.Hold(t, !ok, "without an interval there is no answer")
	hi := &Point{Answer: Answer{Effect: analyze.Effect{RatioHi95: analyze.Number(2), Ratio: analyze.Number(1)}}}
	should.Equal(t, []float64{hi.upper(), (&Point{Answer: Answer{Effect: analyze.Effect{Ratio: analyze.Number(1)}}}).upper(), (&Point{}).upper()}, []float64{2, 1, 0})
}

func TestAnAnswerIsToldWithWhatIsKnown(t *testing.T) {
	p := &Point{Answer: Answer{Verdict: judge.Kept}}
	s := strongest{&Check{Path: "a"}, p}
	should.Equal(t, s.words(), "kept in a")
	p.Ratio = analyze.Number(1)
	p.RatioHi95 = analyze.Number(2)
	should.Equal(t, s.words(), "kept in a (1.00×)")
	p.RatioLo95, p.RatioHi95 = p.RatioHi95, nil
	should.Equal(t, s.words(), "kept in a (1.00×)")
	p.RatioHi95 = analyze.Number(3)
	should.Equal(t, s.words(), "kept in a (1.00× [2.00, 3.00])")
}

func TestTheStateOfAVerdictIsThatOfMostMpirunsOrOfTheYardstick(t *testing.T) {
	state := func(shape, name string, line float64, mpiruns ...int) medians.State {
		return medians.State{Shape: shape, Name: name, Mpiruns: mpiruns, Speed: medians.Speed{LineNS: line}}
	}
	probes := []analyze.Probes{{Shape: "p4", Speed: medians.Speed{LineNS: 7}}, {Shape: "p2", Speed: medians.Speed{LineNS: 8}}}
	in := []analyze.StateVerdict{{State: "A", Alone: analyze.Alone{Verdict: judge.Violated}}, {State: "B", Alone: analyze.Alone{Verdict: judge.Kept}}}
	for name, c := range map[string]struct {
		states  []medians.State
		byState []analyze.StateVerdict
		want    []float64
	}{
		"no states":              {nil, nil, []float64{8}},
		"of another shape":       {[]medians.State{state("p4", "A", 1, 1, 2, 3)}, nil, []float64{8}},
		"most mpiruns":           {[]medians.State{state("p2", "A", 1, 1), state("p2", "B", 2, 2, 3), state("p4", "A", 3, 1, 2, 3)}, nil, []float64{2}},
		"an mpirun":              {[]medians.State{state("p2", "A", 1, 1)}, nil, []float64{1}},
		"as many: the first":     {[]medians.State{state("p2", "A", 1, 1, 4), state("p2", "B", 2, 2, 3)}, nil, []float64{1}},
		"where it is violated":   {[]medians.State{state("p2", "A", 1, 1), state("p2", "B", 2, 2, 3)}, in, []float64{1}},
		"states without mpiruns": {[]medians.State{state("p2", "C", 1)}, nil, []float64{8}},
	} {
		r := &analyze.Report{States: c.states, Probes: probes}
		var got []float64
		for _, speed := range (tonight{r, &Baselines{}}).statesOf("p2", c.byState) {
			got = append(got, speed.LineNS)
		}
		should.Equal(t, got, c.want, name)
	}
}

func TestANightBeforeThatKnewNoOtherProgramsIsAlike(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		then *bool
		now  []remark.Remark
		want bool
	}{{nil, nil, true}, {nil, []remark.Remark{{ID: remark.OthersBusy}}, true}, {&yes, nil, false}, {&no, nil, true}} {
		tonight := tonight{&analyze.Report{Warnings: c.now}, &Baselines{}}
		should.Equal(t, tonight.like(&Check{Busy: c.then}, "p2", nil), c.want, "%v", c.now)
	}
}

func TestNotesNameTestsThatAreGoneAndTheNewestNightAlone(t *testing.T) {
	v, barrier := asked(judge.Kept, 1), asked(judge.Kept, 1)
	barrier.Function = "MPI_Barrier"
	r := held(t, judged(0, v), gateOf(baselineOf("b", 0, v), baselineOf("a", 0, v, barrier)))
	should.Equal(t, r.Gate.Notes, []string{"1 test of a are not in this check"})
}

func TestWhatRunTimesCouldHaveShownIsANote(t *testing.T) {
	v := asked(judge.Kept, 1)
	g := gateOf(baselineOf("a", 0, v))
	c := &Comparison{CouldHaveSeen: analyze.Number(1.1)}
	c.A.Folder = "a"
	g.Times = []*Comparison{c, {}}
	r := held(t, judged(0, v), g)
	should.Equal(t, r.Gate.Notes, []string{"run-times against a: half of the cases could have shown 1.10× or more"})
}

// A case has to be slower than in every night; one that is twice in a night is no second night.
func TestSlowerIsSlowerThanInEveryNight(t *testing.T) {
	slower := func(cells ...medians.Cell) *Comparison {
		c := &Comparison{}
		for _, cell := range cells {
			c.Cases = append(c.Cases, CaseChange{Cell: cell, Change: Slower})
		}
		return c
	}
	x, y := medians.Cell{Function: "x"}, medians.Cell{Function: "y"}
	for name, c := range map[string]struct {
		times []*Comparison
		want  int
	}{
		"in both":       {[]*Comparison{slower(x), slower(x, y)}, 1},
		"in the first":  {[]*Comparison{slower(x), slower()}, 0},
		"in the last":   {[]*Comparison{slower(), slower(y)}, 0},
		"twice in one":  {[]*Comparison{slower(x, x), slower()}, 0},
		"in one of one": {[]*Comparison{slower(x, y)}, 2},
	} {
		g, notes := &Baselines{Times: c.times}, []string{}
		should.Equal(t, len(g.slower(&notes)), c.want, name)
	}
}

func TestOfASplitTheNewestNightThatViolatesItCounts(t *testing.T) {
	at := func(verdict judge.Verdict, other int64) analyze.Verdict {
		v := asked(verdict, 2)
		v.Type, v.MsizeOther = guidelines.Split, other
		return v
	}
	v := at(judge.NotSuspected, 1)
	var none *Baselines
	should.Equal(t, none.SplitViolated(&v), 0)
	should.Equal(t, gateOf(baselineOf("c", 0), baselineOf("b", 0, at(judge.Kept, 16)), baselineOf("a", 0, at(judge.Violated, 32))).SplitViolated(&v), 32)
	should.Equal(t, gateOf(baselineOf("b", 0, at(judge.Kept, 16))).SplitViolated(&v), 0)
}

func TestDatesAreDaysAndOverOnTheNext(t *testing.T) {
	for _, c := range []struct {
		raw  any
		want Date
		ok   bool
	}{
		{"2026-12-31", "2026-12-31", true}, {"", "", true}, {"31.12.2026", "", false}, {7, "", false},
		{time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC), "2026-12-31", true},
	} {
		var d Date
		should.Hold(t, (d.UnmarshalTOML(c.raw) == nil) == c.ok && d == c.want, "%v: %q", c.raw, d)
	}
	for now, want := range map[string]bool{"2026-12-31T23:59:59Z": false, "2027-01-01T00:00:00Z": true, "2027": false, "": false, "2027-01-01": true} {
		should.Equal(t, Date("2026-12-31").over(now), want, now)
	}
	should.Hold(t, !Date("").over("2027-01-01"), "for good")
}

func TestExpectationsAndGatesAreValidated(t *testing.T) {
	for name, c := range map[string]struct {
		e    Expectation
		want string
	}{
		"fine":              {Expectation{Guideline: "GL8", Function: "MPI_Reduce", Shape: "p2", Msizes: guidelines.MsizeList{"0", "8..64"}}, ""},
		"no guideline":      {Expectation{}, "[0].guideline"},
		"a mock-up":         {Expectation{Guideline: "GL8", Function: "MPI_Redu"}, "[0].function"},
		"no shape":          {Expectation{Guideline: "GL8", Shape: "2p"}, "[0].shape"},
		"an empty range":    {Expectation{Guideline: "GL8", Msizes: guidelines.MsizeList{"64..8"}}, "[0].msizes"},
		"a range of a size": {Expectation{Guideline: "GL8", Msizes: guidelines.MsizeList{"8..8"}}, ""},
		"no size":           {Expectation{Guideline: "GL8", Msizes: guidelines.MsizeList{"x"}}, "[0].msizes"},
		"no end":            {Expectation{Guideline: "GL8", Msizes: guidelines.MsizeList{"8..x"}}, "[0].msizes"},
	} {
		should.Equal(t, fieldsOf(ValidateExpectations([]Expectation{c.e})), c.want, name)
	}
	for name, c := range map[string]struct {
		change func(*GateConfig)
		want   string
	}{
		"default":        {func(*GateConfig) {}, ""},
		"a night":        {func(g *GateConfig) { g.Nights = 1 }, ""},
		"no night":       {func(g *GateConfig) { g.Nights = 0 }, "nights"},
		"most nights":    {func(g *GateConfig) { g.Nights = mostNights }, ""},
		"more nights":    {func(g *GateConfig) { g.Nights = mostNights + 1 }, "nights"},
		"an old name":    {func(g *GateConfig) { g.FailOn = firm }, ""},
		"an odd fail_on": {func(g *GateConfig) { g.FailOn = "all" }, "fail_on"},
	} {
		g := DefaultGate()
		c.change(&g)
		should.Equal(t, fieldsOf(g.Validate()), c.want, name)
	}
	e := Expectation{Guideline: "GL8", Msizes: guidelines.MsizeList{"x"}}
	should.Hold(t, !e.about(Asked{Guideline: "GL8"}), "what cannot be read names nothing")
}

func fieldsOf(errs []conf.FieldError) string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Key)
	}
	return strings.Join(out, " ")
}

func TestAGateIsWantedForEachOfItsReasons(t *testing.T) {
	for name, c := range map[string]struct {
		g               GateConfig
		against, wanted bool
	}{
		"nothing":         {GateConfig{FailOn: FailOnNew}, false, false},
		"a baseline":      {GateConfig{Baseline: []string{"a"}}, true, true},
		"an expectation":  {GateConfig{Expect: "known.toml"}, true, true},
		"sure ones only":  {GateConfig{FailOn: FailOnSure}, false, true},
		"the older name":  {GateConfig{FailOn: firm}, false, true},
		"what was seen":   {GateConfig{FailOn: FailOnSeen}, false, true},
		"every violation": {GateConfig{FailOn: FailOnViolated}, false, false},
	} {
		should.Hold(t, c.g.Against() == c.against && c.g.Wanted() == c.wanted, "%s: %v, %v", name, c.g.Against(), c.g.Wanted())
	}
}

func TestAnExpectationThatIsOverIsKeptAsWell(t *testing.T) {
	g := gateOf()
	expired(g)
	v := held(t, judged(0, asked(judge.Kept, 1)), g).Verdicts[0]
	should.Hold(t, v.State == analyze.Xpass, "%+v", v.Gated)
	without := asked(judge.Violated, 2)
	without.RatioLo95 = nil
	v = held(t, judged(0, without), gateOf(baselineOf("a", 0, asked(judge.Kept, 1)))).Verdicts[0]
	should.Hold(t, v.State == analyze.Unsure, "an interval that is not known is not apart: %+v", v.Gated)
}

func TestAConfirmationWithoutANightNeedsNoState(t *testing.T) {
	a := judged(100, asked(judge.Violated, 1.5))
	a.m.Planned(protocol.ModeConfirm, &results.FollowUps{R: 10, Comparisons: []results.Comparison{{Test: 0, Case: 0, Part: 2, Calls: 1}}})
	a.Report.Shapes = append([]analyze.Shape{{Name: "p4"}}, a.Report.Shapes...)
	measuredAgain(a, 15000, 10000, 100)
	g := gateOf()
	g.Expect, g.GateConfig.Expect = []Expectation{{Guideline: "GL9"}}, "known.toml"
	v := held(t, a, g).Verdicts[0]
	should.Hold(t, v.State == analyze.New && v.Alarm && strings.Contains(v.StateReason, "when measured again"), "%+v", v.Gated)
}

func TestAConfirmationThatCannotBeJudgedIsAnError(t *testing.T) {
	a := judged(100, asked(judge.Violated, 1.5))
	a.m.Planned(protocol.ModeConfirm, &results.FollowUps{R: 10, Comparisons: []results.Comparison{{Test: 0, Case: 0, Part: 2, Calls: 1}}})
	measuredAgain(a, 15000, 10000, 100)
	clear(a.set.Side(protocol.ModeConfirm, 0, 1).Medians)
	_, err := Hold(a.Analysis, gateOf())
	should.Hold(t, err != nil, "times of 0")
}

func TestOnlyTheNewestNightIsAskedForAnotherState(t *testing.T) {
	v := asked(judge.Kept, 1)
	r := held(t, judged(100, v), gateOf(baselineOf("b", 100, v), baselineOf("a", 400, v)))
	should.Equal(t, len(r.Gate.Notes), 0, "%q", r.Gate.Notes)
	r = held(t, judged(100, v), gateOf(baselineOf("b", 400, v), baselineOf("a", 100, v)))
	should.Hold(t, len(r.Gate.Notes) == 1 && strings.HasPrefix(r.Gate.Notes[0], "since b: "), "%q", r.Gate.Notes)
}

func TestExpectationsOfACheckAreItsViolationsInTheOrderOfSizes(t *testing.T) {
	at := func(guideline string, size int64, verdict judge.Verdict) analyze.Verdict {
		v := asked(verdict, 2)
		v.Guideline, v.Msize = guideline, size
		return v
	}
	n := baselineOf("a", 0, at("GL8", 64, judge.Violated), at("GL8", 8, judge.Kept), at("GL8", 16, judge.Violated), at("GL9", 8, judge.Kept))
	n.Created = "2026-11-22"
	got := Expectations(n)
	should.Hold(t, len(got) == 1 && strings.Join(got[0].Msizes, " ") == "16..64" && got[0].Reason == "known since 2026-11-22", "%+v", got)
	should.Equal(t, got[0].words(), "GL8 MPI_Reduce at 16..64 on p2")
	should.Equal(t, (&Expectation{Guideline: "GL8"}).words(), "GL8")
	should.Equal(t, DefaultGate().Nights, 20)
}

func TestAViolationIsUnsureWhereTheStatesOfBothOverlap(t *testing.T) {
	v, was := asked(judge.Violated, 2.6), asked(judge.Violated, 2)
	lo, hi := *v.RatioLo95, *was.RatioHi95
	// Its least limit in any state, and the largest of the night before.
	v.ByState = []analyze.StateVerdict{{Alone: analyze.Alone{Effect: analyze.Effect{RatioLo95: &hi}}}}
	for limit, want := range map[float64]analyze.GateState{hi: analyze.Unsure, lo: analyze.Worse} {
		v.ByState[0].RatioLo95 = &limit
		got := held(t, judged(0, v), gateOf(baselineOf("a", 0, was))).Verdicts[0]
		should.Hold(t, got.State == want, "down to %v, after up to %v: %+v", limit, hi, got.Gated)
	}
	// New is above the minimum slowdown times what it was.
	kept, now := asked(judge.Kept, 1), asked(judge.Violated, 1.5)
	above := judge.Default().MinSlowdown * *kept.RatioHi95
	for limit, want := range map[float64]analyze.GateState{above: analyze.Unsure, 1.001 * above: analyze.New} {
		now.RatioLo95 = &limit
		got := held(t, judged(0, now), gateOf(baselineOf("a", 0, kept))).Verdicts[0]
		should.Hold(t, got.State == want, "from %v, after up to %v: %+v", limit, above, got.Gated)
	}
}

func TestWhatIsConfirmedIsConfirmedByEachOfItsConditions(t *testing.T) {
	v := asked(judge.Violated, 1.5)
	for name, c := range map[string]struct {
		x    analyze.Answered
		want bool
	}{
		"violated from its limit on": {analyze.Answered{Outcome: judge.Outcome{Verdict: judge.Violated, Ratio: 1.5, Lo95: 1.2, Hi95: 2}}, true},
		"below":                      {analyze.Answered{Outcome: judge.Outcome{Verdict: judge.Violated, Ratio: 1.5, Lo95: 1.19, Hi95: 2}}, false},
		"kept":                       {analyze.Answered{Outcome: judge.Outcome{Verdict: judge.Kept, Ratio: 1.5, Lo95: 1.3, Hi95: 2}}, false},
		"with a problem":             {analyze.Answered{Outcome: judge.Outcome{Verdict: judge.Violated, Ratio: 1.5, Lo95: 1.3, Hi95: 2}, Problem: "lost"}, false},
	} {
		p := &provisional{state: analyze.New, above: 1.2}
		a := judged(0, v)
		got := tonight{a.Report, gateOf()}.confirm(a.Analysis, &v, p, &analyze.FollowedUp{Family: &judge.Family{Design: &judge.Design{}}}, &c.x)
		should.Hold(t, got == c.want && (p.state == analyze.Unsure) != c.want, "%s: %v, %+v", name, got, p)
	}
	// Another shape, whose machine was in a state that no baseline has, is not asked.
	a := judged(100, v)
	a.m.Planned(protocol.ModeConfirm, &results.FollowUps{R: 10, Comparisons: []results.Comparison{{Test: 0, Case: 0, Part: 2, Calls: 1}}})
	measuredAgain(a, 15000, 10000, 100)
	a.Report.Shapes = []analyze.Shape{{Name: "p4", Shape: fixture.P2}}
	p := &provisional{state: analyze.New, above: 1.2}
	night := baselineOf("a", 400, asked(judge.Kept, 1))
	got := tonight{a.Report, gateOf(night)}.confirm(a.Analysis, &v, p, &analyze.FollowedUp{Family: &judge.Family{Design: &judge.Design{}}}, &analyze.Answered{Outcome: judge.Outcome{Verdict: judge.Violated, Lo95: 1.3}})
	should.Hold(t, got, "of another shape: %+v", p)
}

func TestAnotherCallOfACollectiveCanBeExpected(t *testing.T) {
	list := []Expectation{{Guideline: "GL8", Function: "reduce_as_allreduce"}}
	should.Equal(t, fieldsOf(ValidateExpectations(list)), "[0].function")
	list[0].Function = mockups.CallOf("MPI_Reduce", mockups.Nonblocking)
	should.Equal(t, fieldsOf(ValidateExpectations(list)), "")
	g := DefaultGate()
	g.Nights = 0
	should.Contain(t, g.Validate()[0].Msg, "from 1 to 100, not 0")
}
