package overlap

import (
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/feature/overlap/work"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// overlapRun has a call of 1000 ns, of which 900 ns are left in the wait without tests, and
// with two tests 100 ns, or 400 ns in every third mpirun; tests in a row find it done late.
func overlapRun(run int) *results.Run { return overlapRunDone(run, 1500+float64(run)) }

// overlapRunDone is the same, where tests in a row find the call done after so long, ns.
func overlapRunDone(run int, done float64) *results.Run {
	r := &results.Run{Header: results.Header{Mode: protocol.Mode(work.Work.Name), Run: run, Shape: fixture.Manifest().Plan.Shapes[0]}}
	side := func(tests int64, post, in, wait float64) work.Side {
		all := post + in + wait
		return work.Side{Interval: 4096 * min(tests, 1), Tests: tests, N: 20, PostNS: post, TestsNS: in, WaitNS: wait, OverheadNS: all, OverallNS: 1000 + all, ExcessNS: all}
	}
	o := &work.Answer{BlockingNS: 1000, ComputeNS: 1000, Search: []work.Try{{OverheadNS: 950}, {Tests: 2, OverheadNS: 100}},
		None: side(0, 50, 0, 900), Best: side(2, 50, 30, 20), DoneNS: done}
	if run%3 == 0 {
		o.Best = side(1, 50, 50, 300)
	}
	answer, _ := work.Work.Answer(o)
	r.Cases = []results.CaseInfo{{Plan: 1, CaseResult: protocol.CaseResult{Status: protocol.StatusOK, NRep: 20, Answer: answer}}}
	r.Samples = [][]protocol.Sample{nil}
	return r
}

func overlapRuns(n int) (runs []*results.Run) {
	for run := n; run >= 1; run-- { // in no order
		runs = append(runs, overlapRun(run))
	}
	return runs
}

func TestOverlapIsTheMedianOverMpirunsOfWhatIsHidden(t *testing.T) {
	m := fixture.Manifest()
	o := must.Get(NewOverlap("folder", work.ByTime, m, overlapRuns(10), judge.Default()))(t)
	c := o.Cases[1]
	near := func(what string, got *float64, want float64) {
		t.Helper()
		should.Hold(t, got != nil && math.Abs(*got-want) <= 1e-12, "%s: %v, want %v", what, got, want)
	}
	must.Hold(t, c.R == 10 && c.Runs[0].Run == 1 && c.Reason == "" && c.Best.Tests == 2 && c.Best.Interval == 4096 && c.Best.Chosen == 7 && c.None.Chosen == 10,
		"%+v", c)
	near("T_b", c.Blocking.Median, 1000e-9)
	near("without tests", c.None.Overlap.Median, 0.05) // 1 − 950/1000
	near("with tests", c.Best.Overlap.Median, 0.9)     // 1 − 100/1000, in seven mpiruns of ten
	near("its least", c.Best.Overlap.Lo95, 0.6)        // 1 − 400/1000: the second value of ten, by the sign test
	near("its largest", c.Best.Overlap.Hi95, 0.9)
	near("post", c.Best.Post.Median, 50e-9)
	near("tests", c.Best.InTests.Median, 30e-9)
	near("overhead of T_b", c.Best.Share.Median, 0.1)
	near("overall", c.Best.Overall.Median, 1100e-9)
	near("done", c.Done.Median, 1505.5e-9)
	near("done, of T_b", c.Asked.Median, 1.5055)
	none, best := o.Median()
	near("median over the cases", none, 0.05)
	near("the same with tests", best, 0.9)
}

// Of numbers of tests that equally many mpiruns chose, the smallest is shown.
func TestFewerTestsAreShownWhereNoneIsChosenMore(t *testing.T) {
	o, err := NewOverlap("folder", work.ByTime, fixture.Manifest(), []*results.Run{overlapRun(3), overlapRun(4)}, judge.Default())
	should.Hold(t, err == nil && o.Cases[1].Best.Tests == 1 && o.Cases[1].Best.Chosen == 1, "%d tests, %v", o.Cases[1].Best.Tests, err)
}

func TestOverlapBeyondBothEndsIsShown(t *testing.T) {
	for _, c := range [][3]float64{{0, 10, 1}, {10, 10, 0}, {2.5, 10, .75}, {-3, 10, 1.3}, {12.5, 10, -.25}} {
		should.Equal(t, Overlapped(c[0], c[1]), c[2], "%v left of %v", c[0], c[1])
	}
}

// Wait takes 1.5 times as long as tests in a row, and what MPI takes is a tenth, in each of ten mpiruns.
func TestWaitThatTakesLongerThanTestsInARowViolatesNB5(t *testing.T) {
	var runs []*results.Run
	for run := 1; run <= 10; run++ {
		runs = append(runs, overlapRunDone(run, 1000/(1.5+float64(run)/1000)))
	}
	o, err := NewOverlap("folder", work.ByTime, fixture.Manifest(), runs, judge.Default())
	must.Do(t, err)
	c := o.Cases[1]
	should.Hold(t, c.NB5.Verdict == judge.Violated && c.NB5.PAdjusted != nil && c.NB5.Ratio != nil && *c.NB5.Ratio >= 1.5 && *c.NB5.Ratio <= 1.511, "NB5: %+v", c.NB5)
	should.Equal(t, c.NB7.Verdict, judge.Kept, "NB7: %+v", c.NB7)
	should.Hold(t, o.M == 2*len(o.Cases) && o.Exit == exitcode.Violated && o.Cases[0].NB5.Verdict == judge.NotMeasured,
		"m = %d, exit code %d; a case without mpiruns is %s", o.M, o.Exit, o.Cases[0].NB5.Verdict)
	o, err = NewOverlap("folder", work.ByTime, fixture.Manifest(), overlapRuns(2), judge.Default())
	should.Hold(t, err == nil && o.Refused != nil && o.Exit == exitcode.NoVerdict && o.Cases[1].NB5.Verdict == judge.Undecided, "two mpiruns: %+v, %v", o, err)
}

// Tests in a row take 1.5 times as long: nobody can put them in the place of Wait.
func TestTestsThatDelayACallAreNoViolation(t *testing.T) {
	o := must.Get(NewOverlap("folder", work.ByTime, fixture.Manifest(), overlapRuns(10), judge.Default()))(t)
	should.Hold(t, o.Cases[1].NB5.Verdict == judge.Kept && o.Exit == exitcode.OK, "NB5 is %s, exit code %d", o.Cases[1].NB5.Verdict, o.Exit)
}

func TestWrongDataOfAnOverlappedCallDoNotCount(t *testing.T) {
	runs := overlapRuns(10)
	runs[3].Cases[0].CaseResult = protocol.CaseResult{Status: protocol.StatusWrong, Message: "rank 1 has 3"}
	o := must.Get(NewOverlap("folder", work.ByTime, fixture.Manifest(), runs, judge.Default()))(t)
	c := o.Cases[1]
	should.Hold(t, c.R == 0 && c.Wrong && c.Reason == "rank 1 has 3" && c.NB7.Verdict == judge.Wrong && o.Exit == exitcode.Failed, "%+v, exit code %d", c, o.Exit)
	o = must.Get(NewOverlap("folder", work.ByTime, fixture.Manifest(), nil, judge.Default()))(t)
	should.Hold(t, o.NotJudged() != "" && o.Exit == exitcode.NoVerdict, "without mpiruns: %q, exit code %d", o.NotJudged(), o.Exit)
}

func TestProgressThreadsOfTheLibraryAreNamed(t *testing.T) {
	m := fixture.Manifest()
	m.Factors.Env = map[string]string{"MPICH_ASYNC_PROGRESS": "1", "OMPI_MCA_pml": "ob1"}
	m.Factors.Layouts = []host.Layout{{Kinds: []host.NodeKind{{Env: map[string]string{"MPIR_CVAR_ASYNC_PROGRESS": "1"}}}}}
	o, err := NewOverlap("folder", work.ByTime, m, overlapRuns(1), judge.Default())
	should.Hold(t, err == nil && len(o.Progress) == 2 && o.Progress["MPICH_ASYNC_PROGRESS"] == "1" && o.Progress["MPIR_CVAR_ASYNC_PROGRESS"] == "1", "%v, %v", o, err)
}
