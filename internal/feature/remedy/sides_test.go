package remedy

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

// sideOf measures the cases of fixture.Manifest: MPI_Reduce at 8 and 64 B, and its mock-ups of GL8 and GL14.
func sideOf(t *testing.T, ns ...int64) *analyze.Side {
	t.Helper()
	m := fixture.Manifest()
	return must.Get(analyze.Analyze(m, fixture.Measured(m, ns...), judge.Default()))(t).Side("folder")
}

func reduce(size int64) medians.Cell {
	return medians.Cell{Function: "MPI_Reduce", Msize: size, Shape: "p2"}
}

func violates(size int64, guidelines ...string) []Cell {
	return []Cell{{Cell: reduce(size), NP: 2, Guidelines: guidelines}}
}

func TestACellIsKeptWhereAllItsGuidelinesAre(t *testing.T) {
	split := func(s *analyze.Side, p float64, v judge.Verdict) {
		s.Report.Verdicts[1].PKept, s.Report.Verdicts[1].Verdict = &p, v
	}
	for name, c := range map[string]struct {
		ns     []int64
		change func(*analyze.Side)
		cells  []Cell
		want   bool
	}{
		"one":  {fixture.Quiet, nil, violates(64, "GL8"), true},
		"both": {fixture.Quiet, nil, violates(64, "GL8", "GL14"), true},
		"the first of both": {[]int64{10000, 25000, 20000, 30000, 20000, 20000}, nil, violates(64, "GL8",
			"GL14"), false},
		"the second of both": {[]int64{10000, 25000, 20000, 20000, 20000, 30000}, nil, violates(64, "GL8",
			"GL14"), false},
		"a split without a test": {fixture.Quiet, nil, violates(64, "GL2"), false},
		"a split that was tested": {fixture.Quiet, func(s *analyze.Side) { split(s, .05, judge.Kept) }, violates(64,
			"GL2"), true},
		"just beyond the level": {fixture.Quiet, func(s *analyze.Side) { split(s, .0501, judge.Kept) },
			violates(64, "GL2"), false},
		"another part is suspect": {fixture.Quiet, func(s *analyze.Side) { split(s, .001, judge.Suspected) },
			violates(64, "GL2"), false},
		"with a split": {fixture.Quiet, func(s *analyze.Side) { split(s, .001, judge.Kept) }, violates(64,
			"GL2", "GL8"), true},
		"a split, and one without": {fixture.Quiet, nil, violates(64, "GL2", "GL8"), false},
	} {
		s := sideOf(t, c.ns...)
		if c.change != nil {
			c.change(s)
		}
		got := must.Get(kept(s, judge.Default(), c.cells))(t)
		should.Equal(t, got, map[medians.Cell]bool{c.cells[0].Cell: c.want}, name)
	}
	s := sideOf(t, fixture.Quiet...)
	clear(s.Set.Cases[3].Medians)
	_, err := kept(s, judge.Default(), violates(64, "GL8"))
	should.Hold(t, err != nil, "times of 0")
	_, err = kept(s, judge.Config{}, violates(64, "GL8"))
	should.Hold(t, err != nil, "a level of 0")
}

// Every mpirun is 10 % slower than the one before: pairs alone show what is kept, whatever the check is judged by.
func TestWhatIsKeptIsTestedInPairs(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Runs(m, func(plan, run int) []protocol.Sample {
		ns := 10000 + 1000*int64(run)
		return fixture.Samples(ns, ns, ns)
	})
	s := must.Get(analyze.Analyze(m, runs, judge.Default()))(t).Side("folder")
	for _, test := range []judge.TestName{judge.TestAuto, judge.TestRankSum} {
		cfg := judge.Default()
		cfg.Test = test
		got := must.Get(kept(s, cfg, violates(64, "GL8")))(t)
		should.Hold(t, got[reduce(64)], "by %s", test)
	}
}

