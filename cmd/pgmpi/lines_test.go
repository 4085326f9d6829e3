package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgmpi/internal/clean"
	"pgmpi/measure/results"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// evilLines would be lines of its own, for a terminal or for GitHub.
const evilLines = "check\n::error::x\r\n  ##[error]y\n\x1b[2J\u202ez"

var obeyed = regexp.MustCompile(`(?m)^[ \t]*(::|##\[)`)

// saysNoLine fails the test if standard error obeys evilLines, or has a line of it.
func saysNoLine(t *testing.T, said mpirun.Said, what ...any) {
	t.Helper()
	bad := obeyed.FindString(said.Stderr) != "" || strings.ContainsFunc(said.Stderr, func(r rune) bool { return r != '\n' && r != '\t' && clean.Hidden(r) })
	should.Hold(t, !bad, "%v: a text of others is a line, or obeyed:\n%q", what, said.Stderr)
	should.Hold(t, !strings.Contains(said.Stderr, "internal error"), "%v: %s", what, said.Stderr)
}

// withEach passes on a JSON value again and again. Each time another of its texts is replaced.
func withEach(t *testing.T, text []byte, do func(place string, changed []byte)) {
	t.Helper()
	var whole any
	must.Do(t, json.Unmarshal(text, &whole))
	var walk func(place string, v any, set func(any))
	walk = func(place string, v any, set func(any)) {
		switch v := v.(type) {
		case string:
			set(evilLines)
			changed, err := json.Marshal(whole)
			must.Do(t, err)
			do(place, changed)
			set(v)
		case []any:
			if len(v) > 0 { // the others are read alike
				walk(place+"[]", v[0], func(x any) { v[0] = x })
			}
		case map[string]any:
			for key, one := range v {
				walk(place+"."+key, one, func(x any) { v[key] = x })
			}
		}
	}
	walk("", whole, nil)
}

func TestNoTextOfAFolderIsALineOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := edited(t, func(*results.Manifest) {})
	manifest := filepath.Join(dir, "manifest.json")
	text := must.Get(os.ReadFile(manifest))(t)
	n := 0
	withEach(t, text, func(place string, changed []byte) {
		n++
		must.Do(t, os.WriteFile(manifest, changed, 0o666))
		for _, args := range [][]string{{"analyze", dir, "--format", "github-comment"}, {"times", dir}, {"env", dir}, {"status", dir}} {
			saysNoLine(t, inProcess(args...), args[0], place)
		}
	})
	should.Hold(t, n > 10, "%d texts were replaced", n)
}

// beside lists files next to manifest.json and raw files, and the command that reads them.
var beside = map[string]struct {
	its  string
	args func(dir string) []string
}{
	"which.json": {`{"schema":"pgmpi-which/1","library":"MPICH","rows":[{"collective":"MPI_Reduce","shape":"p2","msize":8,"algorithms":["binomial"],"by":"tree"}]}`,
		func(dir string) []string { return []string{"analyze", dir} }},
	"remedy/remedy.json": {`{"schema":"pgmpi-remedy/1","library":"MPICH","cells":[{"function":"MPI_Reduce","shape":"p2","msize":8,"np":2,"state":"mended","by":["x"]}],"env":{"X":"y"}}`,
		func(dir string) []string { return []string{"gain", dir, filepath.Join(dir, "app.prof")} }},
	"app.prof": {`{"schema":"pgmpi-profile/1","program":"p","library":"","host":"h","processes":2,"ranks":2,"finished":true,"wall_ns":9,"calls":[{"function":"MPI_Reduce","bytes":8,"processes":2,` +
		`"communicator":"world","datatype":"MPI_INT","op":"MPI_SUM","calls":1,"ranks":2,"sum_ns":2,"least_rank_ns":1,"most_rank_ns":1}]}`,
		func(dir string) []string {
			return []string{"check", "--calls", filepath.Join(dir, "app.prof"), "--dry-run"}
		}},
	"ab.json": {`{"schema":"pgmpi-ab/1","seed":1,"a":"A","b":"B","predict_order":["ab"],"measure_order":["ba"]}`,
		func(dir string) []string { return []string{"compare", dir} }},
	"report.json": {`{"schema":"pgmpi-report/1","verdicts":[{"guideline":"GL8","verdict":"kept"}],"shapes":[{"np":2}]}`,
		func(dir string) []string { return []string{"history", dir} }},
}

