package analyze

import (
	"math"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestNumbersThatJSONLacksAreNull(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		should.Hold(t, Number(x) == nil && Or(Number(x), 7) == 7, "%v", x)
	}
	should.Hold(t, *Number(0) == 0 && Or(Number(2), 7) == 2, "a number")
	should.Hold(t, math.Abs(*Seconds(2.5e9)-2.5) < 1e-15, "nanoseconds")
}

// The fixture's mpiruns each take a nanosecond longer, in all cases: their medians correlate with 1.
func TestAVerdictHasWhatItsTestComputed(t *testing.T) {
	m := fixture.Manifest()
	r := analyzed(t, m, fixture.Measured(m, plainly...), judge.Default())
	violated, kept := r.Verdicts[3], r.Verdicts[5]
	should.Hold(t, violated.Replication != nil && *violated.Replication > .9 && violated.Firm, "%+v", violated)
	should.Hold(t, kept.Replication == nil && !kept.Firm && kept.PKept != nil, "%+v", kept)
	should.Hold(t, violated.Datatype == "byte" && violated.Op == "bor", "%q, %q", violated.Datatype, violated.Op)
	should.Hold(t, r.Rho != nil && *r.Rho > .999 && r.TiedTests == 0 && r.ZeroDifferences == 0, "rho %v, %d ties, %d zeros", Or(r.Rho, -1), r.TiedTests, r.ZeroDifferences)
	same := fixture.Measured(m, 10000, 30000, 20000, 30000, 20000, 60000) // GL8 at 64 B: both sides alike in every mpirun
	r = analyzed(t, m, same, judge.Default())
	should.Hold(t, r.TiedTests == 1 && r.ZeroDifferences == fixture.R, "%d ties, %d zeros", r.TiedTests, r.ZeroDifferences)
	unpaired := judge.Default()
	unpaired.Test = judge.TestRankSum
	r = analyzed(t, m, same, unpaired)
	should.Hold(t, r.TiedTests == 1 && r.ZeroDifferences == 0, "the rank sum drops none: %d ties, %d zeros", r.TiedTests, r.ZeroDifferences)
}

func TestATestThatLacksMpirunsSaysWhy(t *testing.T) {
	m := fixture.WithLooks()
	runs := noisy(m, 2, 10000, 30000, 9400, 30000, 20000, 40000)
	r := analyzed(t, m, runs[:14], judge.Default())
	should.Equal(t, r.Verdicts[2].Reason, "only 14 of 30 mpiruns were made")
	for n := 10; n < 20; n++ {
		runs[n] = without(runs[n], map[int]bool{1: true, 3: true})
	}
	r = analyzed(t, m, runs[:20], judge.Default())
	should.Equal(t, r.Verdicts[2].Reason, "not measured beyond 10 mpiruns: other [analyze] settings had decided it")
	must.Hold(t, r.Verdicts[2].MedianS != nil, "a median of the mpiruns that there are")
	m = fixture.Manifest()
	r = analyzed(t, m, noisy(m, 2, 10000, 30000, 9400, 30000, 20000, 40000), judge.Default())
	v := r.Verdicts[2]
	should.Hold(t, v.Verdict == judge.Undecided && v.Reason == "" && r.RunsNeededHalf != nil && v.RunsNeeded != nil, "%+v, %+v", v, r.RunsNeededHalf)
	m.R = 3
	v = analyzed(t, m, fixture.Measured(m, plainly...), judge.Default()).Verdicts[3]
	should.Hold(t, v.Stars == "" && v.Reason == "R is too small for the level", "%+v", v)
	m = fixture.Manifest()
	v = analyzed(t, m, fixture.Measured(m, plainly...)[:4], judge.Default()).Verdicts[3]
	should.Hold(t, v.Runs == 0 && v.MedianS != nil && math.Abs(*v.MedianS-50e-6) < 1e-8, "no look had enough: %+v", v)
}

func TestManifestsWithMoreMpirunsThanThereCanBeAreRefused(t *testing.T) {
	m := fixture.Manifest()
	m.R = results.MaxMPIRuns
	should.Do(t, CheckManifest(m))
	m.R++
	should.Fail(t, CheckManifest(m), "mpiruns are more than")
}

