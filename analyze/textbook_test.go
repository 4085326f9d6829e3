package analyze

import (
	"slices"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// withTextbook adds two textbook algorithms of MPI_Reduce at 64 B, which is case 1: cases 6 and 7, and test 6.
func withTextbook(r int) *results.Manifest {
	m := fixture.Manifest()
	m.R = r
	g := guidelines.Guideline{ID: guidelines.TextbookID, Type: guidelines.Pattern, Function: "MPI_Reduce"}
	fixture.Test(m, g, fixture.P2, 64, fixture.Case(m, "reduce_as_textbook@binomial", fixture.P2, 64), fixture.Case(m, "reduce_as_textbook@chain", fixture.P2, 64))
	return m
}

// takes gives case 1 its time of fixture.Quiet, 15 µs, and the algorithms these.
func takes(m *results.Manifest, first, second int64) []results.Run {
	ns := append(append([]int64{}, fixture.Quiet...), first, second)
	return fixture.Runs(m, func(plan, run int) []protocol.Sample { return fixture.Samples(ns[plan] + int64(run)) })
}

func TestTheFastestTextbookAlgorithmIsTestedByMpirunsOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		first, second int64
		seems         judge.Verdict
		chosen        string
		part          int
		again         int64 // what it takes where it is tested
		want          judge.Verdict
	}{
		"second is faster": {14000, 10000, judge.Suspected, "reduce_as_textbook@chain", 7, 10000, judge.Violated},
		"first is faster":  {10000, 14000, judge.Suspected, "reduce_as_textbook@binomial", 6, 10000, judge.Violated},
		"faster by chance": {14000, 10000, judge.Suspected, "reduce_as_textbook@chain", 7, 15500, judge.Kept},
		"by less than 5 %": {15000, 14500, judge.NotSuspected, "reduce_as_textbook@chain", 0, 0, judge.NotSuspected},
	} {
		m := withTextbook(fixture.R)
		runs := takes(m, c.first, c.second)
		set := medians.New(m)
		for i := range runs {
			must.Do(t, set.Add(&runs[i]))
		}
		before := must.Get(Judge(m, set, judge.Default()))(t)
		v := before.verdicts[6]
		should.Hold(t, v.Verdict == c.seems && v.Mockup == c.chosen && v.PValue == nil, "%s: %s, %s", name, v.Verdict, v.Mockup)
		plan := must.Get(PlanOneOf(guidelines.TextbookID, m, set, judge.Default()))(t)
		if c.part == 0 {
			should.Hold(t, plan == nil, "%s: %+v", name, plan)
			continue
		}
		must.Hold(t, plan != nil && len(plan.Comparisons) == 1, "%s: %+v", name, plan)
		should.Equal(t, plan.Comparisons[0], results.Comparison{Test: 6, Case: 1, Part: c.part, Calls: 1}, "%s", name)
		m.Planned(protocol.ModeTextbook, plan)
		for n := 1; n <= plan.R; n++ {
			run := results.Run{Header: results.Header{Mode: protocol.ModeTextbook, Shape: fixture.P2, Run: n}}
			fixture.Add(&run, m, 1, 1, fixture.Samples(15000+int64(n)))
			fixture.Add(&run, m, c.part, 1, fixture.Samples(c.again+int64(n)))
			runs = append(runs, run)
		}
		a := must.Get(Analyze(m, runs, judge.Default()))(t)
		v = a.verdicts[6]
		should.Hold(t, v.Verdict == c.want && v.Mockup == c.chosen && v.Runs == plan.R && v.PValue != nil, "%s: %+v", name, v)
		for i := range 6 {
			should.Hold(t, a.verdicts[i].Verdict == before.verdicts[i].Verdict && Or(a.verdicts[i].PAdjusted, 2) == Or(before.verdicts[i].PAdjusted, 2),
				"%s: test %d is another one by it", name, i)
		}
		should.Equal(t, a.other(6), c.part, "%s: other side", name)
		again := a.Alternate()
		should.Hold(t, (c.want == judge.Violated) == (again != nil) && (again == nil || again.Comparisons[0].Part == c.part), "%s: %+v", name, again)
	}
}

