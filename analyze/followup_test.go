package analyze

import (
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

// measuredAgain adds mpiruns of a mode in which case 1 takes `call` ns and case 3 `other`.
func measuredAgain(m *results.Manifest, mode protocol.Mode, r int, call, other int64) (runs []results.Run) {
	for n := 1; n <= r; n++ {
		run := results.Run{Header: results.Header{Mode: mode, Shape: fixture.P2, Run: n,
			Probes: []protocol.Probes{{LineNS: 100}}}}
		fixture.Add(&run, m, 1, 1, fixture.Samples(call+int64(n)))
		fixture.Add(&run, m, 3, 1, fixture.Samples(other+int64(n)))
		runs = append(runs, run)
	}
	return runs
}

// Test 3 is GL8 at 64 B: case 1 against case 3.
var gl8 = results.Comparison{Test: 3, Case: 1, Part: 3, Calls: 1}

func TestAConfirmationIsJudgedAsTheCheckIs(t *testing.T) {
	for tolerant, want := range map[bool]judge.Verdict{false: judge.Violated, true: judge.Kept} {
		m := fixture.Manifest()
		m.Plan.Tests[3].Tolerant = tolerant
		m.Planned(protocol.ModeConfirm, &results.FollowUps{R: fixture.R, Comparisons: []results.Comparison{{Test: 2, Case: 0, Part: 2,
			Calls: 1}, gl8}})
		runs := append(fixture.Measured(m, plainly...), measuredAgain(m, protocol.ModeConfirm, fixture.R, 1400,
			1200)...)
		a := must.Get(Analyze(m, runs, judge.Default()))(t)
		x := must.Get(a.Confirmation())(t)
		should.Hold(t, x.Of(3).Verdict == want && x.Of(3).Problem == "", "tolerant %v: %+v", tolerant, x.Of(3))
		should.Hold(t, x.Of(2).Problem == "MPI_Reduce has not been measured" && x.Of(0) == nil, "%+v", x.Of(2))
		should.Equal(t, a.SpeedAgain(fixture.P2).LineNS, 100.0)
		a.cfg.Alpha = 0
		_, err := a.Confirmation()
		should.Hold(t, err != nil, "a level of 0")
	}
	m := fixture.Manifest()
	lost := &medians.Case{Status: protocol.StatusCrashes}
	should.Equal(t, sideProblem(&m.Plan, 0, lost, 1), "MPI_Reduce: "+string(protocol.StatusCrashes))
	lost.Message = "killed"
	should.Equal(t, sideProblem(&m.Plan, 0, lost, 1), "MPI_Reduce: killed")
}

// R: ceiling(log2(8*c(1, 2)/.05)) is 8 9.
func TestViolationsAreMeasuredAgainInAsManyMpirunsAsPairThem(t *testing.T) {
	paper := judge.Default()
	paper.Method = judge.MethodPaper
	for name, c := range map[string]struct {
		cfg      judge.Config
		r        int
		wanted   bool
		again    int // mpiruns that are planned
		fewAgain int
	}{
		"in R, which pairs":        {judge.Default(), 12, true, 12, 8},
		"in more than R":           {judge.Default(), 7, true, 9, 7},
		"in R, as the paper looks": {paper, 7, true, 7, 7},
		"nothing that is wanted":   {judge.Default(), 12, false, 0, 8},
	} {
		m := fixture.Manifest()
		m.R = c.r
		a := must.Get(begin(m, medians.New(m), c.cfg))(t)
		a.verdicts[2].Verdict, a.verdicts[3].Verdict, a.verdicts[4].Verdict = judge.Violated, judge.Violated,
			judge.Kept
		x := a.Again(func(int, *Verdict) bool { return c.wanted })
		should.Hold(t, (x == nil) == (c.again == 0) && (x == nil || x.R == c.again && len(x.Comparisons) == 2),
			"%s: %+v", name, x)
		should.Equal(t, a.fewAgain(), c.fewAgain, name)
	}
}

func TestViolationsThatMayDependOnMallocAreMeasuredInItsOtherState(t *testing.T) {
	const settled, fresh = protocol.MallocSettled, protocol.MallocFresh
	for _, c := range []struct {
		state       string
		call, other *float64
		want        bool
	}{{settled, nil, nil, false}, {settled, Number(1), nil, true}, {settled, nil, Number(1), true}, {settled, Number(.9), Number(.9), false},
		{fresh, Number(0), Number(0), true}} {
		m := fixture.Manifest()
		a := must.Get(begin(m, medians.New(m), judge.Default()))(t)
		v := &a.verdicts[3]
		v.Verdict, v.PageFaults, v.OtherPageFaults = judge.Violated, c.call, c.other
		x := a.InMalloc(c.state)
		should.Hold(t, (x != nil) == c.want && (x == nil || x.Malloc == c.state && x.R == 8), "%s, %v, %v: %+v",
			c.state, Or(c.call, 0), Or(c.other, 0), x)
	}
}

func TestAViolationIsSureIfNothingThatWasMeasuredContradicts(t *testing.T) {
	in := func(v judge.Verdict, ratio float64) *Elsewhere {
		return &Elsewhere{Alone: Alone{Verdict: v, Effect: Effect{Number(ratio), Number(ratio - .1), Number(ratio + .1)}}}
	}
	for name, c := range map[string]struct {
		alternating, malloc *Elsewhere
		again               bool
		hi                  float64
		want                Standing
	}{
		"nothing else was measured":              {nil, nil, true, 2.1, Sure},
		"violated in all":                        {in(judge.Violated, 1.95), in(judge.Violated, 2), true, 2.1, Sure},
		"violated in all, but smaller":           {in(judge.Violated, 1.4), nil, true, 2.1, Sure},
		"kept in turns":                          {in(judge.Kept, .9), in(judge.Violated, 2), true, 2.1, GoneInTurns},
		"kept in turns, marginal with malloc":    {in(judge.Kept, .9), in(judge.Marginal, 1.02), true, 2.1, GoneInTurns},
		"kept with malloc":                       {in(judge.Violated, 2), in(judge.Kept, .9), true, 2.1, OneMalloc},
		"marginal with malloc":                   {nil, in(judge.Marginal, 1.02), true, 2.1, OneMalloc},
		"undecided in turns, below":              {in(judge.Undecided, 1.2), nil, true, 2.1, Smaller},
		"undecided in turns, touching":           {in(judge.Undecided, 1.85), nil, true, 2.1, NotShown},
		"undecided with malloc":                  {in(judge.Violated, 2), in(judge.Undecided, 1.2), true, 2.1, NotShown},
		"unsure, and its interval ends near 1.2": {nil, nil, false, 1.26, NearLimit},
		"unsure, and far from the threshold":     {nil, nil, false, 42, Unsteady},
		"unsure, and gone in turns":              {in(judge.Kept, .9), nil, false, 42, GoneInTurns},
	} {
		v := Verdict{Verdict: judge.Violated, Tested: Tested{Effect: Effect{Number(2), Number(1.9), Number(c.hi)}}, Alternating: c.alternating, OtherMalloc: c.malloc}
		if c.hi < 2 {
			v.Effect = Effect{Number(1.2), Number(1.1), Number(c.hi)}
		}
		should.Equal(t, v.stands(c.again, 1.26), c.want, "%s", name)
	}
}

func TestALossIsTheLeastOfAllConditions(t *testing.T) {
	at := func(ratio float64) *Elsewhere {
		return &Elsewhere{Alone: Alone{Effect: Effect{Number(ratio), Number(ratio - .1), Number(ratio + .1)}}}
	}
	for _, c := range []struct {
		alternating, malloc *Elsewhere
		want                float64
	}{{nil, nil, 2}, {at(1.9), nil, 2}, {at(1.4), nil, 1.4}, {at(1.4), at(1.2), 1.2}, {at(3), nil, 2}} {
		v := Verdict{Tested: Tested{Effect: Effect{Number(2), Number(1.9), Number(2.1)}}, Alternating: c.alternating, OtherMalloc: c.malloc}
		should.Equal(t, *v.Least().Ratio, c.want, "%+v", c)
	}
}

// By hand: se = ln(1.1/.9)/3.92 = .0512; 1.96·√2·√(.0512² + .03²) = .1645.
func TestAnotherChecksIntervalHasWhatDiffersBetweenChecks(t *testing.T) {
	m := fixture.Manifest()
	r := analyzed(t, m, fixture.Measured(m, plainly...), judge.Default())
	must.Hold(t, r.Between == Between{judge.Between, TauQuiet}, "%+v", r.Between)
	cfg := judge.Default()
	cfg.BetweenChecks = .04
	should.Equal(t, analyzed(t, m, fixture.Measured(m, plainly...), cfg).Between, Between{.04, TauMeasured})
	busy := 1.5
	m.Factors.Layouts = []host.Layout{{Nodes: []host.Node{{OthersBusy: &busy}}, Kinds: []host.NodeKind{{}}, Pinnings: [][]host.Pin{{}}}}
	should.Equal(t, analyzed(t, m, fixture.Measured(m, plainly...), judge.Default()).Between, Between{judge.BetweenBusy, TauBusy})
	should.Hold(t, math.Abs(judge.AnotherCheck(.9, 1.1, .03)-.1645) < 1e-4, "%g", judge.AnotherCheck(.9, 1.1, .03))
	v := r.Verdicts[3]
	should.Hold(t, *v.AnotherLo95 < *v.RatioLo95 && *v.RatioHi95 < *v.AnotherHi95, "%+v", v)
}

// Half of the level is 2^-8, which eight pairs just reach, whatever is asked beside.
func TestAnotherConditionIsJudgedAtHalfOfTheLevel(t *testing.T) {
	const level = 2.0 / 256
	for name, c := range map[string]struct {
		r, made int
		x       results.Comparison
		verdict bool // the test is violated in the check
		want    judge.Verdict
	}{
		"eight pairs":     {8, 8, gl8, true, judge.Violated},
		"seven":           {7, 7, gl8, true, ""},
		"one was lost":    {8, 7, gl8, true, ""},
		"not violated":    {8, 8, gl8, false, ""},
		"of another side": {8, 8, results.Comparison{Test: 3, Case: 1, Part: 2, Calls: 1}, true, ""},
	} {
		m := fixture.Manifest()
		m.Plan.Tests[3].Others = []int{3}
		asked := []results.Comparison{c.x, {Test: 5, Case: 1, Part: 5, Calls: 1}, {Test: 4, Case: 0, Part: 4, Calls: 1}}
		m.Planned(protocol.ModeAlternate, &results.FollowUps{R: c.r, Comparisons: asked})
		times := plainly
		if !c.verdict {
			times = fixture.Quiet
		}
		runs := append(fixture.Measured(m, times...), measuredAgain(m, protocol.ModeAlternate, c.made, 50000, 30000)...)
		for i := range runs[fixture.R:] {
			fixture.Add(&runs[fixture.R+i], m, 2, 1, fixture.Samples(30000))
		}
		cfg := judge.Default()
		cfg.Alpha, cfg.Test = level, judge.TestSignedRank
		v := analyzed(t, m, runs, cfg).Verdicts
		should.Hold(t, (v[3].Alternating == nil) == (c.want == "") && (c.want == "" ||
			v[3].Alternating.Verdict == c.want), "%s: %+v", name, v[3].Alternating)
		should.Hold(t, v[5].Alternating == nil, "%s: what was not measured", name)
	}
}

func TestTheScheduleOfAManifestIsItsLooks(t *testing.T) {
	m := fixture.WithLooks()
	m.LookWeights = m.LookWeights[1:]
	should.Equal(t, scheduleOf(m), judge.Once(30), "looks without weights are none")
	m = fixture.Manifest() // five tests pair in 10 of 16 mpiruns; what suspects splits needs none
	for range 4000 {
		m.Plan.Tests = append(m.Plan.Tests, m.Plan.Tests[1])
	}
	should.Equal(t, Usual(m, judge.Default()).Looks, []int{10, 16, 24})
}

func TestLooksAreSummedUpWithTheTimeThatTheySpent(t *testing.T) {
	m := fixture.WithLooks()
	cfg := judge.Default()
	cfg.Alpha = .01 // 2^-10 > .01/5/8
	a := must.Get(begin(m, medians.New(m), cfg))(t)
	a.set.Took = map[string]map[int]medians.Took{"p2": {}, "p4": {11: {WallNS: 5e9}}, "p8": {10: {WallNS: 1e9}}}
	for run := 1; run <= 12; run++ {
		a.set.Took["p2"][run] = medians.Took{WallNS: 1e9 * int64(run)}
	}
	s := a.looksSummary()
	// The 12 mpiruns took 78 s, the first 10 of them 55 s: R = 30 would take 5.5 s each.
	// Of p8 one mpirun of a second was made.
	should.Hold(t, s.SpentS == 84 && s.FullS == 195, "%v s of %v", s.SpentS, s.FullS)
	should.Equal(t, s.Screens, []int{10})
}

func TestOnlyWhatMoreMpirunsCouldDecideIsNeeded(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(runs []results.Run)
		want  bool // GL8 at 8 B is needed
	}{
		"undecided": {func([]results.Run) {}, true},
		"wrong":     {func(runs []results.Run) { runs[0].Cases[2].Status = protocol.StatusWrong }, false},
		"dropped": {func(runs []results.Run) {
			for n := 10; n < 20; n++ {
				runs[n] = without(runs[n], map[int]bool{1: true, 3: true})
			}
		}, false},
		"its other side has no median": {func(runs []results.Run) {
			for k := range runs[4].Samples[2] {
				runs[4].Samples[2][k].Flags = protocol.FlagLate
			}
		}, false},
	} {
		m := fixture.WithLooks()
		runs := noisy(m, 2, 10000, 50000, 9400, 30000, 20000, 25000)[:20]
		c.spoil(runs)
		needed := must.Get(Look(m, fixture.Collected(t, medians.New(m), runs), judge.Default(), 20))(t).Needed
		should.Equal(t, needed[0] && needed[2], c.want, "%s: %v", name, needed)
	}
	m := fixture.WithLooks()
	later := noisy(m, 2, 10000, 50000, 9400, 30000, 20000, 25000)[:25]
	later[24].Cases[2].Status = protocol.StatusWrong
	needed := must.Get(Look(m, fixture.Collected(t, medians.New(m), later), judge.Default(), 20))(t).Needed
	should.Hold(t, !needed[2], "wrong in a later mpirun: %v", needed)
	set := fixture.Collected(t, medians.New(m), noisy(m, 2, 10000, 50000, 9400, 30000, 20000, 25000))
	_, err := Look(m, set, judge.Config{}, 10)
	should.Hold(t, err != nil, "a level of 0")
	clear(set.Cases[1].Medians)
	_, err = Look(m, set, judge.Default(), 10)
	should.Hold(t, err != nil, "times of 0")
}

