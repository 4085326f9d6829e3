package analyze

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

// plainly is a violation of GL8 at 64 B alone: test 3, case 1 against case 3.
var plainly = []int64{10000, 50000, 20000, 30000, 20000, 60000}

func TestTheWorstStatusOfBothSidesDecides(t *testing.T) {
	for _, c := range []struct {
		call, other protocol.Status
		want        judge.Verdict
	}{
		{protocol.StatusUnavailable, protocol.StatusWrong, judge.Wrong},
		{protocol.StatusWrong, protocol.StatusUnavailable, judge.Wrong},
		{protocol.StatusNotMeasured, protocol.StatusUnavailable, judge.NotMeasured},
		{protocol.StatusOK, protocol.StatusNotMeasured, judge.NotMeasured},
		{protocol.StatusOK, protocol.StatusOK, judge.Violated},
	} {
		m := fixture.Manifest()
		runs := fixture.Measured(m, plainly...)
		for i := range runs {
			runs[i].Cases[1].Status, runs[i].Cases[1].Message = c.call, string(c.call)
			runs[i].Cases[3].Status, runs[i].Cases[3].Message = c.other, string(c.other)
		}
		v := analyzed(t, m, runs, judge.Default()).Verdicts[3]
		should.Equal(t, v.Verdict, c.want, "%s against %s", c.call, c.other)
		if c.want == judge.Wrong {
			should.Hold(t, strings.HasSuffix(v.Reason, ": wrong"), "%q", v.Reason)
		}
	}
}

// 1.4 µs beside 1.0 µs: a request may take a share of the blocking call and a time in addition.
func TestARequestMayTakeItsShareAndItsAllowance(t *testing.T) {
	for _, c := range []struct {
		tolerance float64
		allowance time.Duration
		tolerant  bool
		want      judge.Verdict
	}{
		{0, 500 * time.Nanosecond, true, judge.Kept},
		{.5, 0, true, judge.Kept},
		{.1, 350 * time.Nanosecond, true, judge.Kept},
		{0, 100 * time.Nanosecond, true, judge.Violated},
		{.1, 0, true, judge.Violated},
		{.5, 500 * time.Nanosecond, false, judge.Violated},
	} {
		m := fixture.Manifest()
		m.Plan.Tests[3].Tolerant = c.tolerant
		cfg := judge.Default()
		cfg.NBTolerance, cfg.NBAllowance = c.tolerance, conf.Duration(c.allowance)
		v := analyzed(t, m, fixture.Measured(m, 1000, 1400, 1200, 1000, 1200, 2000), cfg).Verdicts[3]
		should.Equal(t, v.Verdict, c.want, "%+v", c)
	}
}

func TestASlowdownIsSeenOnceIfItsIntervalIsBeyond1(t *testing.T) {
	for name, c := range map[string]struct {
		allreduce, spread int64 // beside 3000 ns
		statistic         results.Statistic
		least             float64 // the minimum slowdown
		want              judge.Verdict
	}{
		"at the minimum slowdown":     {6000, 1, results.Samples, 2, judge.SeenOnce},
		"just below":                  {5990, 1, results.Samples, 2, judge.Undecided},
		"the interval is beyond 1":    {3300, 1, results.Samples, 1.05, judge.SeenOnce},
		"the interval holds 1":        {3300, 1500, results.Samples, 1.05, judge.Undecided},
		"the interval begins at 1":    {3000, 0, results.Samples, 1, judge.Undecided},
		"means, without any interval": {6000, 0, results.Mean, 2, judge.SeenOnce},
	} {
		m, runs := importedRun(2000, 1000, c.allreduce)
		m.Imported.Statistic = c.statistic
		for i, ns := range []int64{c.allreduce, 1000, 2000} {
			for k := range runs[0].Samples[i] {
				runs[0].Samples[i][k].NS = ns + c.spread*(int64(k)-50)*ns/50/3000
			}
			if c.statistic == results.Mean {
				runs[0].Samples[i] = runs[0].Samples[i][:1]
				runs[0].Cases[i].NRep = 1
			}
		}
		cfg := judge.Default()
		cfg.MinSlowdown = c.least
		v := must.Get(Analyze(m, runs, cfg))(t).Report.Verdicts[0]
		should.Hold(t, v.Verdict == c.want, "%s: %s, %v of %v", name, v.Verdict, Or(v.Ratio, -1), Or(v.RatioLo95, -1))
	}
}

