package analyze

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// noisy gives runs in which case i takes ns[i], and case wild anything.
func noisy(m *results.Manifest, wild int, ns ...int64) []results.Run {
	runs := fixture.Measured(m, ns...)
	for n := range runs {
		for k := range runs[n].Samples[wild] {
			runs[n].Samples[wild][k].NS = int64(float64(ns[wild]) * (1 + 0.5*math.Sin(2.4*float64(n))))
		}
	}
	return runs
}

// without leaves cases out of a run, as a check does that has dropped them.
func without(run results.Run, needed map[int]bool) results.Run {
	out := run
	out.Cases, out.Samples = nil, nil
	for i, c := range run.Cases {
		if needed[c.Plan] {
			out.Cases, out.Samples = append(out.Cases, c), append(out.Samples, run.Samples[i])
		}
	}
	return out
}

func TestDecidedTestsAreDroppedAndKeepTheirVerdict(t *testing.T) {
	m := fixture.WithLooks()
	// Reduce at 64 B is slower than both mock-ups; its GL8 mock-up at 8 B wavers
	// around it.
	runs := noisy(m, 2, 10000, 50000, 9400, 30000, 20000, 25000)
	needed := must.Get(Look(m, fixture.Collected(t, medians.New(m), runs[:10]), judge.Default(), 10))(t).Needed
	found := must.Get(Look(m, fixture.Collected(t, medians.New(m), runs[:10]), judge.Default(), 10))(t).Found
	should.Hold(t, len(found) == 2 && *found[0].Ratio > 1.9 && *found[1].Ratio < 1.7 && found[0].Msize == 64, "found %+v", found)
	must.Hold(t, mapsEqual(needed, map[int]bool{0: true, 2: true}), "needed after the first look: %v, want Reduce at 8 B and its mock-up", needed)
	for n := 10; n < 30; n++ {
		runs[n] = without(runs[n], needed)
	}
	r := analyzed(t, m, runs, judge.Default())
	should.Equal(t, verdicts(r), "kept not_suspected undecided violated kept violated", "verdicts")
	for i, want := range []int{10, 0, 30, 10, 10, 10} {
		should.Hold(t, r.Verdicts[i].Runs == want, "test %d rests on %d mpiruns, want %d", i, r.Verdicts[i].Runs, want)
	}
	should.Hold(t, r.Exit == 1 && r.R == 30 && slices.Equal(r.Looks.Decided, []int{4, 0, 0}), "exit %d, R %d, decided %v", r.Exit, r.R, r.Looks.Decided)
	// P is spent: the smallest p-value of ten pairs over the weight of the look.
	got, want := *r.Verdicts[3].PValue, math.Ldexp(1, -10)/0.2
	should.Hold(t, math.Abs(got-want) <= 1e-15, "p %v, want %v", got, want)
}

func mapsEqual(a, b map[int]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestACheckEndsAtTheLookThatDecidesEverything(t *testing.T) {
	m := fixture.WithLooks()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[:10]
	look, err := Look(m, fixture.Collected(t, medians.New(m), runs), judge.Default(), 10)
	must.Hold(t, err == nil && len(look.Needed) == 0, "needed %v, %v", look.Needed, err)
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.Exit == 1 && len(r.Incomplete) == 0, "exit %d, incomplete %v", r.Exit, r.Incomplete)
}

func TestAnInterruptedCheckWithLooksIsIncomplete(t *testing.T) {
	m := fixture.WithLooks()
	runs := noisy(m, 2, 10000, 30000, 9400, 30000, 20000, 40000)
	r := analyzed(t, m, runs[:14], judge.Default())
	should.Hold(t, r.Exit == 4 && len(r.Incomplete) != 0 && r.Verdicts[2].Verdict == judge.Undecided && r.Verdicts[2].Runs == 10,
		"exit %d, %+v", r.Exit, r.Verdicts[2])
	should.Hold(t, r.Verdicts[2].RunsNeeded == nil, "what lacks mpiruns is not undecided by the data: %+v", r.Verdicts[2].RunsNeeded)
}

