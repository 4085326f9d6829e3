package analyze

import (
	"strings"
	"testing"

	"pgmpi/measure/results"
)

func TestBoundsAreSummedUpOverMpiruns(t *testing.T) {
	m := fixture()
	runs := measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	for i, median := range []int64{900, 700, 800} {
		runs[i].Cases[3].Provable = &results.Bound{N: 5, MedianNS: median, MinNS: median - 100*int64(i)}
	}
	r := analyzed(t, m, runs, Default())
	want := CaseBound{Function: "reduce_as_allreduce", Msize: 64, Shape: "p2", MedianS: 800e-9, MinS: 600e-9}
	if len(r.Bounds) != 1 || r.Bounds[0].SamplesS == nil {
		t.Fatalf("got %+v, want one with the samples' median", r.Bounds)
	}
	want.SamplesS = r.Bounds[0].SamplesS
	if r.Bounds[0] != want {
		t.Errorf("got %+v, want %+v", r.Bounds, want)
	}
}

func TestClocksThatDriftedBeyondTheBoundAreAWarning(t *testing.T) {
	m := fixture()
	runs := measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	for i, drift := range []int64{10000, 12000, 10001} {
		runs[i].Timing = results.Timing{DriftNS: drift, MaxDriftNS: 10000}
	}
	var got []string
	for _, w := range analyzed(t, m, runs, Default()).Warnings {
		if w.ID == "drift" {
			got = append(got, w.Text)
		}
	}
	if len(got) != 1 || !strings.Contains(got[0], "in 2 mpiruns") || !strings.Contains(got[0], "12 µs") {
		t.Errorf("two mpiruns were beyond the bound, at worst by 12 µs: %q", got)
	}
}

func TestNotesSayWhatAutoHasChosenAndWhy(t *testing.T) {
	m := fixture()
	runs := measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	m.Timing = map[string]results.Timing{"p2": {Sync: "barrier", Sample: "local"}}
	if r := analyzed(t, m, runs, Default()); len(r.Notes) != 0 {
		t.Errorf("a note on a synchronisation that nobody chose: %v", r.Notes)
	}
	m.Timing["p2"] = results.Timing{Sync: "round_time", Sample: "global", Why: "all on one node"}
	if r := analyzed(t, m, runs, Default()); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "has chosen round_time") || !strings.Contains(r.Notes[0], "all on one node") {
		t.Errorf("notes %v", r.Notes)
	}
}