// Who asks for both has the verdicts of either alone.
func TestCallsOnFewerProcessesAreAFamilyApartFromTextbookAlgorithms(t *testing.T) {
	verdict := func(both bool) Verdict {
		m := withTextbook(fixture.R)
		if both {
			g := guidelines.Guideline{ID: guidelines.FewerID, Type: guidelines.Pattern, Function: "MPI_Reduce"}
			fixture.Test(m, g, fixture.P2, 64, fixture.Case(m, "reduce_as_fewer@p-1", fixture.P2, 64))
		}
		ns := append(append([]int64{}, fixture.Quiet...), 14000, 10000, 9000)
		set := must.Get(setOf(m, fixture.Runs(m, func(plan, run int) []protocol.Sample { return fixture.Samples(ns[plan] + int64(run)) })))(t)
		for mode, part := range map[protocol.Mode]int{protocol.ModeTextbook: 7, protocol.ModeFewer: 8} {
			id := map[protocol.Mode]string{protocol.ModeTextbook: guidelines.TextbookID, protocol.ModeFewer: guidelines.FewerID}[mode]
			plan := must.Get(PlanOneOf(id, m, set, judge.Default()))(t)
			must.Hold(t, (plan != nil) == (both || part == 7), "%s: %+v", mode, plan)
			if plan == nil {
				continue
			}
			m.Planned(mode, plan)
			for n := 1; n <= plan.R; n++ {
				run := &results.Run{Header: results.Header{Mode: mode, Shape: fixture.P2, Run: n}}
				fixture.Add(run, m, 1, 1, fixture.Samples(15000+int64(n)))
				fixture.Add(run, m, part, 1, fixture.Samples(10000+int64(n)))
				must.Do(t, set.Add(run))
			}
		}
		a := must.Get(Judge(m, set, judge.Default()))(t)
		if both {
			v := a.verdicts[7]
			should.Hold(t, v.Verdict == judge.Violated && v.Mockup == "reduce_as_fewer@p-1" && v.PValue != nil, "%+v", v)
		}
		return a.verdicts[6]
	}
	alone, both := verdict(false), verdict(true)
	should.Hold(t, alone.Verdict == judge.Violated && both.Verdict == alone.Verdict && *both.PAdjusted == *alone.PAdjusted && *both.Ratio == *alone.Ratio, "%+v, %+v", alone, both)
}

// On four processes a call has two mock-ups on fewer: three, and two.
func TestGuidelinesThatAskOfAnyOfTheirKindCompareWithSeveral(t *testing.T) {
	for _, id := range OneOf {
		m := fixture.Manifest()
		g := guidelines.Guideline{ID: id, Type: guidelines.Pattern, Function: "MPI_Reduce"}
		fixture.Test(m, g, fixture.P2, 64, fixture.Case(m, "reduce_as_fewer@p-1", fixture.P2, 64), fixture.Case(m, "reduce_as_fewer@power_of_two", fixture.P2, 64))
		should.Do(t, CheckManifest(m), id)
	}
}

// Textbook algorithms leave the tests of all others as they are.
func TestTextbookAlgorithmsAreAFamilyOfTheirOwn(t *testing.T) {
	m := withTextbook(fixture.R)
	with := must.Get(Design(m, judge.Default()))(t)
	without := must.Get(Design(fixture.Manifest(), judge.Default()))(t)
	should.Hold(t, with.M == without.M && with.Alpha == without.Alpha, "m = %d and %d, α = %v and %v", with.M, without.M, with.Alpha, without.Alpha)
	needed := must.Get(Look(m, must.Get(setOf(m, takes(m, 10000, 9000)))(t), judge.Default(), fixture.R))(t).Needed
	should.Hold(t, !needed[6] && !needed[7], "they are measured beyond the first look: %v", needed)
}