// twoParts suspects 50 µs at 64 B against eight calls at 8 B and against four at 16 B, and has tested the former.
func twoParts(at16, eightCalls int64) (*results.Manifest, []results.Run) {
	m := fixture.Manifest()
	m.Plan.Tests[1].Others = []int{0, fixture.Case(m, "MPI_Reduce", fixture.P2, 16)}
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: fixture.R, Comparisons: []results.Comparison{{Test: 1, Case: 1, Part: 0, Calls: 8}}})
	runs := fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000, at16)
	return m, append(runs, followed(m, 50000, eightCalls)...)
}

func TestASuspicionIsGoneOnlyIfNoOtherIsLeftUntested(t *testing.T) {
	for name, c := range map[string]struct {
		at16, eightCalls int64
		want             judge.Verdict
		other            int64
	}{
		"kept, and the other part is suspected as well": {3000, 90000, judge.Suspected, 16},
		"kept, and the other part is not suspected":     {20000, 90000, judge.Kept, 8},
		"violated, whatever the other part says":        {2000, 8000, judge.Violated, 8},
	} {
		m, runs := twoParts(c.at16, c.eightCalls)
		v := analyzed(t, m, runs, judge.Default()).Verdicts[1]
		should.Hold(t, v.Verdict == c.want && v.MsizeOther == c.other, "%s: %s against %d B", name, v.Verdict, v.MsizeOther)
		if c.want == judge.Suspected {
			should.Hold(t, v.K == 4 && strings.HasPrefix(v.Reason, "kept against 8 calls of 8 B"), "%s: %d calls, %q", name, v.K, v.Reason)
		}
	}
}

// The strongest of those that were not followed up: 64 B against 16 B and against 32 B.
func TestTheStrongestSuspicionIsLeft(t *testing.T) {
	m, _ := twoParts(2000, 90000)
	m.Plan.Tests[1].Others = append(m.Plan.Tests[1].Others, fixture.Case(m, "MPI_Reduce", fixture.P2, 32))
	a := must.Get(begin(m, fixture.Collected(t, medians.New(m), fixture.Measured(m, 1000, 50000, 6e4, 6e4, 6e4, 6e4, 2000, 5000)), judge.Default()))(t)
	rest, ok := a.untested(m.FollowUps[protocol.ModeSplit].Comparisons[0])
	should.Hold(t, ok && rest.part == 6 && rest.calls == 4, "%+v", rest) // 50/(4·2) against 50/(2·5)
	rest, ok = a.untested(results.Comparison{Test: 1, Case: 1, Part: 6, Calls: 4})
	should.Hold(t, ok && rest.part == 0 && rest.calls == 8, "%+v", rest) // 50/(8·1) is more, too
}

func TestOnlyWhatCouldBeCalledInsteadIsAnAlternative(t *testing.T) {
	µs := func(x float64) *float64 { return &x }
	finding := Verdict{Type: guidelines.Monotony, Function: "MPI_Bcast", Msize: 8, MsizeOther: 64, Shape: "p2", Verdict: judge.Violated, OtherMedianS: µs(5)}
	mockup := Verdict{Type: guidelines.Pattern, Function: "MPI_Bcast", Mockup: "fast", Msize: 8, Shape: "p2", Verdict: judge.Kept, OtherMedianS: µs(3)}
	for name, c := range map[string]struct {
		change func(finding, mockup *Verdict)
		want   string
		size   int64
	}{
		"a mock-up that is faster":        {func(_, _ *Verdict) {}, "fast", 8},
		"a mock-up that is slower":        {func(_, m *Verdict) { m.OtherMedianS = µs(6) }, "MPI_Bcast", 64},
		"a mock-up that is as fast":       {func(_, m *Verdict) { m.OtherMedianS = µs(5) }, "fast", 8},
		"what a tolerant test grants":     {func(_, m *Verdict) { m.Tolerant = true }, "MPI_Bcast", 64},
		"a mock-up that was not measured": {func(_, m *Verdict) { m.OtherMedianS = nil }, "MPI_Bcast", 64},
		"no mock-up":                      {func(_, m *Verdict) { m.Type = guidelines.Monotony }, "MPI_Bcast", 64},
		"suspected":                       {func(f, _ *Verdict) { f.Verdict = judge.Suspected }, "fast", 8},
		"seen once":                       {func(f, _ *Verdict) { f.Verdict = judge.SeenOnce }, "fast", 8},
		"kept":                            {func(f, _ *Verdict) { f.Verdict = judge.Kept }, "", 0},
		"several calls are slower":        {func(f, _ *Verdict) { f.Type, f.K, f.OtherMedianS = guidelines.Split, 4, µs(1) }, "fast", 8},
		"several calls are faster":        {func(f, _ *Verdict) { f.Type, f.K, f.OtherMedianS = guidelines.Split, 4, µs(.7) }, "MPI_Bcast", 64},
		"the other size was not measured": {func(f, _ *Verdict) { f.OtherMedianS = nil }, "fast", 8},
		"the other side of a pattern is no size": {func(f, m *Verdict) {
			f.Type, f.Tolerant, m.OtherMedianS = guidelines.Pattern, true, µs(6)
		}, "fast", 8},
	} {
		verdicts := []Verdict{finding, mockup}
		c.change(&verdicts[0], &verdicts[1])
		alternatives(verdicts)
		a := verdicts[0].Alternative
		if a == nil {
			should.Equal(t, "", c.want, name)
			continue
		}
		should.Hold(t, a.Function == c.want && a.Msize == c.size && a.Calls == max(1, verdicts[0].K*int(c.size/64)), "%s: %+v", name, a)
	}
}

