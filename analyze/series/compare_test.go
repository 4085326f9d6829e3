package series

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// side is a folder of fixture in which case i takes about ns[i]; change may
// spoil its manifest and its mpiruns before they are read.
func side(t *testing.T, name string, ns []int64, change func(*results.Manifest, []results.Run)) *analyze.Side {
	t.Helper()
	m := fixture.Manifest()
	m.Plan.Datatype, m.Plan.Op = "byte", "bor"
	runs := fixture.Measured(m, ns...)
	if change != nil {
		change(m, runs)
	}
	runs = slices.DeleteFunc(runs, func(r results.Run) bool { return r.Run > m.R })
	a := must.Get(analyze.Analyze(m, runs, judge.Default()))(t)
	return a.Side(name)
}

func compared(t *testing.T, a, b *analyze.Side, set func(*CompareConfig)) *Comparison {
	t.Helper()
	cfg := CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided}
	if set != nil {
		set(&cfg)
	}
	c := must.Get(Compare(a, b, cfg))(t)
	return c
}

func changes(c *Comparison) string {
	var out []string
	for _, k := range c.Cases {
		out = append(out, string(k.Change))
	}
	return strings.Join(out, " ")
}

func with(i int, ns int64) []int64 {
	out := append([]int64{}, fixture.Quiet...)
	out[i] = ns
	return out
}

func TestComparisonShowsTheDirectionOfASignificantChange(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, nil), side(t, "b", with(1, 30000), nil)
	c := compared(t, a, b, nil)
	got := changes(c)
	must.Hold(t, got == "~ slower" && c.Exit == 1 && c.M == 2 && c.Test == judge.TestRankSum, "changes %q, exit %d, m %d, test %s", got, c.Exit, c.M, c.Test)
	k := c.Cases[1]
	should.Hold(t, math.Abs(*k.Ratio-2) <= 0.01 && *k.RatioLo <= *k.Ratio && *k.RatioHi >= *k.Ratio && k.AR == fixture.R && k.Stars == "***", "%+v", k)
	// Full separation, doubled for two sides: 2/C(24,12).
	want := 2.0 / 2704156
	should.Hold(t, math.Abs(*k.PValue-want) <= 1e-12 && math.Abs(c.PMin-want) <= 1e-12, "p %g, smallest p %g, want %g", *k.PValue, c.PMin, want)
	adjusted := *k.PAdjusted
	should.Hold(t, math.Abs(adjusted-2**k.PValue) <= 1e-12, "adjusted p %g of %g", adjusted, *k.PValue) // Benjamini-Hochberg, rank 1 of 2
	back := compared(t, b, a, nil)
	got = changes(back)
	should.Hold(t, got == "~ faster" && back.Exit == 0, "the other way round: %q, exit %d", got, back.Exit)
	product := *k.Ratio * *back.Cases[1].Ratio
	should.Hold(t, math.Abs(product-1) <= 1e-9, "the ratios of both directions multiply to %g", product)
	f := c.Functions[0]
	want = math.Sqrt(*c.Cases[0].Ratio * *k.Ratio)
	should.Hold(t, f.Sizes == 2 && f.Slower == 1 && math.Abs(*f.Ratio-want) <= 1e-12, "function %+v, want the geometric mean %g", f, want)
}

func TestOneSidedAlternativesAskOnlyForTheirSide(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, nil), side(t, "b", with(1, 30000), nil)
	for alternative, want := range map[judge.Alternative]string{judge.Less: "~ ~", judge.Greater: "~ slower"} {
		c := compared(t, a, b, func(cfg *CompareConfig) { cfg.Alternative = alternative })
		should.Equal(t, changes(c), want, "%s", alternative)
	}
	c := compared(t, a, b, func(cfg *CompareConfig) { cfg.Alternative = judge.Greater })
	p := *c.Cases[1].PValue
	should.Hold(t, math.Abs(p-1.0/2704156) <= 1e-12, "one-sided p %g", p)
}

func TestSmallChangeIsSignificantButNoReasonForAnExitCode(t *testing.T) {
	c := compared(t, side(t, "a", fixture.Quiet, nil), side(t, "b", with(1, 15300), nil), nil)
	got := changes(c)
	should.Hold(t, got == "~ slightly_slower" && c.Exit == 0, "%q, exit %d", got, c.Exit)
	ticks := func(m *results.Manifest, _ []results.Run) { m.Rank.ClockTickNS = 11000 }
	c = compared(t, side(t, "a", fixture.Quiet, ticks), side(t, "b", with(1, 30000), nil), nil)
	should.Equal(t, changes(c), "~ slightly_slower", "less than two ticks of the coarser clock")
}

