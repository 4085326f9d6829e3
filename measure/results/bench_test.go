package results

import (
	"math/rand/v2"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
)

// BenchmarkReadRaw reads a file of a million samples.
func BenchmarkReadRaw(b *testing.B) {
	const cases, nrep = 500, 2000
	rng := rand.New(rand.NewPCG(1, 1))
	run := &Run{Header: Header{Mode: protocol.ModeMeasure, Shape: guidelines.Shape{NP: 2}, Run: 1}}
	for i := range cases {
		run.Cases = append(run.Cases, CaseInfo{Plan: i, CaseResult: protocol.CaseResult{Case: i, Status: protocol.StatusOK, NRep: nrep}})
		samples := make([]protocol.Sample, nrep)
		for k := range samples {
			samples[k].NS = int64(float64(100*(i+5))*(1+0.03*rng.ExpFloat64())) * 10
		}
		run.Samples = append(run.Samples, samples)
	}
	path := written(b, run)
	for b.Loop() {
		must.Get(ReadRaw(path, 1<<20))(b)
	}
}
