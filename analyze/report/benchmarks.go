package report

import (
	"fmt"
	"strings"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
)

// reportBenchmarks are those of the collectives.
func reportBenchmarks(r *analyze.Report) *Benchmarks {
	out := &Benchmarks{Facts: []Label{{"library", oneLine(ShortVersion(r.Library.Version))}, {"host", oneLine(r.Host)}}}
	for _, k := range r.Measured.Cases {
		if !strings.HasPrefix(k.Function, "MPI_") {
			continue
		}
		name := fmt.Sprintf("%s/msize=%d/np=%d%s", k.Function, k.Msize, k.NP, when(k.Shape != guidelines.Shape{NP: k.NP}.String(), "/shape=%s", k.Shape))
		for _, run := range k.Runs {
			out.Benchmarks = append(out.Benchmarks, Benchmark{strings.Join(strings.Fields(clean.Line(name)), "_"), run.Samples, run.NS})
		}
	}
	return out
}