func TestGuidelinesNewlyViolatedAndNewlyKept(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, nil), side(t, "b", with(3, 7000), nil)
	c := compared(t, a, b, nil)
	must.Hold(t, len(c.Guidelines) == 1 && c.Guidelines[0].Change == NewlyViolated && c.Guidelines[0].Guideline == "GL8" && c.Guidelines[0].Msize == 64 && c.Exit == 1,
		"%+v, exit %d", c.Guidelines, c.Exit)
	should.Equal(t, changes(c), "~ ~", "only the mock-up became faster")
	c = compared(t, b, a, nil)
	should.Hold(t, len(c.Guidelines) == 1 && c.Guidelines[0].Change == NewlyKept && c.Exit == 0, "the other way round: %+v, exit %d", c.Guidelines, c.Exit)
	for _, x := range []struct {
		a, b judge.Verdict
		want Change
	}{
		{judge.Undecided, judge.Violated, NewlyShown}, {judge.NotSuspected, judge.Violated, NewlyShown}, {judge.Suspected, judge.Violated, NewlyShown},
		{judge.Violated, judge.Undecided, NoLongerShown}, {judge.Violated, judge.Suspected, NoLongerShown}, {judge.Violated, judge.NotSuspected, NoLongerShown},
		{judge.Violated, judge.Marginal, NewlyKept}, {judge.Violated, judge.Kept, NewlyKept},
		{judge.Violated, judge.Violated, ""}, {judge.Kept, judge.Undecided, ""}, {judge.NotMeasured, judge.Violated, ""}, {judge.Violated, judge.Wrong, ""},
	} {
		should.Equal(t, guidelineChange(answered(analyze.Verdict{Verdict: x.a}), answered(analyze.Verdict{Verdict: x.b}), 1.05), x.want, "%s to %s", x.a, x.b)
	}
	should.Equal(t, guidelineChange(answered(analyze.Verdict{Verdict: judge.Undecided, Reason: "only 2 of 10 mpiruns"}), answered(analyze.Verdict{Verdict: judge.Violated}), 1.05), "", "without data in A")
}

func answered(v analyze.Verdict) *Point { p := pointOf(&v); return &p }

func TestNewlyViolatedIsOnlyBetweenTwoTestsWhoseIntervalsAreApart(t *testing.T) {
	hi := 1.07
	for _, x := range []struct {
		a    judge.Verdict
		lo   float64
		want Change
	}{
		{judge.Kept, 1.9, NewlyViolated}, {judge.Marginal, 1.9, NewlyViolated}, {judge.Undecided, 1.9, NewlyViolated},
		{judge.Kept, 1.06, NewlyShown}, {judge.Marginal, 1.06, NewlyShown}, {judge.Undecided, 1.06, NewlyShown},
		{judge.Kept, 1.12, NewlyShown}, {judge.Kept, 1.13, NewlyViolated}, // 1.05 × 1.07 = 1.1235
		{judge.Suspected, 1.9, NewlyShown}, // medians only
	} {
		should.Equal(t, guidelineChange(answered(analyze.Verdict{Verdict: x.a, Tested: analyze.Tested{Effect: analyze.Effect{RatioHi95: &hi}}}), answered(analyze.Verdict{Verdict: judge.Violated, Tested: analyze.Tested{Effect: analyze.Effect{RatioLo95: &x.lo}}}), 1.05), x.want, "%s up to 1.07, violated from %v", x.a, x.lo)
	}
	should.Equal(t, guidelineChange(answered(analyze.Verdict{Verdict: judge.Kept}), answered(analyze.Verdict{Verdict: judge.Violated}), 1.05), NewlyShown, "without intervals")
}

