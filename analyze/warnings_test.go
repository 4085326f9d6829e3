package analyze

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

func warning(r *Report, id remark.ID) *remark.Remark {
	for i := range r.Warnings {
		if r.Warnings[i].ID == id {
			return &r.Warnings[i]
		}
	}
	return nil
}

// Each case has four calls in an mpirun.
func TestPageFaultsOfBothSidesAreInTheVerdictAndAWarning(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	if r := analyzed(t, m, runs, judge.Default()); r.Verdicts[2].PageFaults != nil || r.PageFaults != nil || warning(r, remark.PageFaults) != nil {
		t.Error("page faults of a folder that has none counted")
	}
	for n := range runs {
		for i := range runs[n].Cases {
			runs[n].Cases[i].NRep, runs[n].Cases[i].Usage = 4, &protocol.Usage{Switches: 2, SwitchesRank: 1}
		}
		runs[n].Cases[0].Usage = &protocol.Usage{Faults: 3, FaultsRank: 1} // less than one a call
		runs[n].Cases[1].Usage = &protocol.Usage{Faults: 4 * 481, FaultsRank: n % 3 % 2}
	}
	r := analyzed(t, m, runs, judge.Default())
	for i, want := range map[int]Counted{ // GL1 at 8 B, GL2 at 64 B, GL8 at 8 and 64 B
		0: {PageFaults: Number(.75), OtherPageFaults: Number(481.), Switches: Number(0.), OtherSwitches: Number(0.)},
		1: {PageFaults: Number(481.), OtherPageFaults: Number(.75), Switches: Number(0.), OtherSwitches: Number(0.)},
		2: {PageFaults: Number(.75), OtherPageFaults: Number(0.), Switches: Number(0.), OtherSwitches: Number(.5)},
		3: {PageFaults: Number(481.), OtherPageFaults: Number(0.), Switches: Number(0.), OtherSwitches: Number(.5)},
	} {
		v := r.Verdicts[i]
		should.Hold(t, *v.PageFaults == *want.PageFaults && *v.OtherPageFaults == *want.OtherPageFaults && *v.Switches == *want.Switches && *v.OtherSwitches == *want.OtherSwitches,
			"%s at %d: %v, %v faults, %v, %v switches", v.Guideline, v.Msize, *v.PageFaults, *v.OtherPageFaults, *v.Switches, *v.OtherSwitches)
	}
	w := warning(r, remark.PageFaults)
	should.Hold(t, w != nil && strings.Contains(w.Text, "MPI_Reduce at 64 B on p2: 481 page faults (rank 0)") && strings.Contains(w.Remedy, "MALLOC_TRIM_THRESHOLD_"),
		"%+v", w)
}

func TestStronglyDependentSamplesAreWarnedOf(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for i := range runs {
		runs[i].Samples[0] = nil
		for k := range 60 { // a slow wave
			runs[i].Samples[0] = append(runs[i].Samples[0], protocol.Sample{NS: int64(10000 + 500*math.Sin(float64(k)/5))})
		}
	}
	is(runs, 5, protocol.StatusNotMeasured)
	r := analyzed(t, m, runs, judge.Default())
	w := warning(r, "dependent-samples")
	should.Hold(t, len(r.Dependence.Strong) == 1 && w != nil && strings.Contains(w.Text, "in 1 of 5 cases") && strings.Contains(w.Text, "MPI_Reduce at 8 B") && strings.Contains(w.Remedy, "more mpiruns"),
		"%+v, %+v", r.Dependence, w)
}

// A coarse clock can make all samples equal; they depend on nothing, and are all kept.
func TestEqualSamplesAreExplainedWithoutDependence(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for i := range runs {
		runs[i].Samples[0] = slices.Repeat(fixture.Samples(10000), 50)
	}
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.Dependence.Series == 0 && r.Verdicts[0].Verdict == judge.Kept, "%+v, %s", r.Dependence, r.Verdicts[0].Verdict)
	e := explained(t, m, runs, judge.Default(), 0)
	should.Hold(t, e.Call.Runs[0].ACF == nil && len(e.Call.Runs[0].Kept) == 50, "%+v", e.Call.Runs[0])
}