func TestAPayoffIsOfARequestAgainstCalls(t *testing.T) {
	for name, c := range map[string]struct {
		function, mockup string
		beside           guidelines.Case // another call of the same collective
		want             bool
	}{
		"one use, and a call": {"MPI_Scan", "MPI_Scan_init/1", guidelines.Case{Function: "MPI_Scan_init",
			Msize: 8, Shape: fixture.P2}, true},
		"of another size": {"MPI_Scan", "MPI_Scan_init/1", guidelines.Case{Function: "MPI_Scan_init",
			Msize: 16, Shape: fixture.P2}, false},
		"on another shape": {"MPI_Scan", "MPI_Scan_init/1", guidelines.Case{Function: "MPI_Scan_init",
			Msize: 8, Shape: guidelines.Shape{NP: 4}}, false},
		"one use, and ten calls": {"MPI_Iscan/10", "MPI_Scan_init/1", guidelines.Case{Function: "MPI_Scan_init",
			Msize: 8, Shape: fixture.P2}, false},
		"a call, and ten calls": {"MPI_Scan", "MPI_Iscan/10", guidelines.Case{Function: "MPI_Scan_init/1", Msize: 8,
			Shape: fixture.P2}, false},
		"ten uses, and another call": {"MPI_Scan_init/10", "MPI_Iscan", guidelines.Case{Function: "MPI_Scan_init/1",
			Msize: 8, Shape: fixture.P2}, false},
		"two calls": {"MPI_Scan", "scan_as_exscan+reduce_local",
			guidelines.Case{Function: "MPI_Scan_init", Msize: 8, Shape: fixture.P2}, false},
	} {
		m := fixture.Empty(fixture.R)
		call, other := fixture.Case(m, c.function, fixture.P2, 8), fixture.Case(m, c.mockup, fixture.P2, 8)
		m.Plan.Cases = append(m.Plan.Cases, c.beside, guidelines.Case{Function: "MPI_Iscan", Msize: 8, Shape: fixture.P2})
		m.Plan.Tests = []guidelines.Test{{Guideline: "NB3", Type: guidelines.Pattern, Function: c.function,
			Mockup: c.mockup, Msize: 8, Shape: fixture.P2, Case: call, Others: []int{other}}}
		a := must.Get(begin(m, medians.New(m), judge.Default()))(t)
		for i, k := range a.set.Cases {
			for r := range k.Medians {
				a.set.Cases[i].Medians[r] = 1000
			}
		}
		for _, v := range []Verdict{{OtherMedianS: Number(2)}, {MedianS: Number(2)}, {MedianS: Number(2),
			OtherMedianS: Number(2)}} {
			a.verdicts[0] = v
			a.payoffs()
			want := c.want && v.MedianS != nil && v.OtherMedianS != nil
			should.Equal(t, a.verdicts[0].Payoff != nil, want, "%s: %v, %v", name, v.MedianS != nil,
				v.OtherMedianS != nil)
		}
	}
	less := payoff(uses{2, 11}, uses{3, 12})
	should.Hold(t, less.GainS == 0 && less.InitS == -1 && less.From == nil && !less.Never, "a use saves nothing: %+v",
		less)
	same := payoff(uses{3, 12}, uses{3, 12})
	should.Hold(t, same.From == nil && !same.Never, "both alike: %+v", same)
	late := payoff(uses{math.MaxInt32 - 1, math.MaxInt32 + 8}, uses{0, 18})
	should.Hold(t, late.From != nil && *late.From == math.MaxInt32, "%+v", late)
}