func TestOverlappingTestsAreNamedUpToFive(t *testing.T) {
	var list []GuidelineChange
	ratio := 1.31
	for i := range 7 {
		list = append(list, GuidelineChange{Change: NewlyShown, Asked: Asked{Guideline: "GL16", Function: "MPI_Scan", Msize: 1 << i, Shape: "p2"},
			AVerdict: judge.NotSuspected, BVerdict: judge.Violated, BRatio: &ratio})
	}
	got := atMost(5, changedNames(list, NewlyShown))
	should.Hold(t, strings.HasPrefix(got, "GL16 Scan 1 B on p2 (not suspected → violated 1.31×), ") && strings.HasSuffix(got, "16 B on p2 (not suspected → violated 1.31×) and 2 more"),
		"%v", got)
}

func TestAComparisonSaysWhatItCouldHaveSeen(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, drifting), side(t, "b", fixture.Quiet, drifting)
	c := compared(t, a, b, nil)
	// Run medians from 1 to 3.2 times the first: nothing small can be seen.
	should.Hold(t, c.CouldHaveSeen != nil && *c.CouldHaveSeen >= 1.5 && *c.CouldHaveSeen <= 10 && c.Exit == 0 && c.Blind == 0,
		"%v, exit %d, %d blind", c.CouldHaveSeen, c.Exit, c.Blind)
	need := func(ratio float64) func(*CompareConfig) { return func(cfg *CompareConfig) { cfg.Need = ratio } }
	c = compared(t, a, b, need(1.25))
	should.Hold(t, c.Exit == 4 && c.Blind == 2, "1.25 is needed: exit %d, %d blind", c.Exit, c.Blind)
	c = compared(t, a, b, need(100))
	should.Hold(t, c.Exit == 0, "100 is needed: exit %d", c.Exit)
	steady := side(t, "a", fixture.Quiet, nil)
	c = compared(t, steady, side(t, "b", fixture.Quiet, nil), need(1.06))
	should.Hold(t, c.Exit == 0 && *c.CouldHaveSeen == 1.05, "steady: exit %d, %v", c.Exit, *c.CouldHaveSeen)
	c = compared(t, steady, side(t, "b", with(1, 30000), nil), need(1.0001))
	should.Hold(t, c.Exit == 1 && c.Blind == 1, "one case has changed: exit %d, %d blind", c.Exit, c.Blind)
	few := side(t, "a", fixture.Quiet, func(m *results.Manifest, _ []results.Run) { m.R = 3 })
	c = compared(t, few, few, need(2))
	should.Hold(t, c.CouldHaveSeen == nil && c.Exit == 4, "three mpiruns: %v, exit %d", c.CouldHaveSeen, c.Exit)
}

func TestMonotonyWithAnotherLargerSizeIsAnotherQuestion(t *testing.T) {
	a, b := analyze.Verdict{Type: "monotony", Msize: 8, MsizeOther: 16}, analyze.Verdict{Type: "monotony", Msize: 8, MsizeOther: 64}
	should.Hold(t, AskedBy(&a).question() != AskedBy(&b).question(), "monotony from 8 to 16 bytes is matched with that from 8 to 64")
	a.Type, b.Type = "split", "split"
	should.Hold(t, AskedBy(&a).question() == AskedBy(&b).question(), "for split-robustness the smaller size is found, not asked")
}

func TestMockupsAreComparedOnRequest(t *testing.T) {
	c := compared(t, side(t, "a", fixture.Quiet, nil), side(t, "b", with(3, 90000), nil), func(cfg *CompareConfig) { cfg.All = true })
	got := changes(c)
	should.Hold(t, got == "~ ~ ~ slower ~ ~" && c.M == 6, "%q, m %d", got, c.M)
}

func TestOtherOperationsAreNotComparable(t *testing.T) {
	a := side(t, "a", fixture.Quiet, nil)
	for want, change := range map[string]func(*results.Manifest, []results.Run){
		"job.datatype": func(m *results.Manifest, _ []results.Run) { m.Plan.Datatype = "int" },
		"job.op":       func(m *results.Manifest, _ []results.Run) { m.Plan.Op = "bxor" },
		"job.root":     func(m *results.Manifest, _ []results.Run) { m.Plan.Root = 1 },
		"nothing to compare": func(m *results.Manifest, runs []results.Run) {
			for i := range m.Plan.Cases {
				m.Plan.Cases[i].Shape.NP = 4
			}
			m.R = 0
		},
	} {
		_, err := Compare(a, side(t, "b", fixture.Quiet, change), CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided})
		var no *analyze.NotComparable
		should.Hold(t, errors.As(err, &no) && strings.Contains(err.Error(), want), "%s: error %v", want, err)
	}
}

