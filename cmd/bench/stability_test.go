package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/fixture/must"
)

// The letters of checksOf.
var letters = map[rune]judge.Verdict{'V': judge.Violated, 'F': judge.Violated, 'k': judge.Kept, 'u': judge.Undecided, 'm': judge.Marginal}

// checksOf makes checks from a row of letters for each cell, and a reading for
// each check; F is a firm violation.
func checksOf(readings []float64, cells ...string) []repeat {
	checks := make([]repeat, len(readings))
	for i, reading := range readings {
		checks[i] = repeat{&report{}, []float64{reading, reading + 1}}
		for msize, cell := range cells {
			letter := rune(cell[i])
			checks[i].Verdicts = append(checks[i].Verdicts, verdict{Firm: letter == 'F',
				Verdict: analyze.Verdict{Guideline: "GL8", Function: "MPI_Reduce", Msize: int64(msize), Verdict: letters[letter]}})
		}
	}
	return checks
}

func TestFlipsAreCountedByCellOverAllChecks(t *testing.T) {
	checks := checksOf([]float64{90, 90, 90}, "kku", "VVV", "uVV", "kVm", "ukk")
	f := flipsOf([][]repeat{checks}, isViolated)
	if f.violated != 3 || f.kept != 1 || f.other != 2 || !slices.Equal(f.cells, []int{2, 3}) {
		t.Errorf("got %+v, want 3 violated, 1 kept elsewhere, 2 anything else elsewhere", f)
	}
	if got := history(checks, 3); !strings.HasPrefix(got, "GL8 MPI_Reduce at 3 B:  0.00 kept  0.00 violated") {
		t.Errorf("got %q", got)
	}
}

func TestFlipsWithinAStateCompareOnlyItsSteadyChecks(t *testing.T) {
	checks := checksOf([]float64{90, 400, 95, 420, 91},
		"VkVkk", // flips between states only, and in the check that was not steady
		"VVkVV", // in the fast state
		"uVuuV", // in the slow state; a check that was not steady is like neither
		"VVVVV")
	checks[4].readings[1] = 400
	if f := flipsOf([][]repeat{checks}, isViolated); f.violated != 4 || f.other != 3 || f.kept != 2 {
		t.Errorf("across: got %+v", f)
	}
	states, within := byState(checks)
	if len(states) != 2 || len(within[0]) != 2 || len(within[1]) != 2 {
		t.Fatalf("got states %v with %d and %d checks", states, len(within[0]), len(within[1]))
	}
	// Cells are counted in each state: 1, 2 and 4 in the fast one, 2, 3 and 4 in the slow one.
	if f := flipsOf(within, isViolated); f.violated != 6 || f.other != 2 || f.kept != 1 {
		t.Errorf("within: got %+v", f)
	}
}

func TestAStateWithOneCheckHasNoFlips(t *testing.T) {
	_, within := byState(checksOf([]float64{90, 400}, "Vk", "VV"))
	if f := flipsOf(within, isViolated); f.violated != 0 {
		t.Errorf("got %+v", f)
	}
}

func TestFirmViolationsFlipWhenAnotherCheckDoesNotShowThem(t *testing.T) {
	f := flipsOf([][]repeat{checksOf([]float64{90, 90}, "FV", "Fu", "Vk", "FF")}, isFirm)
	if f.violated != 3 || f.other != 1 || f.kept != 0 {
		t.Errorf("got %+v, want 1 of 3, and a repeat need not be firm", f)
	}
}