func TestSidesThatCannotBeComparedAreAnError(t *testing.T) {
	r := &Result{Harm: 1.05, Cells: violates(64, "GL8")}
	for name, c := range map[string]struct {
		sides, spoilt, plan int // a violated cell is case 1
	}{
		"the cell, alone":            {2, alone, 1},
		"another case, alone":        {2, alone, 0},
		"the cell, held before":      {3, before, 1},
		"another case, held before":  {3, before, 0},
		"nothing, without or before": {3, before, -1},
	} {
		var sides []*analyze.Side
		for range c.sides {
			sides = append(sides, sideOf(t, fixture.Quiet...))
		}
		if c.plan >= 0 {
			clear(sides[c.spoilt].Set.Cases[c.plan].Medians)
		}
		_, err := effectsOf(sides, judge.Default(), r, malloc, nil)
		should.Hold(t, (err != nil) == (c.plan >= 0), "%s: %v", name, err)
	}
}

// malloc changes cases from 64 B on: 1, 3 and 5.
func TestCasesThatPointToHarmComeBeforeTheFastestOfTheOthers(t *testing.T) {
	s := sideOf(t, 30000, 10000, 10000, 10000, 20000, 10000)
	cell := func(plan int) medians.Cell { return medians.CellOf(s.Manifest.Plan.Cases[plan]) }
	rows := func(change series.Change, ratio float64) *effects {
		return &effects{harmed: compared(changed(cell(0), series.NoDifference, 1), changed(cell(1), change, ratio),
			changed(cell(2), series.Slower, 2),
			changed(cell(3), series.NoDifference, 1.049), changed(cell(4), series.NoDifference, 9))}
	}
	for name, c := range map[string]struct {
		change series.Change
		ratio  float64
		want   []int
	}{
		"from the bound on": {series.NoDifference, 1.05, []int{1, 2, 4, 0}},
		"by little":         {series.NoDifference, 1.04, nil},
		"shown already":     {series.Slower, 2, nil},
	} {
		should.Equal(t, rows(c.change, c.ratio).pointing(s, malloc), c.want, name)
	}
	several := append(slices.Clone(malloc), algorithm("MPI_Unknown", 1))
	should.Equal(t, rows(series.Slower, 2).pointing(s, several), []int{1, 2, 4, 0}, "shown, but explained by none of several")
	s.Set.Cases[1].Status = protocol.StatusUnavailable
	should.Equal(t, len(rows(series.NoDifference, 2).pointing(s, malloc)), 0, "what could not be measured")
}

func TestALookAgainReplacesWhatASettingCanChange(t *testing.T) {
	var sides [2]*analyze.Side
	for i := range sides {
		s := sideOf(t, fixture.Quiet...)
		s.Manifest.Planned(protocol.ModeConfirm, &results.FollowUps{R: fixture.R})
		for n := 1; n <= fixture.R; n++ {
			run := results.Run{Header: results.Header{Mode: protocol.ModeConfirm, Shape: fixture.P2, Run: n}}
			for _, plan := range []int{0, 1, 3} {
				fixture.Add(&run, s.Manifest, plan, 0, fixture.Samples(int64(10000*(1+i)+n)))
			}
			must.Do(t, s.Set.Add(&run))
		}
		sides[i] = s
	}
	a, b := sides[0].Again(), sides[1].Again()
	r := &Result{Harm: 1.05, Cells: violates(64, "GL8")}
	cell := func(plan int) medians.Cell { return medians.CellOf(a.Manifest.Plan.Cases[plan]) }
	e := &effects{harmed: compared(changed(cell(0), series.NoDifference, 1), changed(cell(1), series.NoDifference, 1),
		changed(cell(5), series.NoDifference, 1))}
	must.Do(t, e.lookAgain(a, b, judge.Default(), r, malloc))
	var got []bool
	for _, k := range e.harmed.Cases {
		got = append(got, *k.Ratio > 1.5)
	}
	should.Equal(t, got, []bool{false, true, false}, "neither what it cannot change nor what was not measured again")
	few := &effects{harmed: compared(changed(cell(0), series.NoDifference, 1))}
	must.Do(t, few.lookAgain(a, b, judge.Default(), r, malloc))
	should.Equal(t, len(few.harmed.Cases), 1, "what the proof had not is not added")
	clear(a.Set.Cases[1].Medians)
	should.Hold(t, e.lookAgain(a, b, judge.Default(), r, malloc) != nil, "times of 0")
}