func TestOtherFactorsAreNamed(t *testing.T) {
	settings := func(sync, stall, host, threads string) func(*results.Manifest, []results.Run) {
		return func(m *results.Manifest, _ []results.Run) {
			m.Config = []byte(`{"guideline":[{"id":"x"}],"measure":{"sync":"` + sync + `","stall":"` + stall + `"},"mpi":{"env":{"KEY":"` + host + `"}}}`)
			m.Factors.Hostname = host
			m.PML = map[string]string{"p2": "layer-" + host}
			m.Timing = map[string]protocol.Timing{"p2": {Sync: sync, ThreadLevel: threads}}
		}
	}
	c := compared(t, side(t, "a", fixture.Quiet, settings("barrier", "2m", "x", "single")), side(t, "b", fixture.Quiet, settings("window", "3m", "y", "multiple")), nil)
	var ids []string
	for _, w := range c.Warnings {
		ids = append(ids, string(w.ID))
	}
	should.Equal(t, strings.Join(ids, " "), "differs-hostname differs-measure-sync differs-thread-level", "warnings")
	var factors []string
	for _, d := range c.Differences {
		factors = append(factors, d.Factor+"="+d.A+">"+d.B)
	}
	should.Equal(t, strings.Join(factors, " "), "env KEY=x>y hostname=x>y measure.sync=barrier>window pml=layer-x>layer-y thread level=single>multiple", "differences")
}

// A shell may have loaded a library, or set malloc: then it is that which was measured. What older folders did not
// look at is unknown, not unset.
func TestWhatTheShellHasSetAroundTheRanksIsAFactor(t *testing.T) {
	under := func(of []string, env map[string]string) func(*results.Manifest, []results.Run) {
		return func(m *results.Manifest, _ []results.Run) {
			m.Config, m.Factors.Env, m.Factors.EnvOf = []byte(`{}`), env, of
		}
	}
	preloaded := map[string]string{"LD_PRELOAD": "/l.so", "UCX_TLS": "tcp"}
	for _, c := range []struct {
		a, b func(*results.Manifest, []results.Run)
		want string
	}{
		{under(host.EnvOf(), nil), under(host.EnvOf(), preloaded), "env LD_PRELOAD=(unset)>/l.so env UCX_TLS=(unset)>tcp"},
		{under(nil, nil), under(host.EnvOf(), preloaded), "env UCX_TLS=(unset)>tcp"},
		{under(host.EnvOf(), preloaded), under(host.EnvOf(), preloaded), ""},
	} {
		var found []string
		for _, d := range compared(t, side(t, "a", fixture.Quiet, c.a), side(t, "b", fixture.Quiet, c.b), nil).Differences {
			found = append(found, d.Factor+"="+d.A+">"+d.B)
		}
		should.Equal(t, strings.Join(found, " "), c.want, "differences")
	}
}

// Files of the library set it as the environment does, and are seen in the library alone.
func TestWhatIsInForceInTheLibraryIsAFactor(t *testing.T) {
	with := func(in *host.Settings) func(*results.Manifest, []results.Run) {
		return func(m *results.Manifest, _ []results.Run) {
			m.Config, m.Factors.Env = []byte(`{"mpi":{"env":{"OMPI_MCA_pml":"ob1"}}}`), map[string]string{"OMPI_MCA_btl": "tcp,self"}
			m.Factors.Layouts = []host.Layout{{Shape: "p2", Settings: in}}
		}
	}
	const file = "/home/me/.openmpi/mca-params.conf"
	none := &host.Settings{InForce: []host.Setting{}}
	some := &host.Settings{InForce: []host.Setting{{Name: "coll_tuned_alltoall_algorithm", Value: "1", From: file}, {Name: "coll", Value: "^han", From: "OMPI_MCA_coll"},
		{Name: "pml", Value: "ob1", From: "OMPI_MCA_pml"}, {Name: "btl", Value: "tcp,self", From: "OMPI_MCA_btl"}}}
	other := &host.Settings{InForce: []host.Setting{{Name: "coll_tuned_alltoall_algorithm", Value: "2", From: file}}}
	for _, c := range []struct {
		a, b *host.Settings
		want string
	}{
		{none, some, "setting coll=(unset)>^han setting coll_tuned_alltoall_algorithm=(unset)>1"},
		{some, other, "setting coll=^han>(unset) setting coll_tuned_alltoall_algorithm=1>2"},
		{some, some, ""}, {nil, some, ""}, {some, nil, ""},
	} {
		a, b := side(t, "a", fixture.Quiet, with(c.a)), side(t, "b", fixture.Quiet, with(c.b))
		var found []string
		for _, d := range compared(t, a, b, nil).Differences {
			found = append(found, d.Factor+"="+d.A+">"+d.B)
		}
		should.Equal(t, strings.Join(found, " "), c.want, "differences")
		should.Equal(t, len(CheckOf(a.Report, "").settingsSince(CheckOf(b.Report, ""))), len(found), "for the gate and the history")
	}
}