func TestAViolationIsMeasuredAgainUnderAnotherCondition(t *testing.T) {
	for _, mode := range []protocol.Mode{protocol.ModeAlternate, protocol.ModeMalloc} {
		m := fixture.Manifest()
		runs := fixture.Measured(m, plainly...)
		a := must.Get(Analyze(m, runs, judge.Default()))(t)
		plan := a.Alternate()
		must.Hold(t, plan != nil && len(plan.Comparisons) == 1 && plan.Comparisons[0].Test == 3, "%+v", plan)
		if mode == protocol.ModeAlternate {
			m.Planned(protocol.ModeAlternate, plan)
		} else {
			plan.Malloc = "fresh"
			m.Planned(protocol.ModeMalloc, plan)
		}
		for n := 1; n <= plan.R; n++ {
			run := results.Run{Header: results.Header{Mode: mode, Shape: fixture.P2, Run: n}}
			fixture.Add(&run, m, 1, 1, fixture.Samples(30000+int64(n)))
			fixture.Add(&run, m, 3, 1, fixture.Samples(30000+int64(n)))
			runs = append(runs, run)
		}
		v := analyzed(t, m, runs, judge.Default()).Verdicts[3]
		got, other := v.Alternating, v.OtherMalloc
		if mode == protocol.ModeMalloc {
			got, other = other, got
		}
		must.Hold(t, got != nil && other == nil, "%s: %+v", mode, v)
		should.Hold(t, got.Verdict == judge.Kept && got.Mpiruns == plan.R && got.Malloc == plan.Malloc, "%s: %+v", mode, got)
		want := map[protocol.Mode]Standing{protocol.ModeAlternate: GoneInTurns, protocol.ModeMalloc: OneMalloc}[mode]
		should.Hold(t, v.Standing == want && !v.Firm, "%s: %s, sure %v", mode, v.Standing, v.Firm)
	}
}

func TestSplitRobustnessIsOfTheSmallerSizesThatWereMeasured(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000)
	v := analyzed(t, m, runs, judge.Default()).Verdicts[1]
	should.Hold(t, v.MedianS != nil && v.OtherMedianS != nil && *v.MedianS > 45e-6 && *v.OtherMedianS < 2e-6, "%+v", v)
	for i := range runs {
		runs[i].Cases[0].Status = protocol.StatusNotMeasured
	}
	v = analyzed(t, m, runs, judge.Default()).Verdicts[1]
	should.Hold(t, v.Verdict == judge.NotMeasured && v.Reason == "no smaller size was measured", "%+v", v)
	m = fixture.Manifest()
	m.Plan.Cases[0].Msize = 0 // nothing is split into parts of nothing
	m.Plan.Tests = m.Plan.Tests[1:2]
	v = analyzed(t, m, fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000), judge.Default()).Verdicts[0]
	should.Equal(t, v.Verdict, judge.NotMeasured)
}

// What a baseline violates is followed up although this check does not suspect it.
func TestWhatWasViolatedBeforeIsFollowedUp(t *testing.T) {
	m := fixture.Manifest()
	quiet := fixture.Collected(t, medians.New(m), fixture.Measured(m, 10000, 50000, 6e4, 6e4, 6e4, 6e4))
	for size, want := range map[int64]bool{8: true, 16: false, 0: false} { // 16 B are not in the plan
		plan := must.Get(PlanSplit(m, quiet, judge.Default(), func(*Verdict) int64 { return size }))(t)
		should.Equal(t, plan != nil, want, "%d B", size)
	}
	should.Hold(t, must.Get(PlanSplit(m, quiet, judge.Default(), nil))(t) == nil, "without a baseline")
	_, err := PlanSplit(m, quiet, judge.Config{Method: judge.MethodDefault}, nil)
	should.Hold(t, err != nil, "a level of 0")
	suspicious := fixture.Collected(t, medians.New(m), fixture.Measured(m, 1000, 50000, 6e4, 6e4, 6e4, 6e4))
	asked := func(*Verdict) int64 { t.Error("a suspicion needs no baseline"); return 0 }
	should.Hold(t, must.Get(PlanSplit(m, suspicious, judge.Default(), asked))(t) != nil, "suspected")
}

func TestADesignIsThatOfTheCheck(t *testing.T) {
	m := fixture.Manifest()
	d := must.Get(Design(m, judge.Default()))(t)
	should.Hold(t, d != nil && d.M == 5 && d.R() == fixture.R, "%+v", d)
	_, err := Design(m, judge.Config{})
	should.Fail(t, err, "analyze: ")
	_, err = Analyze(m, fixture.Measured(m, plainly...), judge.Config{})
	should.Fail(t, err, "analyze: ")
}

