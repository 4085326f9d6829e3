package report

import (
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
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
			if !ok {
				t.Fatalf("%s has no time", record.Name)
			}
			byName[record.Name.String()] = append(byName[record.Name.String()], seconds*1e9)
		case *benchfmt.SyntaxError:
			t.Error(record)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if better := in.Units().Get("sec/op", "better"); better == nil || better.Value != "lower" {
		t.Error("it does not say that less is better")
	}
	return byName, last
}

func TestEveryRunMedianOfACollectiveIsALineOfBenchfmt(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536}, few, 12, config(), planted)
	r.Host = "login1"
	byName, last := benchmarksIn(t, written(t, "benchfmt", check.Reports.Document(r)))
	if len(byName) != 2*3 || len(byName["MPI_Reduce/msize=65536/np=2"]) != 12 {
		t.Errorf("%v", byName)
	}
	// planted: 1002 ns, .1 % more in every mpirun, and the middle of three samples one more.
	if got := byName["MPI_Reduce/msize=1/np=2"][0]; math.Abs(got-1004) > 1e-6 {
		t.Errorf("%g ns", got)
	}
	if last.Iters != 3 || last.GetConfig("library") != "MPICH Version: 4.0.2" || last.GetConfig("host") != "login1" {
		t.Errorf("%d %+v", last.Iters, last.Config)
	}
}

func TestBenchfmtReadsBackWhateverTheNames(t *testing.T) {
	r := hostileReport(t)
	d := check.Reports.Document(r)
	byName, last := benchmarksIn(t, written(t, "benchfmt", d))
	lines := 0
	for name, values := range byName {
		lines += len(values)
		if !strings.HasPrefix(name, "MPI_") || !strings.HasSuffix(name, "/np=2/shape="+strings.Join(strings.Fields(clean.Line(hostileText)), "_")) {
			t.Errorf("%q", name)
		}
	}
	if lines == 0 || lines != len(d.Benchmarks.Benchmarks) || last.GetConfig("host") != d.Benchmarks.Facts[1].Value {
		t.Errorf("%d lines of %d, host %q", lines, len(d.Benchmarks.Benchmarks), last.GetConfig("host"))
	}
}

func TestShapesWithAsManyProcessesAreDifferentBenchmarks(t *testing.T) {
	byName, _ := benchmarksIn(t, written(t, "benchfmt", check.Reports.Document(everyTest(t))))
	for _, name := range []string{"MPI_Scan/msize=262144/np=2/shape=2x1", "MPI_Scan/msize=262144/np=2/shape=1x2"} {
		if len(byName[name]) != 24 {
			t.Errorf("%s: %v", name, byName[name])
		}
	}
}

// The real benchstat compares two nights, the second of which is 20 % slower.
func TestBenchstatReadsIt(t *testing.T) {
	dir := t.TempDir()
	benchstat := filepath.Join(dir, "benchstat")
	if out, err := exec.Command("go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Skipf("benchstat cannot be built here, perhaps for lack of network: %s", lastLine(string(out)))
	}
	write := func(name string, factor float64) string {
		r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), planted)
		for _, k := range r.Measured.Cases {
			for i := range k.Runs {
				k.Runs[i].NS *= factor
			}
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(written(t, "benchfmt", check.Reports.Document(r))), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	out, err := exec.Command(benchstat, "-format", "csv", write("one", 1), write("two", 1.2)).Output()
	if err != nil {
		t.Fatal(err)
	}
	in := csv.NewReader(strings.NewReader(string(out)))
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, row := range rows {
		if len(row) > 5 && strings.Contains(row[0], "msize=") {
			found[row[0]] = row[5]
		}
	}
	if len(found) != 2*2 || found["MPI_Reduce/msize=1024/np=2"] != "+20.00%" {
		t.Errorf("%v in:\n%s", found, out)
	}
}