// Folders of versions that knew no turns do not say how many there were.
func TestTurnsAreAFactor(t *testing.T) {
	turns := func(measure string) func(*results.Manifest, []results.Run) {
		return func(m *results.Manifest, _ []results.Run) { m.Config = []byte(`{"measure":{` + measure + `}}`) }
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", `"turns":1`, 0}, {`"turns":4`, `"turns":4`, 0}, {"", `"turns":4`, 1}} {
		c := compared(t, side(t, "a", fixture.Quiet, turns(test.a)), side(t, "b", fixture.Quiet, turns(test.b)), nil)
		should.Hold(t, len(c.Differences) == test.want && len(c.Warnings) == test.want && (test.want != 1 || c.Differences[0] == (Difference{"measure.turns", "1", "4"}) && c.Warnings[0].ID == "differs-measure-turns"),
			"{%s} and {%s}: %+v, %+v", test.a, test.b, c.Differences, c.Warnings)
	}
}

// Folders of versions in which a freed block moved malloc's limits say nothing of its state.
func TestAStateOfMallocThatWasNotSetIsAFactor(t *testing.T) {
	in := func(state string) func(*results.Manifest, []results.Run) {
		return func(m *results.Manifest, _ []results.Run) {
			m.Timing = map[string]protocol.Timing{"p2": {Malloc: state}}
		}
	}
	for state, want := range map[string]int{"": 1, protocol.MallocFresh: 0} {
		c := compared(t, side(t, "a", fixture.Quiet, in(state)), side(t, "b", fixture.Quiet, in(protocol.MallocFresh)), nil)
		should.Hold(t, len(c.Differences) == want && (want == 0 || c.Differences[0].Factor == "measure.malloc"), "%q: %+v", state, c.Differences)
	}
}

func TestBarriersOfDifferentLibrariesAreDoubted(t *testing.T) {
	for _, c := range []struct {
		library, sync string
		doubted       bool
	}{{"MPICH 4.0.2", "barrier", true}, {"MPICH 4.0.2", "dissemination", false}, {"", "barrier", false}} {
		a, b := analyze.Planned("a", fixture.Manifest()), analyze.Planned("b", fixture.Manifest())
		b.Manifest.Rank.LibVersion = cmp.Or(c.library, a.Manifest.Rank.LibVersion)
		for _, s := range []*analyze.Side{a, b} {
			s.Report = &analyze.Report{}
			s.Manifest.Timing = map[string]protocol.Timing{"p2": {Sync: c.sync}}
		}
		got := compareWarnings(&Comparison{}, a, b)
		should.Equal(t, len(got) == 1 && got[0].ID == "library-barrier", c.doubted, "library %q, sync %s: warnings %+v", c.library, c.sync, got)
	}
}