func setOf(m *results.Manifest, runs []results.Run) (*medians.Set, error) {
	set := medians.New(m)
	for i := range runs {
		if err := set.Add(&runs[i]); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// A wrong algorithm is left out as long as another one is right.
func TestATextbookAlgorithmThatIsWrongIsNotChosen(t *testing.T) {
	m := withTextbook(fixture.R)
	runs := takes(m, 14000, 10000)
	for i := range runs {
		runs[i].Cases[7].Status, runs[i].Samples[7] = protocol.StatusWrong, nil
	}
	a := must.Get(Analyze(m, runs, judge.Default()))(t)
	should.Equal(t, a.verdicts[6].Mockup, "reduce_as_textbook@binomial", "chosen")
	should.Equal(t, a.verdicts[6].Verdict, judge.Suspected, "verdict")
}

// tested adds mpiruns in which case 1 and one algorithm have these times, as they were planned.
func tested(m *results.Manifest, runs []results.Run, part, r int, whole, its int64) []results.Run {
	m.Planned(protocol.ModeTextbook, &results.FollowUps{R: r, Comparisons: []results.Comparison{{Test: 6, Case: 1, Part: part, Calls: 1}}})
	for n := 1; n <= r; n++ {
		run := results.Run{Header: results.Header{Mode: protocol.ModeTextbook, Shape: fixture.P2, Run: n}}
		fixture.Add(&run, m, 1, 1, fixture.Samples(whole+int64(n)))
		fixture.Add(&run, m, part, 1, fixture.Samples(its+int64(n)))
		runs = append(runs, run)
	}
	return runs
}

// The check may have gone on since, and another algorithm be the fastest now.
func TestATextbookTestIsOfTheAlgorithmThatWasPlanned(t *testing.T) {
	m := withTextbook(fixture.R)
	runs := tested(m, takes(m, 14000, 10000), 6, fixture.R, 20000, 10000)
	a := must.Get(Analyze(m, runs, judge.Default()))(t)
	e := must.Get(a.Explain(6, func(int) (*results.Run, error) { return nil, nil }))(t)
	should.Hold(t, e.Test != nil && e.Test.R == fixture.R, "explained by %+v", e.Test)
	v := a.verdicts[6]
	must.Hold(t, v.Verdict == judge.Violated && v.Mockup == "reduce_as_textbook@binomial" && v.Reason == "", "%+v", v)
	should.Hold(t, *v.MedianS > 19.9e-6 && *v.MedianS < 20.2e-6 && *v.OtherMedianS < 10.2e-6, "medians of the check: %v, %v", *v.MedianS, *v.OtherMedianS)
}

func TestATextbookTestThatCannotBeJudgedChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(m *results.Manifest, runs []results.Run)
		r       int
		want    judge.Verdict
		because string
	}{
		"not measured": {func(_ *results.Manifest, runs []results.Run) { is(runs, 1, protocol.StatusNotMeasured) }, fixture.R, judge.NotMeasured, "MPI_Reduce: "},
		"wrong":        {func(_ *results.Manifest, runs []results.Run) { is(runs, 1, protocol.StatusWrong) }, fixture.R, judge.Wrong, "MPI_Reduce: "},
		"R is small":   {func(*results.Manifest, []results.Run) {}, 2, judge.Suspected, ""},
		"half of it": {func(_ *results.Manifest, runs []results.Run) {
			for i := range runs {
				if runs[i].Mode == protocol.ModeTextbook {
					runs[i].Cases, runs[i].Samples = runs[i].Cases[:1], runs[i].Samples[:1]
				}
			}
		}, fixture.R, judge.Suspected, "its experiment: "},
	} {
		m := withTextbook(fixture.R)
		runs := tested(m, takes(m, 14000, 10000), 7, c.r, 15000, 10000)
		c.spoil(m, runs)
		a := must.Get(Analyze(m, runs, judge.Default()))(t)
		v := a.verdicts[6]
		should.Hold(t, v.Verdict == c.want && len(v.Reason) >= len(c.because) && v.Reason[:len(c.because)] == c.because, "%s: %s, %q", name, v.Verdict, v.Reason)
		should.Hold(t, v.PValue == nil, "%s: it has a p-value", name)
		should.Equal(t, slices.ContainsFunc(a.incomplete, func(i Incomplete) bool { return i.Reason == v.Reason && i.Guideline == v.Guideline }),
			name == "half of it", "%s: named among what is incomplete", name)
	}
}

