package series

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// timed is a report in which the calls of some functions take so long at each of some sizes.
func timed(functions, sizes int, seconds func(i int) float64) *Check {
	r := &analyze.Report{}
	for i := range functions * sizes {
		s := seconds(i)
		r.Verdicts = append(r.Verdicts, analyze.Verdict{Type: guidelines.Split, Function: fmt.Sprint("MPI_", i%functions), Msize: int64(i / functions), Shape: "p2", MedianS: &s})
	}
	return CheckOf(r, "")
}

func TestTheMachineIsSuspectedOnlyWhereNearlyAllMovesTogether(t *testing.T) {
	flat := func(int) float64 { return 1e-6 }
	times := func(factor float64, but int) func(int) float64 {
		return func(i int) float64 {
			if i < but {
				return 0.999e-6
			}
			return factor * 1e-6
		}
	}
	for name, c := range map[string]struct {
		functions, sizes int
		now              func(int) float64
		together         bool
	}{
		"all slower":             {3, 4, times(1.3, 0), true},
		"all faster":             {3, 4, times(0.7, 0), true},
		"four of five":           {5, 2, times(1.3, 2), true},
		"less than four of five": {3, 4, times(1.3, 3), false},
		"all by little":          {3, 4, times(1.04, 0), false},
		"few cases":              {3, 3, times(1.3, 0), false},
		"few functions":          {2, 10, times(1.3, 0), false},
		"nothing":                {3, 4, flat, false},
	} {
		s := MachineShift(timed(c.functions, c.sizes, flat), timed(c.functions, c.sizes, c.now))
		should.Hold(t, (s != nil) == c.together && (s == nil || s.Together), "%s: %+v", name, s)
	}
	least, most := func(int) float64 { return 1e-200 }, func(int) float64 { return 1e200 }
	if s := MachineShift(timed(3, 4, least), timed(3, 4, most)); s != nil {
		t.Errorf("a ratio that no number can say: %+v", s)
	}
	s := MachineShift(timed(5, 4, flat), timed(5, 4, times(1.3, 2)))
	should.Hold(t, s.Cases == 20 && s.Slower == 18 && s.Faster == 2 && *s.Ratio >= 1.29 && *s.Ratio <= 1.31 && strings.Contains(s.String(), "18 of 20 cases became slower together (1.30× in the median)"),
		"%+v: %s", s, s)
}

func TestTheLibraryIsAcquittedOnlyWhereItIsTheSameAndTheYardstickMovedAlike(t *testing.T) {
	for name, c := range map[string]struct {
		now     float64 // the cache line's, 100 before
		library string
		want    bool
	}{
		"the same library":      {400, "MPICH 4.0", true},
		"another library":       {400, "Open MPI 4.1", false},
		"the line became fast":  {25, "MPICH 4.0", false},
		"the line did not move": {100, "MPICH 4.0", false},
	} {
		a, b := timed(3, 4, func(int) float64 { return 1e-6 }), timed(3, 4, func(int) float64 { return 2e-6 })
		a.Probes, b.Probes = []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: 100}}}, []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: c.now}}}
		a.Library.Version, b.Library.Version = "MPICH 4.0", c.library
		if s := MachineShift(a, b); s.Machine != c.want || strings.Contains(s.String(), "not the library") != c.want {
			t.Errorf("%s: %s", name, s)
		}
	}
}

func TestTheYardstickIsSuspectedWhereTheMachineMoved(t *testing.T) {
	of := func(line, memcpy, pingPong float64, shape string) *Check {
		r := timed(1, 1, func(int) float64 { return 1e-6 })
		r.Probes = []analyze.Probes{{Shape: shape, Speed: medians.Speed{LineNS: line, MemcpyNS: memcpy, PingPong8NS: pingPong}}}
		return r
	}
	before := of(100, 9000, 300, "p2")
	for name, c := range map[string]struct {
		now   *Check
		moved bool
	}{
		"the same":             {of(120, 9500, 310, "p2"), false},
		"line":                 {of(150, 9000, 300, "p2"), true},
		"memcpy, faster":       {of(100, 6000, 300, "p2"), true},
		"what the library has": {of(100, 9000, 900, "p2"), false},
		"not read":             {of(0, 0, 0, "p2"), false},
		"of another shape":     {of(400, 40000, 300, "p4"), false},
	} {
		s := MachineShift(before, c.now)
		should.Hold(t, (s != nil) == c.moved, "%s: %+v", name, s)
	}
	s := MachineShift(before, of(400, 9000, 300, "p2"))
	should.Hold(t, !s.Together && strings.Contains(s.String(), "cache-line round trip on p2 100 ns → 400 ns"), "%+v: %s", s, s)
	slow := timed(3, 4, func(int) float64 { return 2e-6 })
	slow.Probes = before.Probes
	quick := timed(3, 4, func(int) float64 { return 1e-6 })
	quick.Probes = before.Probes
	s = MachineShift(quick, slow)
	should.Hold(t, strings.HasSuffix(s.String(), "; unchanged, measured without the library: cache-line round trip on p2, memcpy on p2"), "%v", s)
}