// 101 samples between 5950 and 6050 ns beside two sums of such; a normal interval has 1.96 of their spread.
func TestWhatWasSeenOnceHasMediansAndAnInterval(t *testing.T) {
	m, runs := importedRun(2000, 1000, 6000)
	a := must.Get(Analyze(m, runs, judge.Default()))(t)
	v := a.Report.Verdicts[0]
	should.Hold(t, math.Abs(*v.MedianS-6e-6) < 1e-9 && math.Abs(*v.OtherMedianS-3e-6) < 1e-9, "%v and %v", *v.MedianS, *v.OtherMedianS)
	orig, other := a.sides(0)
	half := 1.959964 * math.Hypot(orig.Spread(), other.Spread())
	should.Hold(t, math.Abs(math.Log(*v.RatioHi95/(*v.Ratio))-half) < 1e-4*half && len(a.decided) == 1, "%v of %v", *v.RatioHi95, *v.Ratio)
	late := runs[0].Samples[0]
	runs[0].Samples[0] = nil
	for _, s := range late {
		runs[0].Samples[0] = append(runs[0].Samples[0], protocol.Sample{NS: s.NS, Flags: protocol.FlagLate})
	}
	v = must.Get(Analyze(m, runs, judge.Default()))(t).Report.Verdicts[0]
	should.Hold(t, v.Verdict == judge.Undecided && v.Ratio == nil && strings.HasPrefix(v.Reason, "MPI_Allreduce: "), "%s, %q", v.Verdict, v.Reason)
	runs[0].Samples[0] = late
	runs[0].Cases[1].Status, runs[0].Cases[1].Message = protocol.StatusWrong, "block 1 differs"
	v = must.Get(Analyze(m, runs, judge.Default()))(t).Report.Verdicts[0]
	should.Hold(t, v.Verdict == judge.Wrong && v.Ratio == nil, "%+v", v)
}

func TestWhatACallCouldTakeIsItsMedianOverTheRatio(t *testing.T) {
	for name, c := range map[string]struct {
		median, ratio, other *float64
		k                    int
		want                 *float64
	}{
		"over the ratio":       {Number(6), Number(2), Number(5), 0, Number(3)},
		"no median":            {nil, Number(2), Number(5), 0, Number(5)},
		"no ratio":             {Number(6), nil, Number(5), 0, Number(5)},
		"a ratio of 0":         {Number(6), Number(0), Number(5), 0, Number(5)},
		"a ratio below 1":      {Number(6), Number(.5), Number(5), 0, Number(12)},
		"k calls":              {nil, nil, Number(5), 4, Number(20)},
		"nothing was measured": {nil, nil, nil, 4, nil},
	} {
		v := &Verdict{MedianS: c.median, OtherMedianS: c.other, K: c.k, Tested: Tested{Effect: Effect{Ratio: c.ratio}}}
		should.Equal(t, v.PossibleS(), c.want, name)
	}
}

func TestColumnsHaveTheirOrderAndTheirValues(t *testing.T) {
	columns := []Column{{Name: "c"}, {Name: "x"}, {Name: "a"}, {Name: "y"}, {Name: "b"}}
	var got string
	for _, c := range InOrder([]string{"a", "b", "c"}, columns) {
		got += c.Name
	}
	should.Equal(t, got, "abcxy")
	should.Equal(t, columns[0].Name, "c", "the list itself is as before")
	value := func(name string, v *Verdict) any {
		for _, c := range Columns {
			if c.Name == name {
				return c.Value(v)
			}
		}
		t.Errorf("no column %q", name)
		return nil
	}
	v := &Verdict{Guideline: "GL8", MedianS: Number(2), Alternative: &Alternative{Function: "fast", Calls: 1}}
	for name, want := range map[string]any{
		"guideline": "GL8", "median_s": 2.0, "other_median_s": nil, "k": nil, "np": 0, "alternative": "fast", "alternative_calls": 1,
		"state": nil, "runs_needed": nil, "mpiruns": 0, "ratio": nil,
	} {
		should.Equal(t, value(name, v), want, name)
	}
	v.K, v.Gated = 8, &Gated{State: New}
	should.Hold(t, value("k", v) == 8 && value("state", v) == New, "%v, %v", value("k", v), value("state", v))
	v.RunsNeeded = &judge.RunsNeeded{}
	should.Equal(t, value("runs_needed", v), nil, "no number of mpiruns")
	v.RunsNeeded.R = 30
	should.Equal(t, value("runs_needed", v), any(30))
}