func TestABoundOf1ExcludesNothing(t *testing.T) {
	e := &effects{harmed: compared(changed(at("MPI_Scan", 1000), series.NoDifference, 1))}
	e.harmed.MinSlowdown, e.harmed.Cases[0].RatioHi = 1, analyze.Number(1)
	var p Proof
	e.exclude([]tuning.Choice{algorithm("MPI_Scan", 1000)}, &p)
	should.Hold(t, p.NotExcluded != nil && *p.NotExcluded == 1 && p.Harmless == 0, "%+v", p)
}

func TestHarmThatSeveralChoicesExplainIsThatOfEach(t *testing.T) {
	choices := []tuning.Choice{algorithm("MPI_Scan", 1000), algorithm("MPI_Scan", 100000)}
	e := &effects{helped: compared(changed(at("MPI_Scan", 1000), series.Faster, .5), changed(at("MPI_Scan", 100000),
		series.Faster, .5)),
		harmed: compared(changed(at("MPI_Scan", 8), series.Slower, 2)), before: &analyze.Report{},
		after: &analyze.Report{}}
	back := e.rejects(choices)
	must.Hold(t, len(back) == 2, "%+v", back)
	for _, r := range back {
		should.Hold(t, strings.HasPrefix(r.Reason, "it harms: MPI_Scan"), "%s", r.Reason)
	}
	none := &effects{harmed: compared(changed(at("MPI_Scan", 8), series.NoDifference, 1)), before: &analyze.Report{},
		after: &analyze.Report{}}
	e.harmed, e.earlier = compared(changed(at("MPI_Scan", 8), series.SlightlyFaster, .9)), none
	should.Hold(t, !e.earlierDid(Harm{Cell: at("MPI_Scan", 8)}), "what was as fast before did nothing")
}

func TestTheOutcomeOfACellNamesTheAlgorithmThatIsChosenThere(t *testing.T) {
	k := changed(at("MPI_Scan", 1000), series.Faster, .5)
	k.AMedianS, k.BMedianS, k.PAdjusted = analyze.Number(2), analyze.Number(1), analyze.Number(.01)
	e := &effects{helped: compared(k)}
	named := func(name, function string, np int, size int64) tuning.Choice {
		c := algorithm(function, size)
		c.Algorithm, c.NP = name, np
		return c
	}
	r := Cell{Cell: k.Cell, NP: 4, By: []string{"older"}}
	e.outcome(&r, []tuning.Choice{named("chosen", "MPI_Scan", 4, 1000), named("of another", "MPI_Bcast", 4, 1000),
		named("on others", "MPI_Scan", 8, 1000), named("elsewhere", "MPI_Scan", 4, 8)})
	should.Equal(t, r.By, []string{"chosen"})
	should.Hold(t, *r.BeforeS == 2 && *r.AfterS == 1 && *r.PAdjusted == .01, "%+v", r)
	e.outcome(&r, nil)
	should.Hold(t, r.By != nil && len(r.By) == 0, "by nothing, which JSON has a list for: %v", r.By)
}

func TestASettingOfAnotherKindIsNotJoined(t *testing.T) {
	own, env := algorithm("MPI_Bcast", 8), algorithm("MPI_Bcast", 16)
	env.Kind = tuning.ByEnv
	got := reach.Joined([]tuning.Choice{env, own})
	should.Hold(t, len(got) == 2 && slices.Equal(got[1].Sizes, []int64{8}), "%+v", got)
}