// A report's cases are both sides of its tests, each once.
func TestMockupsAndLargerSizesAreCasesToo(t *testing.T) {
	m := fixture.Manifest()
	r := analyzed(t, m, fixture.Measured(m, fixture.Quiet...), judge.Default())
	got := caseMedians(CheckOf(r, ""))
	should.Hold(t, len(got) == 6, "%v", got)
}

// sixSizes has MPI_Reduce and two mock-ups at six sizes: 18 cases of three functions.
func sixSizes() *results.Manifest {
	m := fixture.Empty(fixture.R)
	for size := int64(8); len(m.Plan.Cases) < 18; size *= 8 {
		at := len(m.Plan.Cases)
		fixture.Case(m, fixture.GL8.Function, fixture.P2, size)
		for k, p := range []fixture.Pattern{fixture.GL8, fixture.GL14} {
			fixture.Case(m, p.Mockup, fixture.P2, size)
			fixture.Test(m, p.Guideline(), fixture.P2, size, at+1+k)
		}
	}
	return m
}

func TestASlowMachineRaisesNoAlarmUnlessToldTo(t *testing.T) {
	folder := func(factor float64, line ...float64) *analyze.Side {
		m := sixSizes()
		runs := fixture.Noisy(m, func(i, run int) float64 { return 10000 * factor })
		for n := range runs {
			runs[n].Probes = []protocol.Probes{{LineNS: line[n%len(line)]}}
		}
		a := must.Get(analyze.Analyze(m, runs, judge.Default()))(t)
		return a.Side("folder")
	}
	a := folder(1, 100)
	for name, c := range map[string]struct {
		b      *analyze.Side
		set    CompareConfig
		exit   int
		shift  bool
		slower bool
	}{
		"the same":                  {a, CompareConfig{}, 0, false, false},
		"slower":                    {folder(1.3, 100), CompareConfig{}, 0, true, true},
		"slower, told to":           {folder(1.3, 100), CompareConfig{FailOn: ExitOnTimes}, 1, true, true},
		"the yardstick":             {folder(1.3, 200), CompareConfig{FailOn: ExitOnBoth}, 0, true, true},
		"by turns":                  {folder(1.3, 100), CompareConfig{Paired: true}, 1, false, true},
		"the yardstick, by turns":   {folder(1.3, 200), CompareConfig{Paired: true}, 0, true, true},
		"several states, by turns":  {folder(1.3, 100, 200, 200), CompareConfig{Paired: true}, 1, false, true},
		"guidelines only, by turns": {folder(1.3, 100), CompareConfig{Paired: true, FailOn: ExitOnGuidelines}, 0, false, true},
	} {
		got := compared(t, a, c.b, func(cfg *CompareConfig) { cfg.Paired, cfg.FailOn = c.set.Paired, c.set.FailOn })
		warned := false
		for _, w := range got.Warnings {
			warned = warned || w.ID == remark.MachineShift
		}
		should.Hold(t, got.Exit == c.exit && (got.Shift != nil) == c.shift && warned == c.shift && (got.Cases[0].Change == Slower) == c.slower,
			"%s: exit %d, %+v, warned %v, %s", name, got.Exit, got.Shift, warned, changes(got))
	}
}

// A guideline that is newly violated counts on a slow machine as on any other.
func TestASlowMachineHidesNoGuideline(t *testing.T) {
	folder := func(factor, mockup float64) *analyze.Side {
		m := sixSizes()
		a := must.Get(analyze.Analyze(m, fixture.Noisy(m, func(i, run int) float64 {
			if i == 1 {
				return 10000 * mockup
			}
			return 10000 * factor
		}), judge.Default()))(t)
		return a.Side("folder")
	}
	c := compared(t, folder(1, 1), folder(1.3, .65), nil)
	should.Hold(t, c.Shift != nil && c.Exit == 1 && len(c.Guidelines) == 1 && c.Guidelines[0].Change == NewlyViolated,
		"exit %d, %+v, %+v", c.Exit, c.Shift, c.Guidelines)
}