func TestNoTextOfAFileBesideAFolderIsALineOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, file := range beside {
		dir := edited(t, func(*results.Manifest) {})
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		if strings.HasPrefix(name, "remedy/") {
			must.Do(t, os.WriteFile(filepath.Join(dir, "app.prof"), []byte(beside["app.prof"].its), 0o666))
		}
		for _, torn := range []string{"", "{", file.its[:len(file.its)/2], `{"schema":` + fmt.Sprintf("%q", evilLines) + "}"} {
			must.Do(t, os.WriteFile(path, []byte(torn), 0o666))
			saysNoLine(t, inProcess(file.args(dir)...), name, torn)
		}
		withEach(t, []byte(file.its), func(place string, changed []byte) {
			must.Do(t, os.WriteFile(path, changed, 0o666))
			saysNoLine(t, inProcess(file.args(dir)...), name, place)
		})
	}
}

func TestNoTextOfAnotherProgramIsALineOfItsOwn(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	for i, text := range []string{
		"# OSU MPI Broadcast Latency Test v7\n# Processes: E\n", "# OSU MPI Broadcast Latency Test v7\n# Processes: 2\n# Size Avg Latency(us)\nE 1\n",
		"# OSU MPI Broadcast Latency Test v7\n# Library: E\n# Processes: 2\n# Size Avg Latency(us)\n1 E\n",
		"# MPI Benchmarks 2021\n# Benchmarking E\n# #processes = 2\n#bytes t_max[usec]\n8 E\n",
		"#@nprocs=E\ntest nrep msize runtime_sec\n", "#@nprocs=2\n#@root_proc=E\ntest nrep msize runtime_sec\nMPI_Bcast 0 8 0.1\n", "#@nprocs=2\ntest nrep msize runtime_sec\nE 0 8 0.1\n",
		`{"nccl_version":1,"args":["E_perf"],"config":{"devices":[{"hostname":"E"}]},"results":[{"size":8,"type":"E","out_of_place":{"time":1}}]}`,
		`{"nccl_version":"E"}`,
	} {
		for n, evil := range []string{"\x1b[2J\u202e::error::x\r##[error]", "a\\n::error::b"} {
			path := filepath.Join(at, fmt.Sprint("a\n::error::", i, n))
			must.Do(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "E", evil)), 0o666))
			saysNoLine(t, inProcess("analyze", "--from", "any", path, "--out", filepath.Join(at, fmt.Sprint("out\n::error::", i, n))), text)
		}
	}
	for _, args := range [][]string{{"analyze", at + evilLines}, {evilLines}, {"analyze", "--" + evilLines}, {"check", at + evilLines}, {"history", at + evilLines}, {"compare", at, at + evilLines},
		{"check", "--np", evilLines}, {"lint", "--table", at + evilLines}, {"gain", at, at + evilLines}, {"list", evilLines}} {
		saysNoLine(t, inProcess(args...), args)
	}
	config := filepath.Join(at, "gl.toml")
	for _, text := range []string{"[job]\nnp = [%q]", "[check]\nguidelines = [%q, %[1]q]", "[%q]\n", "[mpi]\nenv = {%q = %[1]q}\n[x]\n", "%s"} {
		must.Do(t, os.WriteFile(config, fmt.Appendf(nil, text, "a\n::error::b"), 0o666))
		saysNoLine(t, inProcess("check", config, "--dry-run"), text)
	}
}

func TestADamagedFileOfAlgorithmsIsLeftOutWithANote(t *testing.T) {
	dir := edited(t, func(*results.Manifest) {})
	want := inProcess("analyze", dir, "--out", t.TempDir())
	for _, text := range []string{"{", "[]", strings.Replace(beside["which.json"].its, "binomial", `a\n`, 1), strings.Replace(beside["which.json"].its, "p2", "x", 1)} {
		must.Do(t, os.WriteFile(filepath.Join(dir, "which.json"), []byte(text), 0o666))
		got := inProcess("analyze", dir, "--full", "--out", t.TempDir())
		should.Hold(t, got.Code == want.Code && strings.Contains(strings.Join(strings.Fields(got.Stdout), " "), "which.json is damaged, and left out"), "%s: %d, wanted %d\n%s", text, got.Code, want.Code, got.Stdout+got.Stderr)
	}
}