func TestAnExplanationIsOfBothSidesOfItsVerdict(t *testing.T) {
	m, runs := twoParts(3000, 8000)
	a := must.Get(Analyze(m, runs, judge.Default()))(t)
	read := func(run int) (*results.Run, error) {
		if run == 3 {
			return nil, nil
		}
		return &runs[run-1], nil
	}
	explain := func(i int) *Explanation { return must.Get(a.Explain(i, read))(t) }
	split := explain(1)
	must.Hold(t, split.Verdict.Verdict == judge.Violated && split.Other != nil && split.Test != nil, "%+v",
		split.Verdict)
	should.Hold(t, split.Call.Calls == 1 && split.Other.Calls == 8 && split.Other.Msize == 8 &&
		split.Test.Difference > 40000, "%+v, %+v", split.Other, split.Test)
	should.Hold(t, split.LimitS != nil && math.Abs(*split.LimitS-1.05*8*(*split.Verdict.OtherMedianS)) < 1e-12, "%v",
		Or(split.LimitS, 0))
	should.Equal(t, len(split.Call.Runs), fixture.R-1, "one mpirun has no file")
	gl8 := explain(3)
	should.Hold(t, gl8.Other.Calls == 1 && gl8.Test != nil, "%+v", gl8)
	a.verdicts[1].K, a.verdicts[1].PValue = 0, nil
	none := explain(1)
	should.Hold(t, none.Other == nil && none.Test == nil, "no part was found: %+v", none)
	a.verdicts[1].K, a.verdicts[1].MsizeOther = 1, 16
	should.Equal(t, explain(1).Other.Msize, 16)
	a.verdicts[3].Runs = 2
	should.Equal(t, len(explain(3).Call.Runs), 2, "as many mpiruns as the verdict rests on")
	a.verdicts[1].PValue, a.verdicts[1].Runs = Number(.5), 2
	should.Equal(t, len(explain(1).Call.Runs), fixture.R-1, "of a split, as many as the check has")
}

func TestAnAnswerIsFoundByItsTest(t *testing.T) {
	x := FollowedUp{Answers: []Answered{{Comparison: results.Comparison{Test: 3}}, {Comparison: results.Comparison{Test: 5}}}}
	should.Equal(t, []int{x.at(3), x.at(5), x.at(4)}, []int{0, 1, -1}, "")
}