// is gives a case of the check a status.
func is(runs []results.Run, plan int, status protocol.Status) {
	for i := range runs {
		for k := range runs[i].Cases {
			if runs[i].Mode == protocol.ModeMeasure && runs[i].Cases[k].Plan == plan {
				runs[i].Cases[k].Status, runs[i].Samples[k] = status, nil
			}
		}
	}
}

func TestWithoutAUsableTextbookAlgorithmNothingIsSaidOfThem(t *testing.T) {
	m := withTextbook(fixture.R)
	runs := takes(m, 14000, 10000)
	is(runs, 6, protocol.StatusNotMeasured)
	is(runs, 7, protocol.StatusNotMeasured)
	v := must.Get(Analyze(m, runs, judge.Default()))(t).verdicts[6]
	should.Hold(t, v.Verdict == judge.NotMeasured && v.Mockup == "" && v.Ratio == nil, "%+v", v)
	should.Hold(t, v.MedianS != nil && *v.MedianS > 15e-6, "the call's own median: %v", v.MedianS)
}

func TestTheFirstOfTwoEqualTextbookAlgorithmsIsTakenFromTheMinimumSlowdownOn(t *testing.T) {
	m := withTextbook(fixture.R)
	set := must.Get(setOf(m, takes(m, 12000, 12000)))(t)
	cfg := judge.Default()
	v := must.Get(Judge(m, set, cfg))(t).verdicts[6]
	should.Equal(t, v.Mockup, "reduce_as_textbook@binomial", "of two that are equal")
	cfg.MinSlowdown = *v.Ratio
	v = must.Get(Judge(m, set, cfg))(t).verdicts[6]
	should.Equal(t, v.Verdict, judge.Suspected, "at the minimum slowdown itself")
}

func TestTextbookTestsArePlannedOnlyWhereTheyCanBeJudged(t *testing.T) {
	paper := judge.Default()
	paper.Method = judge.MethodPaper
	few := withTextbook(2) // the least p-value of two and two mpiruns is 1/6
	for name, c := range map[string]struct {
		m   *results.Manifest
		cfg judge.Config
	}{"a method without experiments": {withTextbook(fixture.R), paper}, "R is too small": {few, judge.Default()}} {
		plan := must.Get(PlanOneOf(guidelines.TextbookID, c.m, must.Get(setOf(c.m, takes(c.m, 14000, 10000)))(t), c.cfg))(t)
		should.Hold(t, plan == nil, "%s: %+v", name, plan)
	}
	m := withTextbook(fixture.R)
	wrong := judge.Default()
	wrong.Alpha = 2
	_, err := PlanOneOf(guidelines.TextbookID, m, must.Get(setOf(m, takes(m, 14000, 10000)))(t), wrong)
	should.Hold(t, err != nil, "a level of 2 is no level")
}

func TestACheckLacksTextbookAlgorithmsWhereItsCallsHaveSome(t *testing.T) {
	verdict := func(function, guideline string) Verdict { return Verdict{Function: function, Guideline: guideline} }
	for name, c := range map[string]struct {
		verdicts []Verdict
		want     bool
	}{
		"no test":         {nil, false},
		"messages":        {[]Verdict{verdict("MPI_Sendrecv", "M1")}, false},
		"a collective":    {[]Verdict{verdict("MPI_Reduce", "GL8")}, true},
		"it was asked of": {[]Verdict{verdict("MPI_Reduce", "GL8"), verdict("MPI_Reduce", guidelines.TextbookID)}, false},
	} {
		should.Equal(t, (&Report{Verdicts: c.verdicts}).LacksTextbook(), c.want, name)
	}
}
