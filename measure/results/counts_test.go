package results

import (
	"compress/gzip"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Of three counters the second could not be read.
func TestCountersComeBackAsTheyWereWritten(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	run := sampleRun() // case 0 is plan 4 with 3 repetitions, case 2 plan 6 with one
	run.Counters = []protocol.Counter{{Name: "page-faults", From: "getrusage"}, {Name: "cycles", Why: "hidden"}, {Name: "mpi_t:x", From: "MPI_T"}}
	must.Do(t, f.WriteSeries(CountsOf(run, map[int][][]int64{0: {{1, 0, 385}, nil, {4, 5, 6}}, 2: {{7}, nil, {8}}})))
	for plan, want := range map[int][][]int64{4: {{1, 0, 385}, {4, 5, 6}}, 6: {{7}, {8}}} {
		counters, got, err := f.CountsOfCase(run.Shape, run.Run, plan)
		should.Hold(t, err == nil && reflect.DeepEqual(got, want) && len(counters) == 2 && counters[1].Name == "mpi_t:x" && counters[0].From == "getrusage",
			"case %d: %v of %v, %v", plan, got, counters, err)
	}
	for _, at := range [][2]int{{run.Run, 5}, {run.Run + 1, 4}} {
		counters, got, err := f.CountsOfCase(run.Shape, at[0], at[1])
		should.Hold(t, err == nil && got == nil && counters == nil, "mpirun %d, case %d: %v, %v", at[0], at[1], got, err)
	}
	should.Hold(t, CountsOf(run, nil) == nil, "nothing was sent")
	should.Hold(t, f.WriteSeries(CountsOf(run, map[int][][]int64{0: {{1, 2}, nil, {3, 4}}})) != nil, "two counts of three repetitions were taken")
}

func TestDamagedCountersAreRefused(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	shape := guidelines.Shape{NP: 2}
	const head = `#{"schema":"pgmpi-counters/1","shape":{"np":2},"run":3,"counters":[{"name":"page-faults"}],"plan":[4],"nrep":[1]}` + "\n"
	for text, want := range map[string]string{
		head + "0\t0\t0\t5\n#end rows=1\n":                "",
		head + "0\t1\t0\t5\n#end rows=1\n":                "series 1", // there is one counter
		head + "0\t0\t0\t5\n":                             "before its #end line",
		strings.Replace(head, "-counters/", "-ranks/", 1): "not about",
	} {
		file := must.Get(os.Create(f.Path + "/" + seriesName(countsSchema, shape, 3)))(t)
		z := gzip.NewWriter(file)
		_, _ = z.Write([]byte(text))
		z.Close()
		file.Close()
		_, _, err := f.CountsOfCase(shape, 3, 4)
		should.Hold(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%q: %v, want %q", text, err, want)
	}
}
