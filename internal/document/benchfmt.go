package document

import (
	"io"

	"golang.org/x/perf/benchfmt"
)

var benchfmtFormat = Format{Name: "benchfmt", ext: "bench.txt", from: benchmarks, Write: writeBenchfmt}

func writeBenchfmt(w io.Writer, d *Document) error {
	out := benchfmt.NewWriter(w)
	unit := benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: "ns/op", Key: "better"}, OrigUnit: "ns/op", Value: "lower"}
	if err := out.Write(&unit); err != nil {
		return err
	}
	var config []benchfmt.Config
	for _, f := range d.Benchmarks.Facts {
		if f.Value != "" { // an empty one would unset it
			config = append(config, benchfmt.Config{Key: f.Name, Value: []byte(f.Value), File: true})
		}
	}
	for _, b := range d.Benchmarks.Benchmarks {
		if err := out.Write(&benchfmt.Result{Config: config, Name: benchfmt.Name(b.Name), Iters: b.Calls,
			Values: []benchfmt.Value{{Value: b.NS, Unit: "ns/op"}}}); err != nil {
			return err
		}
	}
	return nil
}

// Benchmarks are run medians, for programs that compare benchmarks.
type Benchmarks struct {
	Facts      []Label // of all
	Benchmarks []Benchmark
}

// Benchmark is a run median; those with the same name are of the same case.
type Benchmark struct {
	Name  string
	Calls int
	NS    float64
}
