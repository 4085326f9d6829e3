package analyze

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// goldenSequence is one case of sequential.json.
type goldenSequence struct {
	ID      string
	Looks   []int
	Weights []float64
	P       [][]float64 // by test and look
	Expect  []struct {
		Look     int
		PSeq     []float64 `json:"p_seq"`
		Holm, BH []float64
		ByHolm   []int `json:"violated_holm_005"`
		ByBH     []int `json:"violated_bh_005"`
	}
}

func loadSequences(t *testing.T) []goldenSequence {
	t.Helper()
	folder := os.Getenv("PGMPI_GOLDEN")
	if folder == "" {
		folder = filepath.Join("..", "testdata", "golden")
	}
	text, err := os.ReadFile(filepath.Join(folder, "sequential.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Cases []goldenSequence }
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Cases) == 0 {
		t.Fatal("no cases")
	}
	return g.Cases
}

// sequenceOf is a Sequence whose p-values come from elsewhere.
func sequenceOf(t *testing.T, g goldenSequence) *Sequence {
	t.Helper()
	q, _, err := NewSequence(Default(), Schedule{g.Looks, g.Weights}, len(g.P))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestSequenceSpendsAndAdjustsAsTheGoldenVectors(t *testing.T) {
	for _, g := range loadSequences(t) {
		for _, adjust := range []string{AdjustHolm, AdjustBH} {
			q := sequenceOf(t, g)
			for k, want := range g.Expect {
				for i := range g.P {
					q.history[i] = append(q.history[i], g.P[i][k])
				}
				if err := q.adjust(adjust); err != nil {
					t.Fatal(err)
				}
				adjusted, violated := want.Holm, want.ByHolm
				if adjust == AdjustBH {
					adjusted, violated = want.BH, want.ByBH
				}
				var found []int
				for i, o := range q.outcomes {
					if math.Abs(o.P-want.PSeq[i]) > 1e-12*want.PSeq[i] || math.Abs(o.PAdjusted-adjusted[i]) > 1e-12*adjusted[i] {
						t.Errorf("%s, %s, look %d, test %d: P %v and %v adjusted, want %v and %v",
							g.ID, adjust, want.Look, i, o.P, o.PAdjusted, want.PSeq[i], adjusted[i])
					}
					if o.PAdjusted <= 0.05 {
						found = append(found, i)
					}
				}
				if !slices.Equal(found, violated) {
					t.Errorf("%s, %s, look %d: violated %v, want %v", g.ID, adjust, want.Look, found, violated)
				}
			}
		}
	}
}

// With the p-values of decided tests frozen, as in a check, the golden scenario
// has the same findings at the same looks, and none is ever taken back.
func TestFrozenTestsChangeNoGoldenFinding(t *testing.T) {
	for _, g := range loadSequences(t) {
		q := sequenceOf(t, g)
		for k, want := range g.Expect {
			for i := range g.P {
				if !q.decided[i] {
					q.history[i] = append(q.history[i], g.P[i][k])
				}
			}
			if err := q.adjust(AdjustBH); err != nil {
				t.Fatal(err)
			}
			for i, o := range q.outcomes {
				if q.decided[i] && o.PAdjusted > 0.05 {
					t.Errorf("%s, look %d: test %d was violated, and is no more", g.ID, want.Look, i)
				}
				q.decided[i] = o.PAdjusted <= 0.05
				if q.decided[i] != slices.Contains(want.ByBH, i) {
					t.Errorf("%s, look %d: test %d violated %v", g.ID, want.Look, i, q.decided[i])
				}
			}
		}
	}
}

// withLooks is the fixture over 30 mpiruns with looks.
func withLooks() *results.Manifest {
	m := fixture()
	m.R, m.Looks, m.LookWeights = 30, []int{10, 20, 30}, []float64{0.2, 0.3, 0.5}
	return m
}

// noisy gives runs in which case i takes ns[i], and case wild anything.
func noisy(m *results.Manifest, wild int, ns ...int64) []results.Run {
	runs := measured(m, ns...)
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

func collected10(t *testing.T, m *results.Manifest, runs []results.Run) *Collector {
	t.Helper()
	c := NewCollector(m)
	for i := range runs {
		if err := c.Add(&runs[i]); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestDecidedTestsAreDroppedAndKeepTheirVerdict(t *testing.T) {
	m := withLooks()
	// Reduce at 64 B is slower than both mock-ups; its GL8 mock-up at 8 B wavers
	// around it.
	runs := noisy(m, 2, 10000, 50000, 9756, 30000, 20000, 25000)
	needed, err := collected10(t, m, runs[:10]).Needed(Default(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[int]bool{0: true, 2: true}; !mapsEqual(needed, want) {
		t.Fatalf("needed after the first look: %v, want Reduce at 8 B and its mock-up", needed)
	}
	for n := 10; n < 30; n++ {
		runs[n] = without(runs[n], needed)
	}
	r := analyzed(t, m, runs, Default())
	if got, want := verdicts(r), "kept not_suspected undecided violated kept violated"; got != want {
		t.Errorf("verdicts %q, want %q", got, want)
	}
	for i, want := range []int{10, 0, 30, 10, 10, 10} {
		if r.Verdicts[i].Runs != want {
			t.Errorf("test %d rests on %d mpiruns, want %d", i, r.Verdicts[i].Runs, want)
		}
	}
	if r.Exit != 1 || r.R != 30 || !slices.Equal(r.Looks.Decided, []int{4, 0, 0}) {
		t.Errorf("exit %d, R %d, decided %v", r.Exit, r.R, r.Looks.Decided)
	}
	// P is spent: the smallest p-value of ten pairs over the weight of the look.
	if got, want := *r.Verdicts[3].PValue, math.Ldexp(1, -10)/0.2; math.Abs(got-want) > 1e-15 {
		t.Errorf("p %v, want %v", got, want)
	}
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
	m := withLooks()
	runs := measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[:10]
	needed, err := collected10(t, m, runs).Needed(Default(), 10)
	if err != nil || len(needed) != 0 {
		t.Fatalf("needed %v, %v", needed, err)
	}
	if r := analyzed(t, m, runs, Default()); r.Exit != 1 || len(r.Incomplete) != 0 {
		t.Errorf("exit %d, incomplete %v", r.Exit, r.Incomplete)
	}
}

func TestAnInterruptedCheckWithLooksIsIncomplete(t *testing.T) {
	m := withLooks()
	runs := noisy(m, 2, 10000, 30000, 9756, 30000, 20000, 40000)
	r := analyzed(t, m, runs[:14], Default())
	if r.Exit != 4 || len(r.Incomplete) == 0 || r.Verdicts[2].Verdict != Undecided || r.Verdicts[2].Runs != 10 {
		t.Errorf("exit %d, %+v", r.Exit, r.Verdicts[2])
	}
	if r.Verdicts[2].RunsNeeded != nil {
		t.Errorf("what lacks mpiruns is not undecided by the data: %+v", r.Verdicts[2].RunsNeeded)
	}
}

func TestADecidedTestOutlivesItsCase(t *testing.T) {
	m := withLooks()
	runs := noisy(m, 2, 10000, 50000, 9756, 30000, 20000, 25000)
	for n := 10; n < 30; n++ {
		runs[n] = without(runs[n], map[int]bool{0: true, 2: true})
	}
	for k := range runs[14].Samples[0] {
		runs[14].Samples[0][k].Flags = protocol.FlagLate
	}
	r := analyzed(t, m, runs, Default())
	if got, want := verdicts(r), "kept not_suspected undecided violated kept violated"; got != want || r.Verdicts[0].Runs != 10 {
		t.Errorf("verdicts %q, want %q; %+v", got, want, r.Verdicts[0])
	}
	if v := r.Verdicts[2]; len(r.Incomplete) != 1 || !strings.Contains(v.Reason, "29 of 30") || v.PValue != nil {
		t.Errorf("incomplete %v, %+v", r.Incomplete, v)
	}
	needed, err := collected10(t, m, runs[:20]).Needed(Default(), 20)
	if err != nil || len(needed) != 0 {
		t.Errorf("nothing can be decided any more: %v, %v", needed, err)
	}
}

// The test of a look is chosen by all of alpha, and may be too weak for the
// share that the look can spend.
func TestALookIsBlindByTheTestThatItUses(t *testing.T) {
	for _, c := range []struct {
		s     Schedule
		m     int
		blind []int
		r     int // that the refusal names; 0: none
	}{
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 11, []int{10}, 0}, // 2^-10 > .05·.2/11
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 10, nil, 0},
		{Schedule{[]int{5, 10}, []float64{.5, .5}}, 41, []int{5, 10}, 11}, // 2^-10 > .05·.5/41
		{Schedule{[]int{5, 10}, []float64{.5, .5}}, 52, []int{5}, 0},      // the rank-sum from here on
	} {
		q, refusal, err := NewSequence(Default(), c.s, c.m)
		if err != nil || !slices.Equal(q.blind, c.blind) {
			t.Errorf("looks %v, m = %d: blind %v, %v", c.s.Looks, c.m, q.blind, err)
		}
		if c.r > 0 != (refusal != nil) || refusal != nil && refusal.RNeeded != c.r {
			t.Errorf("looks %v, m = %d: %+v", c.s.Looks, c.m, refusal)
		}
	}
}

func TestARefusedSequenceHasNoVerdicts(t *testing.T) {
	m := withLooks()
	m.R, m.Looks, m.LookWeights = 7, []int{7}, []float64{.5} // .05·.5/5 < 2^-7 < .05/5
	cfg := Default()
	cfg.Test = TestSignedRank
	r := analyzed(t, m, measured(m, 10000, 50000, 20000, 30000, 20000, 25000), cfg)
	if got, want := verdicts(r), "undecided not_suspected undecided undecided undecided undecided"; got != want || r.Refused == nil || r.Exit != 4 {
		t.Errorf("verdicts %q, want %q; exit %d", got, want, r.Exit)
	}
}

func TestALoneLookSpendsNoMoreThanItsWeight(t *testing.T) {
	m := withLooks()
	m.R, m.Looks, m.LookWeights = 10, []int{10}, []float64{.5}
	r := analyzed(t, m, measured(m, 10000, 50000, 20000, 30000, 20000, 25000), Default())
	if got, want := *r.Verdicts[3].PValue, math.Ldexp(1, -10)/.5; got != want || r.Verdicts[3].Verdict != Violated {
		t.Errorf("p %v, want %v; %s", got, want, r.Verdicts[3].Verdict)
	}
}

func TestMaxTimeEndsWithTheRunsReached(t *testing.T) {
	m := withLooks()
	m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 14}
	s := ScheduleOf(m)
	if !slices.Equal(s.Looks, []int{10, 14}) || math.Abs(s.Weights[1]-0.8) > 1e-12 {
		t.Errorf("schedule %+v, want what is left spent at 14", s)
	}
	runs := noisy(m, 2, 10000, 50000, 9756, 30000, 20000, 25000)
	if r := analyzed(t, m, runs[:14], Default()); r.Exit != 1 || r.R != 14 || r.Verdicts[2].Runs != 14 {
		t.Errorf("exit %d, R %d, %+v", r.Exit, r.R, r.Verdicts[2])
	}
	m = fixture()
	m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 8}
	r := analyzed(t, m, measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[:8], Default())
	if r.R != 8 || r.Exit != 1 || r.Test != TestSignedRank {
		t.Errorf("without looks: R %d, exit %d, test %s", r.R, r.Exit, r.Test)
	}
}

func TestSchedulesThatLeadNowhereAreErrors(t *testing.T) {
	for name, spoil := range map[string]func(*results.Manifest){
		"descending":     func(m *results.Manifest) { m.Looks = []int{20, 10, 30} },
		"negative":       func(m *results.Manifest) { m.Looks = []int{-10, 20, 30} },
		"above R":        func(m *results.Manifest) { m.Looks = []int{10, 20, 40} },
		"weights":        func(m *results.Manifest) { m.LookWeights = []float64{1, 1, 1} },
		"fewer weights":  func(m *results.Manifest) { m.LookWeights = nil },
		"test of none":   func(m *results.Manifest) { m.Split.FollowUps[0].Test = 99 },
		"part of none":   func(m *results.Manifest) { m.Split.FollowUps[0].Part = -1 },
		"calls of none":  func(m *results.Manifest) { m.Split.FollowUps[0].Calls = 0 },
		"case of no one": func(m *results.Manifest) { m.Split.FollowUps[0].Case = 6 },
	} {
		m := withLooks()
		m.Split = &results.SplitPlan{R: 10, FollowUps: []results.FollowUp{{Test: 1, Case: 1, Part: 0, Calls: 8}}}
		spoil(m)
		if _, err := NewCollector(m).Report(Default()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// followed gives R mpiruns of the split experiment of the fixture: whole ns for
// the call at 64 B, parts for eight calls at 8 B.
func followed(m *results.Manifest, whole, parts int64) []results.Run {
	var runs []results.Run
	for n := 1; n <= m.Split.R; n++ {
		run := results.Run{Header: results.Header{Mode: protocol.ModeSplit, Shape: p2, Run: n}}
		run.Cases = []results.CaseInfo{
			{Plan: 0, Function: "MPI_Reduce", Msize: 8, Calls: 8, CaseResult: protocol.CaseResult{Status: protocol.StatusOK}},
			{Plan: 1, Function: "MPI_Reduce", Msize: 64, CaseResult: protocol.CaseResult{Status: protocol.StatusOK}},
		}
		run.Samples = [][]protocol.Sample{{{NS: parts + int64(n)}}, {{NS: whole + int64(n)}}}
		runs = append(runs, run)
	}
	return runs
}

func TestSuspectedSplitIsDecidedByExperiment(t *testing.T) {
	for _, c := range []struct {
		whole, parts int64
		want         string
		exit         int
	}{
		{50000, 8000, Violated, 1},
		{50000, 49000, Marginal, 0},
		{50000, 90000, Kept, 0},
	} {
		m := fixture()
		runs := measured(m, 1000, 50000, 60000, 60000, 60000, 60000)
		plan, err := collected10(t, m, runs).FollowUps(Default())
		if err != nil || plan == nil || plan.R != testR || len(plan.FollowUps) != 1 || plan.FollowUps[0] != (results.FollowUp{Test: 1, Case: 1, Part: 0, Calls: 8}) {
			t.Fatalf("follow-ups %+v, %v", plan, err)
		}
		m.Split = plan
		r := analyzed(t, m, append(runs, followed(m, c.whole, c.parts)...), Default())
		v := r.Verdicts[1]
		if v.Verdict != c.want || v.PValue == nil || v.Runs != testR || v.K != 8 || r.Exit != c.exit {
			t.Errorf("%d against %d ns: %+v, exit %d", c.whole, c.parts, v, r.Exit)
		}
		if math.Abs(*v.Ratio-float64(c.whole)/float64(c.parts)) > 0.01*(*v.Ratio) || math.Abs(*v.OtherMedianS*8e9-float64(c.parts)) > 20 {
			t.Errorf("ratio %v, one of the calls %v s", *v.Ratio, *v.OtherMedianS)
		}
		if r.Split.M != 1 || r.Split.TotalError != 0.1 || r.M != 5 {
			t.Errorf("%+v, m = %d: the follow-ups are a family of their own", r.Split, r.M)
		}
	}
}

func TestUnfinishedExperimentLeavesTheSuspicion(t *testing.T) {
	m := fixture()
	m.Split = &results.SplitPlan{R: testR, FollowUps: []results.FollowUp{{Test: 1, Case: 1, Part: 0, Calls: 8}}}
	runs := append(measured(m, 1000, 50000, 60000, 60000, 60000, 60000), followed(m, 50000, 8000)[1:]...)
	if r := analyzed(t, m, runs, Default()); r.Verdicts[1].Verdict != Suspected || r.Exit != 4 || len(r.Incomplete) != 1 {
		t.Errorf("a run is missing: %+v, exit %d", r.Verdicts[1], r.Exit)
	}
	m.Stopped = map[protocol.Mode]int{protocol.ModeSplit: 2}
	if r := analyzed(t, m, runs[:testR], Default()); r.Verdicts[1].Verdict != Suspected || r.Exit != 0 || r.Split.Refused == nil {
		t.Errorf("ended by max_time: %+v, exit %d", r.Verdicts[1], r.Exit)
	}
	cfg := Default()
	cfg.Method = MethodPaper
	if r := analyzed(t, m, runs[:testR], cfg); r.Verdicts[1].Verdict != Violated || r.Split != nil {
		t.Errorf("method paper knows no experiment: %+v", r.Verdicts[1])
	}
}

func TestSeveralCallsBelongToTheExperimentAlone(t *testing.T) {
	m := fixture()
	run := measured(m, 1, 1, 1, 1, 1, 1)[0]
	for k := range run.Samples {
		for s := range run.Samples[k] {
			run.Samples[k][s].NS = 5
		}
	}
	run.Cases[0].Calls = 8
	if err := NewCollector(m).Add(&run); err == nil {
		t.Error("no error for stage 2 with samples of eight calls")
	}
}

func TestALookThatCannotFindAnythingIsWarnedOf(t *testing.T) {
	m := withLooks()
	m.Looks = []int{5, 20, 30} // 1/C(10,5) is above .05·.2/5
	r := analyzed(t, m, measured(m, 10000, 50000, 20000, 30000, 20000, 60000), Default())
	warned := slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.ID == "blind-look" })
	if !warned || !slices.Equal(r.Looks.Blind, []int{5}) || r.Refused != nil {
		t.Errorf("blind %v, refused %v, warnings %v", r.Looks.Blind, r.Refused, r.Warnings)
	}
	if v := r.Verdicts[3]; v.Verdict != Violated || v.Runs != 20 {
		t.Errorf("%+v", v)
	}
	m.R, m.Looks, m.LookWeights = 4, []int{2, 3, 4}, []float64{.2, .3, .5}
	r = analyzed(t, m, measured(m, 10000, 50000, 20000, 30000, 20000, 60000), Default())
	if r.Refused == nil || r.Exit != 4 || r.Verdicts[3].Verdict != Undecided {
		t.Errorf("no look can find anything: refused %v, exit %d, %s", r.Refused, r.Exit, r.Verdicts[3].Verdict)
	}
}

func TestBeingKeptSpendsItsErrorToo(t *testing.T) {
	var pair Pair
	for _, d := range []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, -10} { // signed-rank: p = 43/1024
		pair.Orig, pair.Other = append(pair.Orig, 100), append(pair.Other, (100+d)/1.05)
	}
	for _, c := range []struct {
		weight float64
		want   string
	}{{1, Kept}, {0.2, Undecided}} {
		q, _, err := NewSequence(Default(), Schedule{[]int{10}, []float64{c.weight}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Look([]Pair{pair}); err != nil {
			t.Fatal(err)
		}
		if o, _ := q.Outcome(0); o.Verdict != c.want || math.Abs(o.PKept-43.0/1024) > 1e-12 {
			t.Errorf("weight %v: %s with p = %v of being kept, want %s", c.weight, o.Verdict, o.PKept, c.want)
		}
	}
}

func TestAnExplanationEndsWithTheLookThatDecided(t *testing.T) {
	m := withLooks()
	runs := noisy(m, 2, 10000, 50000, 9756, 30000, 20000, 25000)
	for n := 10; n < 30; n++ {
		runs[n] = without(runs[n], map[int]bool{0: true, 2: true})
	}
	for i, want := range map[int]int{0: 10, 2: 30, 4: 10} { // all about Reduce at 8 B
		if e := explained(t, m, runs, Default(), i); len(e.Call.Runs) != want || e.Test.R != want {
			t.Errorf("test %d: %d mpiruns are shown, the test has %d, want %d", i, len(e.Call.Runs), e.Test.R, want)
		}
	}
}