// The other side's page faults belong to the size that a verdict compares with.
func TestFaultsAreOfBothSidesOfTheVerdict(t *testing.T) {
	m := fixture.Manifest()
	m.Plan.Tests[1].Others = []int{fixture.Case(m, "MPI_Reduce", fixture.P2, 16), 0}
	runs := fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000, 20000)
	faults := []int64{1, 2, 3, 4, 5, 6, 7}
	for i := range runs {
		for k := range runs[i].Cases {
			runs[i].Cases[k].Usage = &protocol.Usage{Faults: faults[runs[i].Cases[k].Plan] * int64(runs[i].Cases[k].NRep)}
		}
	}
	r := analyzed(t, m, runs, judge.Default())
	for i, want := range map[int][2]float64{0: {1, 2}, 1: {2, 1}, 2: {1, 3}, 3: {2, 4}, 4: {1, 5}, 5: {2, 6}} {
		v := r.Verdicts[i]
		should.Hold(t, Or(v.PageFaults, -1) == want[0] && Or(v.OtherPageFaults, -1) == want[1], "test %d, %s against %d B: %v and %v",
			i, v.Verdict, v.MsizeOther, Or(v.PageFaults, -1), Or(v.OtherPageFaults, -1))
	}
	for i := range runs {
		runs[i].Cases[1].Status = protocol.StatusWrong
	}
	v := analyzed(t, m, runs, judge.Default()).Verdicts[1]
	should.Hold(t, v.K == 0 && v.OtherPageFaults == nil, "no part was compared: %+v", v)
}

func TestAnExperimentThatLacksDataSaysWhy(t *testing.T) {
	m, runs := twoParts(20000, 90000)
	v := analyzed(t, m, runs[:len(runs)-1], judge.Default()).Verdicts[1]
	should.Hold(t, v.Verdict == judge.Suspected && len(v.Reason) > len("its experiment: ") && v.Reason[:16] == "its experiment: ", "%q", v.Reason)
	m, runs = twoParts(3000, 90000)
	v = analyzed(t, m, runs, judge.Default()).Verdicts[1]
	should.Hold(t, math.Abs(*v.OtherMedianS-3e-6) < 1e-7 && math.Abs(*v.Ratio-50/12.) < .1, "the other suspicion: %+v", v)
	m.FollowUps[protocol.ModeSplit].Comparisons = []results.Comparison{}
	r := analyzed(t, m, runs[:fixture.R], judge.Default())
	should.Hold(t, r.Split == nil && r.Verdicts[1].Verdict == judge.Suspected, "nothing was planned: %+v", r.Split)
}

func TestOfEqualSuspicionsTheFirstIsReported(t *testing.T) {
	m := fixture.Manifest()
	at16, at32 := fixture.Case(m, "MPI_Reduce", fixture.P2, 16), fixture.Case(m, "MPI_Reduce", fixture.P2, 32)
	m.Plan.Tests[1].Others = []int{0, at16, at32}
	runs := fixture.Runs(m, func(plan, _ int) []protocol.Sample {
		ns := []int64{1000, 50000, 60000, 60000, 60000, 60000, 2000, 20000}[plan]
		return fixture.Samples(ns, ns, ns, ns)
	})
	a := must.Get(begin(m, fixture.Collected(t, medians.New(m), runs), judge.Default()))(t)
	a.judgeSplit()
	should.Equal(t, a.verdicts[1].MsizeOther, int64(8), "8·1 and 4·2 µs")
	rest, ok := a.untested(results.Comparison{Test: 1, Case: 1, Part: at32, Calls: 2})
	should.Hold(t, ok && rest.part == 0, "%+v", rest)
	rest, ok = a.untested(results.Comparison{Test: 1, Case: 1, Part: 0, Calls: 8})
	should.Hold(t, ok && rest.part == at16, "50/(4·2) is more than 50/(2·20): %+v", rest)
	m.Plan.Tests[1].Others = []int{at32, at16, 0} // the weakest first
	rest, ok = a.untested(results.Comparison{Test: 1, Case: 1, Part: 0, Calls: 8})
	should.Hold(t, ok && rest.part == at16, "in any order: %+v", rest)
	m.R = 2
	refused := fixture.Collected(t, medians.New(m), runs[:2])
	should.Hold(t, must.Get(PlanSplit(m, refused, judge.Default(), nil))(t) == nil, "two mpiruns are too few to follow up")
}