func TestFoldersWithoutEnoughDataGiveNoVerdict(t *testing.T) {
	a := side(t, "a", fixture.Quiet, nil)
	lost := side(t, "b", fixture.Quiet, func(_ *results.Manifest, runs []results.Run) { runs[3].Samples[0] = nil })
	if c := compared(t, a, lost, nil); c.Exit != 4 || changes(c) != "not_compared ~" || c.M != 2 {
		t.Errorf("a run median is missing: exit %d, %q, m %d", c.Exit, changes(c), c.M)
	}
	out := side(t, "b", fixture.Quiet, func(m *results.Manifest, _ []results.Run) {
		m.Skip = map[int]protocol.CaseResult{0: {Status: protocol.StatusNotMeasured, Message: "too much memory"}}
	})
	if c := compared(t, a, out, nil); c.Exit != 0 || changes(c) != "not_measured ~" || c.M != 1 {
		t.Errorf("not measured: exit %d, %q, m %d", c.Exit, changes(c), c.M)
	}
	wrong := side(t, "b", with(1, 90000), func(m *results.Manifest, _ []results.Run) {
		m.Skip = map[int]protocol.CaseResult{0: {Status: protocol.StatusWrong, Message: "block 1"}}
	})
	should.Equal(t, compared(t, a, wrong, nil).Exit, 3, "wrong data: exit")
	part := side(t, "b", fixture.Quiet, func(_ *results.Manifest, runs []results.Run) {
		for i := 2; i < len(runs); i++ {
			runs[i].Run = fixture.R + 1 // not made
		}
	})
	if c := compared(t, a, part, nil); c.Exit != 4 || changes(c) != "not_compared not_compared" || !strings.Contains(c.Cases[0].Reason, "only 2 of 12") {
		t.Errorf("interrupted after two mpiruns: exit %d, %q, %q", c.Exit, changes(c), c.Cases[0].Reason)
	}
	ended := side(t, "b", fixture.Quiet, func(m *results.Manifest, runs []results.Run) {
		m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 3}
		for i := 3; i < len(runs); i++ {
			runs[i].Run = fixture.R + 1
		}
	})
	if c := compared(t, ended, ended, nil); c.Exit != 4 || c.Refused == nil || c.B.R != 3 {
		t.Errorf("ended by max_time after three mpiruns: exit %d, %+v, R = %d", c.Exit, c.Refused, c.B.R)
	}
	few := func(m *results.Manifest, _ []results.Run) { m.R = 3 }
	c := compared(t, side(t, "a", fixture.Quiet, few), side(t, "b", with(1, 30000), few), nil)
	should.Hold(t, c.Exit == 4 && c.Refused != nil && c.Refused.RNeeded == 5 && changes(c) == "~ ~", "R = 3: exit %d, %+v, %q", c.Exit, c.Refused, changes(c))
	c = compared(t, side(t, "a", fixture.Quiet, few), side(t, "b", with(1, 30000), nil), nil)
	should.Hold(t, c.Exit == 1 && c.Cases[1].AR == 3 && c.Cases[1].BR == fixture.R, "3 against 12 mpiruns: exit %d, %+v", c.Exit, c.Cases[1])
}

// drifting gives every mpirun a slowness of its own that both sides share.
func drifting(_ *results.Manifest, runs []results.Run) {
	for n := range runs {
		for i := range runs[n].Samples {
			for k := range runs[n].Samples[i] {
				runs[n].Samples[i][k].NS = runs[n].Samples[i][k].NS * int64(100+20*n) / 100
			}
		}
	}
}

// Every third mpirun is 1.9 times as slow as a whole; MPI_Reduce at 64 B takes 15 % longer in B.
func TestMpirunsThatAreSlowAsAWholeHideNothing(t *testing.T) {
	folder := func(name string, by, all float64, slow int) *analyze.Side {
		m := fixture.Wide(12)
		m.Plan.Datatype, m.Plan.Op = "byte", "bor"
		runs := fixture.Noisy(m, func(plan, run int) float64 {
			ns := 100000 * all * float64(1+plan%2)
			if plan == 1 {
				ns *= by
			}
			if run%3 == slow {
				ns *= 1.9
			}
			return ns
		})
		return must.Get(analyze.Analyze(m, runs, judge.Default()))(t).Side(name)
	}
	for _, paired := range []bool{false, true} {
		a, set := folder("a", 1, 1, 0), func(cfg *CompareConfig) { cfg.Paired = paired }
		c := compared(t, a, folder("b", 1.15, 1, 1), set)
		if got := c.Cases[1]; got.Change != Slower || math.Abs(*got.Ratio-1.15) > 0.03 || c.Cases[0].Change != NoDifference || *c.CouldHaveSeen > 1.1 {
			t.Errorf("paired %v: %+v, could have seen %v", paired, got, *c.CouldHaveSeen)
		}
		if c = compared(t, a, folder("b", 1, 1.3, 0), set); c.Cases[0].Change != Slower || !paired && c.Shift != nil && !c.Shift.Together {
			t.Errorf("paired %v: what all have in common is divided out: %+v", paired, c.Cases[0])
		}
	}
}

