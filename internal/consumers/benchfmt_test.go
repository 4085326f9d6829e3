package consumers

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"pgmpi/internal/clean"
	"pgmpi/internal/fixture"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// benchmarksIn reads a file back: values in nanoseconds by name.
func benchmarksIn(t *testing.T, text string) (byName map[string][]float64, last *benchfmt.Result) {
	t.Helper()
	byName = map[string][]float64{}
	in := benchfmt.NewReader(strings.NewReader(text), "report.bench.txt")
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.Result:
			last = record.Clone()
			seconds, ok := record.Value("sec/op")
			must.Hold(t, ok, "%s has no time", record.Name)
			byName[record.Name.String()] = append(byName[record.Name.String()], seconds*1e9)
		case *benchfmt.SyntaxError:
			t.Error(record)
		}
	}
	must.Do(t, in.Err())
	better := in.Units().Get("sec/op", "better")
	should.Hold(t, better != nil && better.Value == "lower", "it does not say that less is better")
	return byName, last
}

func TestEveryRunMedianOfACollectiveIsALineOfBenchfmt(t *testing.T) {
	byName, last := benchmarksIn(t, saved(t, "planted.benchfmt"))
	should.Hold(t, len(byName) == 2*4 && len(byName["MPI_Reduce/msize=65536/np=2"]) == 12, "%v", byName)
	// planted: 1002 ns, .1 % more in every mpirun, and the middle of three samples one more.
	got := byName["MPI_Reduce/msize=1/np=2"][0]
	should.Hold(t, math.Abs(got-1004) <= 1e-6, "%g ns", got)
	should.Hold(t, last.Iters == 3 && last.GetConfig("library") == "MPICH Version: 4.0.2", "%d %+v", last.Iters, last.Config)
}

func TestBenchfmtReadsBackWhateverTheNames(t *testing.T) {
	text := saved(t, "hostile.benchfmt")
	byName, last := benchmarksIn(t, text)
	lines := 0
	for name, values := range byName {
		lines += len(values)
		should.Hold(t, strings.HasPrefix(name, "MPI_") && strings.HasSuffix(name, "/np=2/shape="+strings.Join(strings.Fields(clean.Line(fixture.Hostile)), "_")),
			"%q", name)
	}
	host := clean.Line(strings.Join(strings.Fields(fixture.Hostile), " "))
	should.Hold(t, lines != 0 && lines == strings.Count(text, "\nBenchmark") && last.GetConfig("host") == host,
		"%d lines of %d, host %q, want %q", lines, strings.Count(text, "\nBenchmark"), last.GetConfig("host"), host)
}

func TestShapesWithAsManyProcessesAreDifferentBenchmarks(t *testing.T) {
	byName, _ := benchmarksIn(t, saved(t, "every-test.benchfmt"))
	for _, name := range []string{"MPI_Scan/msize=262144/np=2/shape=2x1", "MPI_Scan/msize=262144/np=2/shape=1x2"} {
		should.Equal(t, len(byName[name]), 24, "%s: %v", name, byName[name])
	}
}

// The real benchstat compares two nights, the second of which is 20 % slower.
func TestBenchstatReadsIt(t *testing.T) {
	dir := t.TempDir()
	benchstat := filepath.Join(dir, "benchstat")
	if out, err := exec.Command("go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Skipf("benchstat cannot be built here, perhaps for lack of network: %s", lastLine(string(out)))
	}
	one := saved(t, "planted.benchfmt")
	two := regexp.MustCompile(`(?m)[\d.e+]+ ns/op$`).ReplaceAllStringFunc(one, func(time string) string {
		var ns float64
		fmt.Sscan(time, &ns)
		return fmt.Sprint(1.2*ns, " ns/op")
	})
	var paths []string
	for i, text := range []string{one, two} {
		paths = append(paths, filepath.Join(dir, fmt.Sprint("night", i)))
		must.Do(t, os.WriteFile(paths[i], []byte(text), 0o666))
	}
	out := must.Get(exec.Command(benchstat, "-format", "csv", paths[0], paths[1]).Output())(t)
	in := csv.NewReader(strings.NewReader(string(out)))
	in.FieldsPerRecord = -1
	rows := must.Get(in.ReadAll())(t)
	found := map[string]string{}
	for _, row := range rows {
		if len(row) > 5 && strings.Contains(row[0], "msize=") {
			found[row[0]] = row[5]
		}
	}
	should.Hold(t, len(found) == 2*4 && found["MPI_Reduce/msize=1024/np=2"] == "+20.00%", "%v in:\n%s", found, out)
}
