package series

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

func TestTheMachineIsNamedFromEachOfItsConditions(t *testing.T) {
	flat, slow := func(int) float64 { return 1e-6 }, func(int) float64 { return 2e-6 }
	probed := func(c *Check, line, memcpy float64) *Check {
		c.Probes = []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: line, MemcpyNS: memcpy}}}
		return c
	}
	for name, c := range map[string]struct {
		a, b             *Check
		shift, isMachine bool
	}{
		"together, with the line":           {probed(timed(3, 4, flat), 100, 100), probed(timed(3, 4, slow), 200, 100), true, true},
		"the line a little":                 {probed(timed(3, 4, flat), 100, 100), probed(timed(3, 4, slow), 110, 100), true, false},
		"the line, and few cases":           {probed(timed(2, 1, flat), 100, 100), probed(timed(2, 1, slow), 200, 100), true, false},
		"readings of less than nanoseconds": {probed(timed(1, 1, flat), .5, 100), probed(timed(1, 1, flat), 1, 100), true, false},
		"line and memcpy":                   {probed(timed(3, 4, slow), 200, 100), probed(timed(3, 4, flat), 100, 50), true, true},
	} {
		s := MachineShift(c.a, c.b)
		should.Hold(t, (s != nil) == c.shift && (s == nil || s.Machine == c.isMachine), "%s: %+v", name, s)
	}
	equal := timed(5, 4, func(i int) float64 {
		if i < 2 {
			return 1e-6
		}
		return 2e-6
	})
	s := MachineShift(timed(5, 5, flat), equal)
	should.Hold(t, s.Cases == 20 && s.Slower == 18 && s.Faster == 0, "cases of both, of which two are equal: %+v", s)
	s = MachineShift(equal, timed(5, 5, flat))
	should.Hold(t, s.Cases == 20 && s.Slower == 0 && s.Faster == 18, "the other way round: %+v", s)
}

func TestAShiftIsToldInWords(t *testing.T) {
	reading := func(shape string, moved bool) ProbeShift {
		return ProbeShift{shape, medians.ByLine, 100, 200, moved}
	}
	ratio := .5
	for want, s := range map[string]*Shift{
		"the machine or the library changed, and `pgmpi ab` tells which: 9 of 12 cases became faster together (0.50× in the median)": {Cases: 12, Slower: 3, Faster: 9, Ratio: &ratio, Together: true},
		"the machine or the library changed, and `pgmpi ab` tells which: 9 of 12 cases became slower together (0.50× in the median); unchanged, measured without the library: cache-line round trip on p2": {
			Cases: 12, Slower: 9, Faster: 3, Ratio: &ratio, Together: true, Probes: []ProbeShift{reading("p2", false)}},
		"the machine was in another state: cache-line round trip on p4 100 ns → 200 ns": {
			Probes: []ProbeShift{reading("p2", false), reading("p4", true)}},
	} {
		should.Equal(t, s.String(), want)
	}
}

// A call's time is known from the first test of it that has one.
func TestCasesAreBothSidesOfATest(t *testing.T) {
	point := func(kind guidelines.Type, msize, other int64, s, of float64) Point {
		return Point{Asked: Asked{Type: kind, Function: "MPI_Reduce", Mockup: "m", Msize: msize, MsizeOther: other, Shape: "p2"},
			Answer: Answer{MedianS: &s, OtherMedianS: &of}}
	}
	k := func(function string, msize int64) medians.Cell {
		return medians.Cell{Function: function, Msize: msize, Shape: "p2"}
	}
	for name, c := range map[string]struct {
		points []Point
		want   map[medians.Cell]float64
	}{
		"a mock-up":             {[]Point{point(guidelines.Pattern, 8, 16, 1, 2)}, map[medians.Cell]float64{k("MPI_Reduce", 8): 1, k("m", 16): 2}},
		"a larger size":         {[]Point{point(guidelines.Monotony, 8, 16, 1, 2)}, map[medians.Cell]float64{k("MPI_Reduce", 8): 1, k("MPI_Reduce", 16): 2}},
		"parts in a row":        {[]Point{point(guidelines.Split, 8, 4, 1, 2)}, map[medians.Cell]float64{k("MPI_Reduce", 8): 1}},
		"twice: the first":      {[]Point{point(guidelines.Split, 8, 4, 1, 2), point(guidelines.Split, 8, 2, 3, 2)}, map[medians.Cell]float64{k("MPI_Reduce", 8): 1}},
		"no time":               {[]Point{point(guidelines.Split, 8, 4, 0, 2), point(guidelines.Split, 8, 2, 3, 2)}, map[medians.Cell]float64{k("MPI_Reduce", 8): 3}},
		"a call without a time": {[]Point{{Asked: Asked{Function: "MPI_Scan"}}}, map[medians.Cell]float64{}},
	} {
		should.Equal(t, caseMedians(&Check{Points: c.points}), c.want, name)
	}
}

func TestStatesOfTheMachineDifferWhereBothFoldersMetThem(t *testing.T) {
	folder := func(r int, line, memcpy func(run int) float64) *analyze.Side {
		m := fixture.Wide(r)
		runs := fixture.Noisy(m, func(plan, run int) float64 { return 100000 })
		for n := range runs {
			runs[n].Probes = []protocol.Probes{{LineNS: line(n + 1), MemcpyNS: memcpy(n + 1)}}
		}
		return must.Get(analyze.Analyze(m, runs, judge.Default()))(t).Side("folder")
	}
	of := func(ns float64) func(int) float64 { return func(int) float64 { return ns } }
	several := folder(12, func(run int) float64 { return 100 + 300*float64(run%4/3) }, of(9000))
	fast, slow, none := folder(12, of(100), of(9000)), folder(12, of(400), of(36000)), analyze.Planned("none", fixture.Wide(12))
	for name, c := range map[string]struct {
		a, b    *analyze.Side
		byTurns bool
		want    string // of A
	}{
		"two readings: the first": {fast, slow, false, "cache-line round trip 100 ns (one state)"},
		"by turns":                {fast, slow, true, "cache-line round trip 100 ns (one state)"},
		"several in B":            {fast, several, false, "one state"},
		"several, by turns":       {fast, several, true, ""},
		"several in A, by turns":  {several, fast, true, ""},
		"nothing measured in B":   {several, none, false, ""},
		"nothing measured in A":   {none, several, false, ""},
		"an mpirun of each":       {folder(1, of(.5), of(1)), folder(1, of(1), of(1)), false, "cache-line round trip 0.50 ns (one state)"},
	} {
		got := machineStates(c.a, c.b, c.byTurns)
		should.Hold(t, len(got) == 0 && c.want == "" || len(got) == 1 && got[0].A == c.want && got[0].Factor == "machine state p2", "%s: %+v", name, got)
	}
	for name, sides := range map[string][2]*analyze.Side{"A": {several, slow}, "B": {slow, several}} {
		shift := shiftByTurns(sides[0], sides[1])
		should.Hold(t, shift == nil, "several states in %s: each side met its own: %v", name, shift)
	}
	shift := shiftByTurns(fast, slow)
	should.Hold(t, shift != nil && strings.Contains(shift.String(), "memcpy on p2 9.00 µs → 36.0 µs"), "%v", shift)
}