func TestADecidedTestOutlivesItsCase(t *testing.T) {
	m := fixture.WithLooks()
	runs := noisy(m, 2, 10000, 50000, 9400, 30000, 20000, 25000)
	for n := 10; n < 30; n++ {
		runs[n] = without(runs[n], map[int]bool{0: true, 2: true})
	}
	for k := range runs[14].Samples[0] {
		runs[14].Samples[0][k].Flags = protocol.FlagLate
	}
	r := analyzed(t, m, runs, judge.Default())
	got, want := verdicts(r), "kept not_suspected undecided violated kept violated"
	should.Hold(t, got == want && r.Verdicts[0].Runs == 10, "verdicts %q, want %q; %+v", got, want, r.Verdicts[0])
	v := r.Verdicts[2]
	should.Hold(t, len(r.Incomplete) == 1 && strings.Contains(v.Reason, "29 of 30") && v.PValue == nil, "incomplete %v, %+v", r.Incomplete, v)
	look, err := Look(m, fixture.Collected(t, medians.New(m), runs[:20]), judge.Default(), 20)
	should.Hold(t, err == nil && len(look.Needed) == 0, "nothing can be decided any more: %v, %v", look.Needed, err)
}

func TestARefusedSequenceHasNoVerdicts(t *testing.T) {
	m := fixture.WithLooks()
	m.R, m.Looks, m.LookWeights = 7, []int{7}, []float64{.5} // .05·.5/5 < 2^-7 < .05/5
	cfg := judge.Default()
	cfg.Test = judge.TestSignedRank
	r := analyzed(t, m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000), cfg)
	got, want := verdicts(r), "undecided not_suspected undecided undecided undecided undecided"
	should.Hold(t, got == want && r.Refused != nil && r.Exit == 4, "verdicts %q, want %q; exit %d", got, want, r.Exit)
}

func TestALoneLookSpendsNoMoreThanItsWeight(t *testing.T) {
	m := fixture.WithLooks()
	m.R, m.Looks, m.LookWeights = 10, []int{10}, []float64{.5}
	r := analyzed(t, m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000), judge.Default())
	got, want := *r.Verdicts[3].PValue, math.Ldexp(1, -10)/.5
	should.Hold(t, got == want && r.Verdicts[3].Verdict == judge.Violated, "p %v, want %v; %s", got, want, r.Verdicts[3].Verdict)
}

func TestMaxTimeEndsWithTheRunsReached(t *testing.T) {
	m := fixture.WithLooks()
	m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 14}
	s := scheduleOf(m)
	should.Hold(t, slices.Equal(s.Looks, []int{10, 14}) && math.Abs(s.Weights[1]-0.8) <= 1e-12, "schedule %+v, want what is left spent at 14", s)
	runs := noisy(m, 2, 10000, 50000, 9400, 30000, 20000, 25000)
	if r := analyzed(t, m, runs[:14], judge.Default()); r.Exit != 1 || r.R != 14 || r.Verdicts[2].Runs != 14 {
		t.Errorf("exit %d, R %d, %+v", r.Exit, r.R, r.Verdicts[2])
	}
	m = fixture.Manifest()
	m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 8}
	r := analyzed(t, m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[:8], judge.Default())
	should.Hold(t, r.R == 8 && r.Exit == 1 && r.Test == judge.TestCappedRank, "without looks: R %d, exit %d, test %s", r.R, r.Exit, r.Test)
}

