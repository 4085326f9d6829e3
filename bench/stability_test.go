package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/testkit/should"
)

// The letters of checksOf.
var letters = map[rune]judge.Verdict{'V': judge.Violated, 'F': judge.Violated, 'k': judge.Kept, 'u': judge.Undecided, 'm': judge.Marginal}

// checksOf makes checks from a row of letters for each cell, and a reading of the yardstick for
// each check; F is a firm violation.
func checksOf(readings []float64, cells ...string) []checked {
	checks := make([]checked, len(readings))
	firm := .95
	for i, reading := range readings {
		checks[i].Probes = []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: reading}}}
		for msize, cell := range cells {
			v := analyze.Verdict{Guideline: "GL8", Function: "MPI_Reduce", Msize: int64(msize), Verdict: letters[rune(cell[i])]}
			if cell[i] == 'F' {
				v.Replication = &firm
			}
			checks[i].Verdicts = append(checks[i].Verdicts, v)
		}
	}
	return checks
}

// flipsOf adds up the cells violated once in groups of checks: not violated in another,
// kept in another, and pairs of a firm violation and a check that does not show it.
func flipsOf(groups ...[]checked) (sums [3]count) {
	for _, g := range groups {
		for i, f := range flips(0, 0, 0) {
			c := f.count(seriesOf(g))
			sums[i] = count{sums[i].n + c.n, sums[i].of + c.of}
		}
	}
	return sums
}

func TestFlipsAreCountedByCellOverAllChecks(t *testing.T) {
	checks := checksOf([]float64{90, 90, 90}, "kku", "VVV", "uVV", "kVm", "ukk")
	got, want := flipsOf(checks), [3]count{{2, 3}, {1, 3}}
	should.Hold(t, got == want, "got %v, want 2 of 3 not violated, 1 kept in another check", got)
}

func TestFlipsWithinAStateCompareOnlyItsSteadyChecks(t *testing.T) {
	checks := checksOf([]float64{90, 400, 95, 420, 91},
		"VkVkk", // flips between states only, and in the check that was not steady
		"VVkVV", // in the fast state
		"uVuuV", // in the slow state; a check that was not steady is like neither
		"VVVVV")
	checks[4].States = make([]medians.State, 2)
	got, want := flipsOf(checks), [3]count{{3, 4}, {2, 4}}
	should.Hold(t, got == want, "across: got %v", got)
	within := byState(checks)
	if len(within) != 2 || len(within[0]) != 2 || len(within[1]) != 2 {
		t.Fatalf("got %v", within)
	}
	// Cells are counted in each state: 1, 2 and 4 in the fast one, 2, 3 and 4 in the slow one.
	got, want = flipsOf(within...), [3]count{{2, 6}, {1, 6}}
	should.Hold(t, got == want, "within: got %v", got)
}

// Three checks have the ratios 1, 1.2 and 2; the interval from .9 to 1.25 of the first two holds two of these.
func TestAnIntervalIsHeldAgainstTheOtherChecksRatios(t *testing.T) {
	checks := checksOf([]float64{90, 90, 90}, "VVV")
	for i, ratio := range []float64{1, 1.2, 2} {
		checks[i].Verdicts[0].Ratio = analyze.Number(ratio)
	}
	lo, hi := analyze.Number(.9), analyze.Number(1.25)
	got := held(checks, func(v *analyze.Verdict) (*float64, *float64) {
		if *v.Ratio == 2 {
			return nil, hi
		}
		return lo, hi
	})
	should.Equal(t, got, count{2, 4}, "1 and 1.2 hold each other's ratio, and not 2")
	checks[2].Verdicts[0].Ratio = nil
	got = held(checks, func(*analyze.Verdict) (*float64, *float64) { return lo, nil })
	should.Equal(t, got, count{}, "an interval without an end")
	got = held(checks, func(*analyze.Verdict) (*float64, *float64) { return lo, hi })
	should.Equal(t, got, count{4, 4}, "what has no ratio is not asked for")
}

func TestAStateWithOneCheckIsNotAsked(t *testing.T) {
	questions := (&env{}).stabilities(checksOf([]float64{90, 400}, "Vk", "VV"))
	should.Hold(t, len(questions) == 2 && questions[1].times == 0, "got %d questions, the last of %d series", len(questions), questions[len(questions)-1].times)
	should.Equal(t, len((&env{load: true}).stabilities(checksOf([]float64{90, 90}, "Vk", "VV"))), 1, "beside a load the state is asked about")
}

func TestFirmViolationsFlipWhenAnotherCheckDoesNotShowThem(t *testing.T) {
	got := flipsOf(checksOf([]float64{90, 90}, "FV", "Fu", "Vk", "FF"))
	should.Hold(t, got[2] == (count{1, 4}), "got %v, want 1 of 4 pairs, and a repeat need not be firm", got[2])
}

func TestReplicationFollowsEachViolationThroughTheOtherChecks(t *testing.T) {
	checks := checksOf([]float64{90, 90, 90}, "VVu", "VVV", "ukV")
	q := func(p float64) *float64 { return &p }
	checks[0].Verdicts[0].Replication = q(.5)
	checks[1].Verdicts[0].Replication = q(.49)
	for i, p := range []float64{.9, .95, 1} {
		checks[i].Verdicts[1].Replication = q(p)
	}
	for i, want := range []count{{.49 * 2, 2}, {1, 2}, {.5 * 2, 2}, {1, 2}, {}, {}, {2 * (.9 + .95 + 1), 6}, {6, 6}} {
		f := replications()[i]
		got := f.count(seriesOf(checks))
		should.Hold(t, math.Abs(got.n-want.n) <= 1e-9 && got.of == want.of, "%s: got %v, want %v", f.what, got, want)
	}
}

func TestScanAimAsksForEverySizeInEveryCheck(t *testing.T) {
	for last, want := range map[string]count{"VV": {2, 2}, "uV": {1, 2}, "uu": {1, 2}} {
		checks := checksOf([]float64{90, 90}, "uu", "VV", last)
		for _, c := range checks {
			for i := range c.Verdicts {
				c.Verdicts[i].Guideline, c.Verdicts[i].Msize = "GL16", 4<<i // 4 B is not among the sizes
			}
		}
		all := (&env{library: "mpich"}).stabilities(checks)[0]
		i := slices.IndexFunc(all.figures, func(f figure) bool { return strings.HasPrefix(f.what, "Scan") })
		got := all.figures[i].count(seriesOf(checks))
		should.Hold(t, got == want, "%s: got %v, want %v", last, got, want)
	}
}

func TestReportsWithAndWithoutStatesAndReplicationAreRead(t *testing.T) {
	for text, states := range map[string]int{
		`{"r": 10, "verdicts": [{"guideline": "GL3", "msize": 8, "verdict": "violated", "p_value": null}]}`: 0,
		`{"r": 10, "verdicts": [{"guideline": "GL3", "msize": 8, "verdict": "violated", "replication": 0.9, "firm": true}],
		  "states": [{"name": "A", "mpiruns": [1, 3]}, {"name": "B", "mpiruns": [2]}]}`: 2,
	} {
		file := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var c checked
		read(file, &c.Report)
		o := outcomes(c.Verdicts)[0]
		should.Hold(t, len(c.States) == states && o.Firm() == (states > 0) && o.Verdict == judge.Violated && math.IsNaN(o.Ratio), "%s: got %+v", text, c)
		should.Equal(t, len(byState([]checked{c})) == 1, states < 2, "%d states in the report, steady", states)
	}
}