func TestCalibrationFollowsEachViolationThroughTheOtherChecks(t *testing.T) {
	checks := checksOf([]float64{90, 90, 90}, "VVu", "VVV", "ukV")
	q := func(p float64) *float64 { return &p }
	checks[0].Verdicts[0].Replication = q(.5)
	checks[1].Verdicts[0].Replication = q(.49)
	for i, p := range []float64{.9, .95, 1} {
		checks[i].Verdicts[1].Replication = q(p)
	}
	checks[1].Verdicts[2].Replication = q(.9) // kept: not counted
	got := calibrate([][]repeat{checks, checks[:1]})
	want := []calibration{
		{1, 1, .49, 2, 1},
		{1, 1, .5, 2, 1},
		{},
		{3, 3, .9 + .95 + 1, 6, 6},
		{1, 0, 0, 2, 0},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestScanAimAsksForEverySizeInEveryCheck(t *testing.T) {
	scan := func(rows ...string) []repeat {
		checks := checksOf([]float64{90, 90}, rows...)
		for _, c := range checks {
			for i := range c.Verdicts {
				c.Verdicts[i].Guideline, c.Verdicts[i].Msize = "GL16", 4<<i
			}
		}
		return checks
	}
	e := &env{library: "mpich"}
	if err := e.showScan(scan("uu", "VV", "VV")); err != nil { // 4 B is not among the sizes
		t.Errorf("got %v", err)
	}
	if err := e.showScan(scan("uu", "VV", "uV")); !errors.Is(err, errMissed) {
		t.Errorf("one size missed once: got %v", err)
	}
}

func TestReportsWithAndWithoutStatesAndReplicationAreRead(t *testing.T) {
	for text, want := range map[string][2]int{
		`{"r": 10, "verdicts": [{"guideline": "GL3", "msize": 8, "verdict": "violated", "p_value": null}]}`: {0, 0},
		`{"r": 10, "verdicts": [{"guideline": "GL3", "msize": 8, "verdict": "violated", "replication": 0.9, "firm": true}],
		  "states": [{"name": "A", "mpiruns": [1, 3]}, {"name": "B", "mpiruns": [2]}]}`: {2, 1},
	} {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "report.json"), []byte(text), 0o666))
		r := must.Get(reportOf(dir))(t)
		v := &r.Verdicts[0]
		if firm := isFirm(v); len(r.States) != want[0] || firm != (want[1] == 1) || firm != (v.Replication != nil) || v.Msize != 8 || !isViolated(v) {
			t.Errorf("%s: got %+v", text, r)
		}
		if steady := (repeat{r, []float64{90, 91}}).steady(); steady != (want[0] < 2) {
			t.Errorf("%d states in the report, steady: %v", want[0], steady)
		}
	}
}

func TestStabilityNeedsTwoChecks(t *testing.T) {
	if err := stabilityBench(context.Background(), &env{times: 1}); err == nil || !strings.Contains(err.Error(), "--times") {
		t.Errorf("got %v", err)
	}
}

func TestFlipsByRatioAndAnswersApart(t *testing.T) {
	checks := checksOf([]float64{90, 90, 90}, "VVu", "VuV", "VkV")
	ratio := func(cell, check int, at, lo, hi float64) {
		v := &checks[check].Verdicts[cell]
		v.Ratio, v.RatioLo95, v.RatioHi95 = &at, &lo, &hi
	}
	for check := range checks {
		ratio(0, check, 1.5, 1.4, 1.6)
		ratio(1, check, 1.08, 1.04, 1.12)
		ratio(2, check, 1.12, 1.10, 1.14)
	}
	ratio(2, 1, 0.98, 0.96, 1.00)
	if got := apart(checks, []int{0, 1, 2}); got != 1 {
		t.Errorf("%d cells have two answers, want the last one", got)
	}
	for _, want := range []struct {
		from, to float64
		violated int
	}{{1.05, 1.1, 1}, {1.1, 1.15, 1}, {1.25, 2, 1}, {1.15, 1.25, 0}} {
		f := flipsOf([][]repeat{withRatio(checks, want.from, want.to)}, isViolated)
		if f.violated != want.violated || f.other != want.violated {
			t.Errorf("from %v to %v: %+v, want %d", want.from, want.to, f, want.violated)
		}
	}
}

func TestWhoeverKnowsTheRatiosFlipsWhereTheyLieOnBothSides(t *testing.T) {
	at := math.Log(minSlowdown)
	for _, c := range []struct {
		mean, sd, once, other float64
	}{
		{at, .02, 1 - 1.0/8, 1 - 2.0/8}, // a half in each of three
		{at + .01, 0, 1, 0},
		{at - .01, 0, 0, 0},
		{at + .02, .02, 1 - math.Pow(.158655, 3), 1 - math.Pow(.158655, 3) - math.Pow(.841345, 3)},
	} {
		once, other := cellSpread{mean: c.mean}.flip(3, c.sd)
		if math.Abs(once-c.once) > 1e-6 || math.Abs(other-c.other) > 1e-6 {
			t.Errorf("ln ratio %.3f, standard deviation %.2f: violated once in %.6f, not in another in %.6f; want %.6f, %.6f", c.mean, c.sd, once, other, c.once, c.other)
		}
	}
}
