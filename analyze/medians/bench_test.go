package medians

import (
	"math/rand/v2"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
)

// BenchmarkAMillionSamples is what the analysis costs beside reading the files:
// six cases in one mpirun, 1,000,000 samples in all.
func BenchmarkAMillionSamples(b *testing.B) {
	m := fixture.Manifest()
	run := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[0]
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range run.Samples {
		run.Samples[i] = make([]protocol.Sample, 1000000/len(run.Samples))
		for k := range run.Samples[i] {
			run.Samples[i][k].NS = 10000 + rng.Int64N(2000)
		}
	}
	for b.Loop() {
		must.Do(b, New(m).Add(&run))
	}
}
