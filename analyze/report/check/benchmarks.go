package check

import (
	"fmt"
	"strings"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/measure/results/imported"
)

// reportBenchmarks has the run medians of the collectives alone: benchstat compares libraries.
func reportBenchmarks(r *analyze.Report) *document.Benchmarks {
	out := &document.Benchmarks{Facts: []document.Label{{Name: "library", Value: document.OneLine(phrase.ShortVersion(r.Library.Version))}, {Name: "host", Value: document.OneLine(r.Host)}}}
	for _, k := range r.Measured.Cases {
		if !strings.HasPrefix(k.Function, "MPI_") {
			continue
		}
		name := fmt.Sprintf("%s/msize=%d/np=%d%s", k.Function, k.Msize, k.NP, phrase.When(k.Shape != guidelines.Shape{NP: k.NP}.String(), "/shape=%s", k.Shape))
		for _, run := range k.Runs {
			out.Benchmarks = append(out.Benchmarks, document.Benchmark{Name: strings.Join(strings.Fields(clean.Line(name)), "_"), Calls: run.Samples, NS: run.NS})
		}
	}
	return out
}

// reportPlotted has the medians of the collectives over the mpiruns, as OSU's benchmarks print times.
func reportPlotted(r *analyze.Report) string {
	var times []imported.OSUTime
	for _, k := range r.Measured.Cases {
		if strings.HasPrefix(k.Function, "MPI_") {
			times = append(times, imported.OSUTime{Function: k.Function, Msize: k.Msize, Shape: guidelines.ShapeOf(k.Shape, k.NP), NS: k.MedianNS})
		}
	}
	return imported.OSUText(phrase.ShortVersion(r.Library.Version), times)
}
