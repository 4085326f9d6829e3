package analyze

import (
	"math"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/fixture"
	"pgmpi/measure/protocol"
)

func TestBoundsAreSummedUpOverMpiruns(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	for i, median := range []int64{900, 700, 800} {
		runs[i].Cases[3].Provable = &protocol.Bound{N: 5, MedianNS: median, MinNS: median - 100*int64(i)}
	}
	r := analyzed(t, m, runs, judge.Default())
	want := medians.CaseBound{Cell: medians.Cell{Function: "reduce_as_allreduce", Msize: 64, Shape: "p2"}, MedianS: 800e-9, MinS: 600e-9}
	if len(r.Bounds) != 1 || r.Bounds[0].SamplesS == nil {
		t.Fatalf("got %+v, want one with the samples' median", r.Bounds)
	}
	want.SamplesS = r.Bounds[0].SamplesS
	if r.Bounds[0] != want {
		t.Errorf("got %+v, want %+v", r.Bounds, want)
	}
}

func TestClocksThatDriftedBeyondTheBoundAreAWarning(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	for i, drift := range []int64{10000, 12000, 10001} {
		runs[i].Timing = protocol.Timing{DriftNS: drift, MaxDriftNS: 10000}
	}
	var got []string
	for _, w := range analyzed(t, m, runs, judge.Default()).Warnings {
		if w.ID == "drift" {
			got = append(got, w.Text)
		}
	}
	if len(got) != 1 || !strings.Contains(got[0], "in 2 mpiruns") || !strings.Contains(got[0], "12 µs") {
		t.Errorf("two mpiruns were beyond the bound, at worst by 12 µs: %q", got)
	}
}

func TestNotesSayWhatAutoHasChosenAndWhy(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	m.Timing = map[string]protocol.Timing{"p2": {Sync: "barrier", Sample: "local"}}
	if r := analyzed(t, m, runs, judge.Default()); len(r.Notes) != 0 {
		t.Errorf("a note on a synchronisation that nobody chose: %v", r.Notes)
	}
	m.Timing["p2"] = protocol.Timing{Sync: "round_time", Sample: "global", Why: "all on one node"}
	if r := analyzed(t, m, runs, judge.Default()); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "has chosen round_time") || !strings.Contains(r.Notes[0], "all on one node") {
		t.Errorf("notes %v", r.Notes)
	}
}

func TestMpirunsThatAreSlowThroughoutAreNamedAndStay(t *testing.T) {
	m := fixture.Manifest()
	m.R = 6
	for len(m.Plan.Cases) < 10 { // further sizes that no test needs
		fixture.Case(m, "MPI_Reduce", fixture.P2, int64(1000+len(m.Plan.Cases)))
	}
	ns := make([]int64, len(m.Plan.Cases))
	for i := range ns {
		ns[i] = 100000
	}
	slowed := func(cases int) *Report {
		runs := fixture.Measured(m, ns...)
		for i := range cases {
			for k := range runs[3].Samples[i] {
				runs[3].Samples[i][k].NS *= 2
			}
		}
		return analyzed(t, m, runs, judge.Default())
	}
	if r := slowed(3); len(r.SlowMpiruns) != 0 {
		t.Errorf("3 of 10 cases are not more than 30 %%: %+v", r.SlowMpiruns)
	}
	r := slowed(4)
	if len(r.SlowMpiruns) != 1 || r.SlowMpiruns[0].Run != 4 || r.SlowMpiruns[0].Share != 0.4 || math.Abs(r.SlowMpiruns[0].Ratio-2) > 0.01 {
		t.Fatalf("got %+v, want mpirun 4 with 4 of 10 cases twice as slow", r.SlowMpiruns)
	}
	if r.Verdicts[0].Runs != 6 {
		t.Errorf("a verdict rests on %d mpiruns, want all 6", r.Verdicts[0].Runs)
	}
	said := ""
	for _, w := range r.Warnings {
		if w.ID == "slow-mpirun" {
			said = w.Text
		}
	}
	if !strings.Contains(said, "4 of p2 (40 % of its cases, 2.00×") {
		t.Errorf("the warning says %q", said)
	}
}