func TestSchedulesThatLeadNowhereAreErrors(t *testing.T) {
	for name, spoil := range map[string]func(*results.Manifest){
		"descending":     func(m *results.Manifest) { m.Looks = []int{20, 10, 30} },
		"negative":       func(m *results.Manifest) { m.Looks = []int{-10, 20, 30} },
		"above R":        func(m *results.Manifest) { m.Looks = []int{10, 20, 40} },
		"weights":        func(m *results.Manifest) { m.LookWeights = []float64{1, 1, 1} },
		"fewer weights":  func(m *results.Manifest) { m.LookWeights = nil },
		"test of none":   func(m *results.Manifest) { m.FollowUps[protocol.ModeSplit].Comparisons[0].Test = 99 },
		"part of none":   func(m *results.Manifest) { m.FollowUps[protocol.ModeSplit].Comparisons[0].Part = -1 },
		"calls of none":  func(m *results.Manifest) { m.FollowUps[protocol.ModeSplit].Comparisons[0].Calls = 0 },
		"case of no one": func(m *results.Manifest) { m.FollowUps[protocol.ModeSplit].Comparisons[0].Case = 6 },
	} {
		m := fixture.WithLooks()
		m.Planned(protocol.ModeSplit, &results.FollowUps{R: 10, Comparisons: []results.Comparison{{Test: 1, Case: 1, Part: 0, Calls: 8}}})
		spoil(m)
		_, err := Design(m, judge.Default())
		should.Hold(t, err != nil, "%s: no error", name)
	}
}

// followed gives R mpiruns of the split experiment of the fixture: whole ns for
// the call at 64 B, parts for eight calls at 8 B.
func followed(m *results.Manifest, whole, parts int64) []results.Run {
	var runs []results.Run
	for n := 1; n <= m.FollowUps[protocol.ModeSplit].R; n++ {
		run := results.Run{Header: results.Header{Mode: protocol.ModeSplit, Shape: fixture.P2, Run: n}}
		fixture.Add(&run, m, 0, 8, fixture.Samples(parts+int64(n)))
		fixture.Add(&run, m, 1, 1, fixture.Samples(whole+int64(n)))
		runs = append(runs, run)
	}
	return runs
}

func TestSuspectedSplitIsDecidedByExperiment(t *testing.T) {
	for _, c := range []struct {
		whole, parts int64
		want         judge.Verdict
		exit         int
	}{
		{50000, 8000, judge.Violated, 1},
		{50000, 49000, judge.Marginal, 0},
		{50000, 90000, judge.Kept, 0},
	} {
		m := fixture.Manifest()
		runs := fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000)
		plan, err := PlanSplit(m, fixture.Collected(t, medians.New(m), runs), judge.Default(), nil)
		must.Hold(t, err == nil && plan != nil && plan.R == fixture.R && len(plan.Comparisons) == 1 && plan.Comparisons[0] == (results.Comparison{Test: 1, Case: 1, Part: 0, Calls: 8}),
			"follow-ups %+v, %v", plan, err)
		m.Planned(protocol.ModeSplit, plan)
		r := analyzed(t, m, append(runs, followed(m, c.whole, c.parts)...), judge.Default())
		v := r.Verdicts[1]
		should.Hold(t, v.Verdict == c.want && v.PValue != nil && v.Runs == fixture.R && v.K == 8 && r.Exit == c.exit,
			"%d against %d ns: %+v, exit %d", c.whole, c.parts, v, r.Exit)
		should.Hold(t, math.Abs(*v.Ratio-float64(c.whole)/float64(c.parts)) <= 0.01*(*v.Ratio) && math.Abs(*v.OtherMedianS*8e9-float64(c.parts)) <= 20,
			"ratio %v, one of the calls %v s", *v.Ratio, *v.OtherMedianS)
		should.Hold(t, r.Split.M == 1 && r.Split.Alpha == 0.01 && r.M == 5, "%+v, m = %d: the follow-ups are a family of their own", r.Split, r.M)
	}
}

func TestUnfinishedExperimentLeavesTheSuspicion(t *testing.T) {
	m := fixture.Manifest()
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: fixture.R, Comparisons: []results.Comparison{{Test: 1, Case: 1, Part: 0, Calls: 8}}})
	runs := append(fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000), followed(m, 50000, 8000)[1:]...)
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.Verdicts[1].Verdict == judge.Suspected && r.Exit == 4 && len(r.Incomplete) == 1, "a run is missing: %+v, exit %d", r.Verdicts[1], r.Exit)
	m.Stopped = map[protocol.Mode]int{protocol.ModeSplit: 2}
	r = analyzed(t, m, runs[:fixture.R], judge.Default())
	should.Hold(t, r.Verdicts[1].Verdict == judge.Suspected && r.Exit == 0 && r.Split.Refused != nil, "ended by max_time: %+v, exit %d", r.Verdicts[1], r.Exit)
	cfg := judge.Default()
	cfg.Method = judge.MethodPaper
	r = analyzed(t, m, runs[:fixture.R], cfg)
	should.Hold(t, r.Verdicts[1].Verdict == judge.Violated && r.Split == nil, "method paper knows no experiment: %+v", r.Verdicts[1])
}