// A set of the fixture's medians, begun but not judged.
func begun(t *testing.T, m *results.Manifest) *Analysis {
	t.Helper()
	return must.Get(begin(m, fixture.Collected(t, medians.New(m), fixture.Measured(m, fixture.Quiet...)), judge.Default()))(t)
}

func TestTimesThatNoTestTakesAreAnError(t *testing.T) {
	m := fixture.Manifest()
	set := fixture.Collected(t, medians.New(m), fixture.Measured(m, fixture.Quiet...))
	clear(set.Cases[1].Medians) // no time at all has no ratio
	_, err := Judge(m, set, judge.Default())
	should.Hold(t, err != nil, "times of 0")
	m, runs := twoParts(20000, 90000)
	set = fixture.Collected(t, medians.New(m), runs)
	clear(set.Side(protocol.ModeSplit, 0, 8).Medians)
	_, err = Judge(m, set, judge.Default())
	should.Hold(t, err != nil, "times of 0 in the experiment")
	m = fixture.Manifest()
	again := []results.Comparison{{Test: 3, Case: 1, Part: 3, Calls: 1}}
	m.Planned(protocol.ModeAlternate, &results.FollowUps{R: fixture.R, Comparisons: again})
	runs = fixture.Measured(m, plainly...)
	for n := 1; n <= fixture.R; n++ {
		run := results.Run{Header: results.Header{Mode: protocol.ModeAlternate, Shape: fixture.P2, Run: n}}
		fixture.Add(&run, m, 1, 1, fixture.Samples(50000))
		fixture.Add(&run, m, 3, 1, fixture.Samples(30000))
		runs = append(runs, run)
	}
	set = fixture.Collected(t, medians.New(m), runs)
	clear(set.Side(protocol.ModeAlternate, 1, 1).Medians)
	_, err = Judge(m, set, judge.Default())
	should.Hold(t, err != nil, "times of 0 in turns")
}

// Wrong data of the 15th mpirun leave nothing of the look before it: the test counts with a p-value of 1.
func TestATestWithWrongDataCountsAsOneWithoutAPValue(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		m := fixture.WithLooks()
		runs := fixture.Measured(m, 20000, 50000, 10000, 30000, 20000, 60000)[:20]
		if wrong {
			runs[14].Cases[3].Status, runs[14].Cases[3].Message = protocol.StatusWrong, "element 3"
		}
		v := analyzed(t, m, runs, judge.Default()).Verdicts
		must.Hold(t, v[2].Verdict == judge.Violated && (v[3].Verdict == judge.Wrong) == wrong, "%s, %s", v[2].Verdict,
			v[3].Verdict)
		times := 5 / 2.0 // two of five tests have this p-value
		if wrong {
			times = 5
		}
		should.Hold(t, math.Abs(*v[2].PAdjusted-times**v[2].PValue) < 1e-12, "wrong %v: %v of %v", wrong,
			*v[2].PAdjusted, *v[2].PValue)
	}
}

// As means of too few mpiruns do, the paper does not test split-robustness: its medians decide, but not of those.
func TestTooFewMpirunsSuspectSplitsByEveryMethod(t *testing.T) {
	cfg := judge.Default()
	cfg.Method = judge.MethodPaper
	for once, want := range map[bool]judge.Verdict{false: judge.Violated, true: judge.Suspected} {
		m := fixture.Manifest()
		if once {
			m.Kind, m.R, m.Imported = results.Imported, 1, &results.ImportedFrom{Statistic: results.Samples}
		}
		v := analyzed(t, m, fixture.Measured(m, 1000, 50000, 60000, 60000, 60000, 60000), cfg).Verdicts[1]
		should.Equal(t, v.Verdict, want, "seen once: %v", once)
	}
}

