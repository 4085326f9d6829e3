package report

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// fingerprint is that of Reduce at 64 KiB, in the noisy mpiruns.
func fingerprint(t *testing.T) *samples.Fingerprint {
	t.Helper()
	m, runs := measured([]guidelines.Shape{{NP: 2}}, noisySizes, few, 4, noisy)
	countFaults(runs)
	i, err := samples.FindCase(&m.Plan, "Reduce:64Ki")
	if err != nil {
		t.Fatal(err)
	}
	var all []*results.Run
	for n := range runs {
		all = append(all, &runs[n])
	}
	f, err := samples.NewFingerprint("results", m, i, all)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.AddRanks([]samples.RanksOfRun{{Run: 1, NS: [][]int64{{400000, 410000, 420000}, {300000, 310000, 430000}}}}); err != nil {
		t.Fatal(err)
	}
	f.Reading = &samples.Reading{WithS: 4.1e-4, WithoutS: 4e-4, Ratio: 1.025}
	f.AddCounts(1, []protocol.Counter{{Name: "page-faults", From: "perf_event_open"}}, [][]int64{make([]int64, len(f.Runs[0].NS))})
	for i := range f.Counters[0].Runs[0].N {
		f.Counters[0].Runs[0].N[i] = int64(i % 7)
	}
	f.Counters = append(f.Counters, samples.CounterTimes{Counter: protocol.Counter{Name: "cycles", Why: "the virtual machine hides it"}, Runs: []samples.CounterSamples{}})
	if err := f.Correlate(); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPicturesOfSamplesAreThoseOfTheSamples(t *testing.T) {
	times := []float64{100, 110, 120, 130, 200}
	a := newAxis(times, 10)
	if got, want := a.box(times), "─▄█▄     ·"; got != want { // Q1 110, median 120, Q3 130; 200 lies beyond 160
		t.Errorf("box plot %q, want %q", got, want)
	}
	if got, want := a.ecdf(times, 1), []string{"▁▃▄▆▆▆▆▆▆█"}; !slices.Equal(got, want) {
		t.Errorf("distribution %q, want %q", got, want)
	}
	lines := scatter([]sampleAt{{0, 100}, {0, 200}, {1, 100}, {2, 200}}, newAxis([]float64{100, 200}, 2), 3)
	for i, want := range []string{"▒ █", "▒█"} {
		if !strings.HasSuffix(lines[i], " "+want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
}

func TestTheZoomedPicturesHaveTheGoodSamplesOnly(t *testing.T) {
	f := &samples.Fingerprint{Runs: []samples.FingerprintRun{{NS: []int64{9e6, 5e6, 1000, 1010, 7e6, 1020},
		Of: []samples.Category{samples.First, samples.Warmup, samples.Good, samples.Good, samples.Outlier, samples.Good}}}}
	pictures := fingerprintPictures(f)
	if len(pictures) != 4 {
		t.Fatalf("%d pictures", len(pictures))
	}
	for i, p := range pictures {
		lines := strings.Join(p.Text[0].Draw(80), "\n")
		if zoomed := i >= 2; strings.Contains(lines, " ms") == zoomed {
			t.Errorf("%s:\n%s", p.Title, lines)
		}
	}
}
