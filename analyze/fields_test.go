package analyze

import (
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/fixture"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
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
	should.Equal(t, r.Verdicts[2].Reason, "only 10 of 30 mpiruns were made")
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
			m.Alternate = plan
		} else {
			plan.Malloc, m.Malloc = "fresh", plan
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
		should.Equal(t, v.OnlyRepeated(), mode == protocol.ModeAlternate, "%s", mode)
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
	runs[0].Cases[1].Status, runs[0].Cases[1].Message = protocol.StatusWrong, "block 1 differs"
	v = must.Get(Analyze(m, runs, judge.Default()))(t).Report.Verdicts[0]
	should.Hold(t, v.Verdict == judge.Wrong && v.Ratio == nil, "%+v", v)
}