func TestSeveralCallsBelongToTheExperimentAlone(t *testing.T) {
	m := fixture.Manifest()
	run := fixture.Measured(m, 1, 1, 1, 1, 1, 1)[0]
	for k := range run.Samples {
		for s := range run.Samples[k] {
			run.Samples[k][s].NS = 5
		}
	}
	run.Cases[0].Calls = 8
	should.Hold(t, medians.New(m).Add(&run) != nil, "no error for stage 2 with samples of eight calls")
}

func TestALookThatCannotFindAnythingIsWarnedOf(t *testing.T) {
	m := fixture.WithLooks()
	m.Looks = []int{5, 20, 30} // 1/C(10,5) is above .04·.2/5
	cfg := judge.Default()
	cfg.Test = judge.TestRankSum
	r := analyzed(t, m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 60000), cfg)
	warned := slices.ContainsFunc(r.Warnings, func(w remark.Remark) bool { return w.ID == "blind-look" })
	should.Hold(t, warned && slices.Equal(r.Looks.Blind, []int{5}) && r.Refused == nil, "blind %v, refused %v, warnings %v", r.Looks.Blind, r.Refused, r.Warnings)
	v := r.Verdicts[3]
	should.Hold(t, v.Verdict == judge.Violated && v.Runs == 20, "%+v", v)
	m.R, m.Looks, m.LookWeights = 4, []int{2, 3, 4}, []float64{.2, .3, .5}
	r = analyzed(t, m, fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 60000), judge.Default())
	should.Hold(t, r.Refused != nil && r.Exit == 4 && r.Verdicts[3].Verdict == judge.Undecided,
		"no look can find anything: refused %v, exit %d, %s", r.Refused, r.Exit, r.Verdicts[3].Verdict)
}

func TestAnExplanationEndsWithTheLookThatDecided(t *testing.T) {
	m := fixture.WithLooks()
	runs := noisy(m, 2, 10000, 50000, 9400, 30000, 20000, 25000)
	for n := 10; n < 30; n++ {
		runs[n] = without(runs[n], map[int]bool{0: true, 2: true})
	}
	for i, want := range map[int]int{0: 10, 2: 30, 4: 10} { // all about Reduce at 8 B
		e := explained(t, m, runs, judge.Default(), i)
		should.Hold(t, len(e.Call.Runs) == want && e.Test.R == want, "test %d: %d mpiruns are shown, the test has %d, want %d", i, len(e.Call.Runs), e.Test.R, want)
	}
}

// A fifth is the experiment's, so that both families together err with alpha.
func TestTheSplitExperimentTakesItsShareOfTheLevelFromTheFirstFamily(t *testing.T) {
	for _, c := range []struct {
		method     judge.Method
		experiment bool
		own, split float64
	}{{judge.MethodDefault, true, .04, .01}, {judge.MethodDefault, false, .05, .05}, {judge.MethodPaper, true, .05, .05}} {
		m := fixture.Manifest()
		m.SplitExperiment = c.experiment
		cfg := judge.Default()
		cfg.Method = c.method
		a := must.Get(begin(m, medians.New(m), cfg))(t)
		own, split := levels(m, cfg)
		should.Hold(t, math.Abs(own.Alpha-c.own)+math.Abs(split.Alpha-c.split) <= 1e-12 && a.family.Alpha == own.Alpha,
			"%+v: levels %v and %v, judged with %v", c, own.Alpha, split.Alpha, a.family.Alpha)
	}
}