func TestAnAnswerOfTheExperimentLeavesNoReason(t *testing.T) {
	m, runs := twoParts(20000, 90000)
	for i := range runs[:fixture.R] {
		runs[i].Cases[1].Status, runs[i].Cases[1].Message = protocol.StatusUnavailable, "too large"
	}
	v := analyzed(t, m, runs, judge.Default()).Verdicts[1]
	should.Hold(t, v.Verdict == judge.Kept && v.Reason == "", "%s: %q", v.Verdict, v.Reason)
}

func TestATestWithoutAVerdictSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		o       judge.Outcome
		refused *judge.Refusal
		made    int // mpiruns
		want    string
	}{
		"decided":             {judge.Outcome{Runs: 5, Decided: true}, nil, 5, ""},
		"stopped":             {judge.Outcome{Runs: 5, Stopped: true}, nil, 5, ""},
		"at R":                {judge.Outcome{Runs: fixture.R}, nil, fixture.R, ""},
		"refused":             {judge.Outcome{Runs: 5}, &judge.Refusal{}, 5, ""},
		"interrupted":         {judge.Outcome{Runs: 5}, nil, 5, "only 5 of 12 mpiruns were made"},
		"decided differently": {judge.Outcome{Runs: 5}, nil, 6, "not measured beyond 5 mpiruns: other [analyze] settings had decided it"},
	} {
		a := begun(t, fixture.Manifest())
		a.decided, a.family.Refused = []int{0}, c.refused
		a.set.Took = map[string]map[int]medians.Took{"p2": {}}
		for run := range c.made {
			a.set.Took["p2"][run] = medians.Took{WallNS: 1}
		}
		v := &Verdict{Shape: "p2"}
		if c.o.Decided {
			c.o.Runs = fixture.R
		}
		a.account(v, c.o, &medians.Case{Runs: 5}, &medians.Case{Runs: 5})
		should.Hold(t, v.Reason == c.want && (len(a.incomplete) > 0) == strings.HasPrefix(c.want, "only"), "%s: %q", name, v.Reason)
	}
}

func TestWhatCannotBeAPartOfACallIsNotFollowedUp(t *testing.T) {
	m := fixture.Manifest()
	m.Plan.Tests[1].Others = []int{fixture.Case(m, "MPI_Reduce", fixture.P2, 0), fixture.Case(m, "MPI_Reduce", fixture.P2, 1), 0}
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000, 9000, 9000)
	set := fixture.Collected(t, medians.New(m), runs)
	a := must.Get(begin(m, set, judge.Default()))(t)
	should.Equal(t, a.usableParts(m.Plan.Tests[1]), []int{7, 0}, "no bytes are no part")
	before := func(size int64) func(*Verdict) int64 { return func(*Verdict) int64 { return size } }
	plan := must.Get(PlanSplit(m, set, judge.Default(), before(8)))(t)
	should.Hold(t, plan != nil && len(plan.Comparisons) == 1 && plan.Comparisons[0].Part == 0, "%+v", plan)
	set.Cases[0].Status = protocol.StatusUnavailable
	plan = must.Get(PlanSplit(m, set, judge.Default(), before(8)))(t)
	should.Hold(t, plan == nil, "a part that could not be measured: %+v", plan)
}

// Of a call that no part was found for, only its own side is counted.
func TestTheOtherSideIsCountedWhereThereIsOne(t *testing.T) {
	for name, c := range map[string]struct {
		change func(a *Analysis)
		want   bool
	}{
		"of k calls":                {func(a *Analysis) { a.verdicts[1].K, a.verdicts[1].MsizeOther = 8, 8 }, true},
		"of one":                    {func(a *Analysis) { a.verdicts[1].K, a.verdicts[1].MsizeOther = 1, 8 }, true},
		"nothing was suspected yet": {func(a *Analysis) { a.verdicts[1].MsizeOther = 8 }, false},
		"of another size":           {func(a *Analysis) { a.verdicts[1].K, a.verdicts[1].MsizeOther = 8, 16 }, false},
	} {
		m := fixture.Manifest()
		sent := results.Run{Header: results.Header{Mode: protocol.ModeMessages, Shape: fixture.P2, Run: 1}}
		fixture.Add(&sent, m, 0, 0, nil)
		sent.Cases[0].Messages = &protocol.Messages{Calls: 1, Count: 2, Bytes: 3}
		runs := append(fixture.Measured(m, fixture.Quiet...), sent)
		a := must.Get(begin(m, fixture.Collected(t, medians.New(m), runs), judge.Default()))(t)
		c.change(a)
		a.usage()
		should.Hold(t, (a.verdicts[1].OtherSent != nil) == c.want && a.verdicts[1].Sent == nil && a.verdicts[0].Sent != nil, "%s: %+v", name, a.verdicts[1].Counted)
	}
}