func TestACaseThatIsOutOfSyncTooOftenIsUndecidedAndWarnedOf(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	runs[0].Samples[2][0].Flags = protocol.FlagLate
	one := warning(analyzed(t, m, runs, judge.Default()), "out-of-sync")
	should.Hold(t, one != nil && strings.Contains(one.Text, "(0 here)"), "one case: %+v", one)
	for i := range runs {
		runs[i].Samples[4][0].Flags, runs[i].Samples[4][1].Flags = protocol.FlagLate, protocol.FlagLate
	}
	r := analyzed(t, m, runs, judge.Default())
	w := warning(r, "out-of-sync")
	should.Hold(t, len(r.OutOfSync) == 2 && !r.OutOfSync[0].TooMany && r.OutOfSync[1].TooMany && w != nil && strings.Contains(w.Text, "more than 25 % of them are inconclusive (1 here)"),
		"%+v, %+v", r.OutOfSync, w)
	v := r.Verdicts[4]
	should.Hold(t, v.Verdict == judge.Undecided && v.RunsNeeded == nil, "%+v", v)
}

func TestClocksThatDriftedBeyondTheBoundAreAWarning(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	for i, drift := range []int64{10000, 12349, 10001} {
		runs[i].Timing = protocol.Timing{DriftNS: drift, MaxDriftNS: 10000}
	}
	w := warning(analyzed(t, m, runs, judge.Default()), "drift")
	should.Hold(t, w != nil && strings.Contains(w.Text, "in 2 mpiruns") && strings.Contains(w.Text, "12.3 µs"),
		"two mpiruns were beyond the bound, at worst by 12.349 µs: %+v", w)
}

func TestMpirunsThatAreSlowThroughoutAreNamedAndStay(t *testing.T) {
	m := fixture.Wide(6)
	ns := slices.Repeat([]int64{100000}, len(m.Plan.Cases))
	runs := fixture.Measured(m, ns...)
	for i := range runs[3].Samples[:8] {
		for k := range runs[3].Samples[i] {
			runs[3].Samples[i][k].NS *= 2
		}
	}
	r := analyzed(t, m, runs, judge.Default())
	w := warning(r, "slow-mpirun")
	should.Hold(t, r.Verdicts[0].Runs == 6 && w != nil && strings.Contains(w.Text, "4 of p2 (40 % of its cases, 2.00×"),
		"a verdict of %d mpiruns, %+v", r.Verdicts[0].Runs, w)
}

func TestNotesSayWhatAutoHasChosenAndWhy(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	m.Timing = map[string]protocol.Timing{"p2": {Sync: "barrier", Sample: "local"}}
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, len(r.Notes) == 0, "a note on a synchronisation that nobody chose: %v", r.Notes)
	m.Timing["p2"] = protocol.Timing{Sync: "round_time", Sample: "global", Why: "all on one node"}
	r = analyzed(t, m, runs, judge.Default())
	should.Hold(t, len(r.Notes) == 1 && strings.Contains(r.Notes[0], "has chosen round_time") && strings.Contains(r.Notes[0], "all on one node"), "notes %v", r.Notes)
}

func TestEveryTestedVerdictHasItsInterval(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for _, method := range judge.Methods {
		cfg := judge.Default()
		cfg.Method = method
		r := analyzed(t, m, runs, cfg)
		for i, v := range r.Verdicts {
			if i == 1 { // split, from medians
				should.Hold(t, v.RatioLo95 == nil && v.RatioHi95 == nil && v.Ratio != nil, "%s: split has %v [%v, %v]", method, v.Ratio, v.RatioLo95, v.RatioHi95)
				continue
			}
			should.Hold(t, v.RatioLo95 != nil && v.RatioHi95 != nil && *v.RatioLo95 <= *v.Ratio && *v.RatioHi95 >= *v.Ratio,
				"%s, test %d: %v [%v, %v]", method, i, v.Ratio, v.RatioLo95, v.RatioHi95)
		}
	}
	// By hand: 12 paired ratios (50000+n)/(30000+n), all between these two.
	v := analyzed(t, m, runs, judge.Default()).Verdicts[3]
	should.Hold(t, math.Abs(*v.RatioLo95-50012./30012) <= 1e-3 && *v.RatioHi95-*v.RatioLo95 <= 1e-3 && *v.RatioHi95 > *v.RatioLo95,
		"[%g, %g]", *v.RatioLo95, *v.RatioHi95)
}
