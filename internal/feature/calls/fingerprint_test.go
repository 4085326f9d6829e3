package calls

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// fingerprinted describes MPI_Reduce at 64 B: samples of 100 µs, except for the first, 12 of warm-up, one outlier
// and one that was late, in each mpirun.
func fingerprinted(t *testing.T) *Fingerprint {
	t.Helper()
	m := fixture.Manifest()
	m.R = 3
	runs := fixture.Measured(m, 1, 1, 1, 1, 1, 1)
	var all []*results.Run
	for n := range runs {
		samples := make([]protocol.Sample, 60)
		for i := range samples {
			samples[i].NS = 100000 + int64(i*7%10)
			if i < 13 {
				samples[i].NS += 30000
			}
		}
		samples[0].NS, samples[40].NS, samples[50].Flags = 150000, 200020, protocol.FlagLate
		runs[n].Samples[1], runs[n].Order = samples, []int{0, 1, 1, 2}
		runs[n].Cases[1].NRep, runs[n].Cases[1].Usage = 60, &protocol.Usage{Faults: 120, FaultsRank: 1}
		all = append(all, &runs[n])
	}
	f := must.Get(newFingerprint("folder", m, 1, all))(t)
	return f
}

// The rules are of S-THESIS §4.5, with a median of 100 µs.
func TestEverySampleHasItsCategory(t *testing.T) {
	f := fingerprinted(t)
	want := "f" + strings.Repeat("w", 12) + strings.Repeat("g", 27) +
		"o" + strings.Repeat("g", 9) + "-" + strings.Repeat("g", 9)
	for _, r := range f.Runs {
		should.Equal(t, r.Letters, want, "mpirun %d", r.Run)
	}
	should.Hold(t, f.Samples == 180 && f.Invalid == 3 && f.Categories[First] == 3 && f.Categories[Warmup] == 36 &&
		f.Categories[Outlier] == 3 && f.Categories[Good] == 135,
		"%d, %d, %v", f.Samples, f.Invalid, f.Categories)
	should.Hold(t, f.Visits == 2 && len(f.ACF) != 0 && *f.Runs[0].PageFaults == 2, "%d visits, %v, %v", f.Visits, f.ACF,
		*f.Runs[0].PageFaults)
}

func TestDistributionsAreOfAllAndOfGoodSamples(t *testing.T) {
	f := fingerprinted(t)
	near := func(what string, got *float64, ns float64) {
		should.Hold(t, got != nil && math.Abs(*got*1e9-ns) <= 1e-3, "%s: %v, want %v ns", what, got, ns)
	}
	near("longest", f.All.At(1), 200020)
	near("longest good one", f.Good.At(1), 100009)
	near("shortest", f.All.At(0), 100000)
	should.Hold(t, f.All.N == 177 && f.Good.N == 135 && f.All.At(.3) == nil, "%d, %d", f.All.N, f.Good.N)
	should.Hold(t, len(f.Modes) != 0 && f.Modes[0].LoS >= 99e-6 && f.Modes[len(f.Modes)-1].HiS <= 101e-6, "%+v",
		f.Modes)
}

func TestOnlyFunctionsThatCanBeMeasuredAreParsed(t *testing.T) {
	_, _, _, err := parseCase("Reduse:8")
	should.Fail(t, err, "did you mean MPI_Reduce?")
}

func TestNoSampleIsNoFingerprint(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 1, 1, 1, 1, 1, 1)
	runs[0].Cases = slices.Delete(runs[0].Cases, 0, 1)
	runs[0].Samples = slices.Delete(runs[0].Samples, 0, 1)
	_, err := newFingerprint("folder", m, 0, []*results.Run{&runs[0]})
	should.Fail(t, err, "no valid sample")
}