func TestPairsSeeThroughWhatDrifts(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, drifting), side(t, "b", with(1, 16500), drifting)
	should.Equal(t, changes(compared(t, a, b, nil)), "~ ~", "not paired")
	c := compared(t, a, b, func(cfg *CompareConfig) { cfg.Paired = true })
	got := changes(c)
	should.Hold(t, got == "~ slower" && c.Test == judge.TestCappedRank && math.Abs(*c.Cases[1].Ratio-1.1) <= 0.001 && *c.Cases[1].RatioLo >= 1.09,
		"paired: %q by %s, %+v", got, c.Test, c.Cases[1])
}

func TestSpreadIsThatOfTheFoldersMedians(t *testing.T) {
	sides := []*analyze.Side{side(t, "a", with(1, 18000), nil), side(t, "b", fixture.Quiet, nil), side(t, "c", with(1, 12000), nil)}
	s, err := NewSpread(sides, false)
	must.Do(t, err)
	k := s.Cases[1]
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.001 }
	should.Hold(t, len(s.Cases) == 2 && near(k.Normalised[0], 1.2) && near(k.Min, 0.8) && near(k.Max, 1.2) && near(k.MaxOverMin, 1.5) && near(k.CV, 0.2),
		"%+v", s.Cases)
	f := s.Functions[0]
	should.Hold(t, f.Sizes == 2 && f.WorstMsize == 64 && near(f.MaxOverMin, 1.5) && near(f.CV, 0.1) && len(s.Warnings) == 0, "%+v, %v", f, s.Warnings)
	other := side(t, "d", fixture.Quiet, func(m *results.Manifest, _ []results.Run) {
		m.Factors.CPU = "another"
		m.Skip = map[int]protocol.CaseResult{0: {Status: protocol.StatusNotMeasured}}
	})
	s, err = NewSpread(append(sides, other), true)
	should.Hold(t, err == nil && len(s.Cases) == 5 && len(s.Warnings) == 2 && s.Warnings[0].ID == "differs-cpu", "%v, %d cases, %v", err, len(s.Cases), s.Warnings)
	_, err = NewSpread(sides[:1], false)
	should.Hold(t, err != nil, "one folder has no spread")
}

// placed puts the ranks of every shape on nodes with that number of ranks each.
func placed(ranks ...int) func(*results.Manifest, []results.Run) {
	return func(m *results.Manifest, _ []results.Run) {
		l := host.Layout{Shape: m.Plan.Shapes[0].String(), Kinds: []host.NodeKind{{}}}
		for i, n := range ranks {
			l.Pinnings = append(l.Pinnings, []host.Pin{{Ranks: n}})
			l.Nodes = append(l.Nodes, host.Node{Pinning: i, Ranks: make(host.Ranges, n)})
		}
		m.Factors.Layouts = []host.Layout{l}
	}
}

// The ranks on one node are not slower on two: it is another question.
func TestRanksPlacedUnlikeAreNotCompared(t *testing.T) {
	name := fixture.Manifest().Plan.Shapes[0].String()
	a, b := side(t, "a", fixture.Quiet, placed(2)), side(t, "b", with(1, 30000), placed(1, 1))
	_, err := Compare(a, b, CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided})
	var not *analyze.NotComparable
	should.Hold(t, errors.As(err, &not) && strings.Contains(err.Error(), name+" were placed as 1x2 in a and as 2x1 in b") && strings.Contains(err.Error(), "--shape"),
		"got %v", err)
	got := changedGuidelines(a, b)
	should.Hold(t, len(got) == 0, "guidelines that changed: %+v", got)
	for _, alike := range [][2]*analyze.Side{{a, side(t, "b", with(1, 30000), placed(2))}, {a, side(t, "older", with(1, 30000), nil)}} {
		should.Equal(t, changes(compared(t, alike[0], alike[1], nil)), "~ slower", "%s and %s", alike[0].Name, alike[1].Name)
	}
	r := b.Report.Shapes[0]
	should.Hold(t, r.Place == "2x1" && a.Report.Shapes[0].Place == "" && slices.ContainsFunc(b.Report.Notes, func(n string) bool { return strings.Contains(n, "placed the ranks as 2x1") }),
		"the report says %+v and %q", r, b.Report.Notes)
}
