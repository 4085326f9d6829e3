package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze"
	plans "pgmpi/internal/fixture"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// library is one of the two MPI libraries that real mpiruns are tested with.
type library struct {
	name  string
	rank  string // file name of the rank program
	mpi   string // launcher
	yield bool   // spins when there are more ranks than cores; see testdata/yield
}

var libraries = []library{
	{name: "openmpi", rank: "pgmpi-rank-openmpi", mpi: mpirunOf("openmpi") + " -np {np}"},
	{name: "mpich", rank: "pgmpi-rank-mpich", mpi: mpirunOf("mpich") + " -np {np}", yield: true},
}

var other = map[string]string{"openmpi": "mpich", "mpich": "openmpi"}

// mpirunOf names a library's mpirun as Debian does, or as Fedora does where that
// is not there.
func mpirunOf(library string) string {
	if _, err := exec.LookPath("mpirun." + library); err != nil {
		if path := "/usr/lib64/" + library + "/bin/mpirun"; exec.Command(path, "--version").Run() == nil {
			return path
		}
	}
	return "mpirun." + library
}

// everything is what `make test-all` asks for: more processes and datatypes than a test that is run often.
var everything = os.Getenv("PGMPI_TESTS") == "all"

// mostRanks limits the ranks of tests of data: what there is beyond four, such as a second round
// for the ranks that no power of two has, is met with three.
func mostRanks(all int) int {
	if everything {
		return all
	}
	return min(all, 4)
}

// eachLibrary runs a test with both libraries.
func eachLibrary(t *testing.T, test func(*testing.T, *fixture)) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) { test(t, newFixture(t, l)) })
	}
}

// eitherLibrary runs a test with one of the libraries, and in `make test-all` with both: for
// claims about pgmpi, which no library changes. Names deal them out, so that each gets about half.
func eitherLibrary(t *testing.T, test func(*testing.T, *fixture)) {
	for i, l := range libraries {
		if everything || crc32.ChecksumIEEE([]byte(t.Name()))%2 == uint32(i) {
			t.Run(l.name, func(t *testing.T) { test(t, newFixture(t, l)) })
		}
	}
}

// eitherAtOnce is eitherLibrary beside other tests, as bothAtOnce is eachLibrary.
func eitherAtOnce(t *testing.T, test func(*testing.T, *fixture)) {
	t.Parallel()
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		t.Parallel()
		test(t, b)
	})
}

// bothAtOnce runs a test with both libraries at the same time, and beside other tests: for
// what waits, or is right or wrong whatever time it takes. Tests that run so come after all
// others, which need the cores for themselves.
func bothAtOnce(t *testing.T, test func(*testing.T, *fixture)) {
	t.Parallel()
	bothAlone(t, test)
}

// bothAlone is bothAtOnce beside no other test: for hosts of our own, whose network devices
// come and go while MPICH looks at all that there are, and may miss one (UCX: "No such device").
func bothAlone(t *testing.T, test func(*testing.T, *fixture)) {
	eachLibrary(t, func(t *testing.T, b *fixture) {
		t.Parallel()
		test(t, b)
	})
}

// fixture is a folder of one test with everything that a real check needs.
type fixture struct {
	t    *testing.T
	lib  library
	bin  string // the folder of the built programs
	dir  string
	rank string // a path of this test only, so that its processes can be told apart
	out  string // the results folder
	env  []string
}

// libraryIndex is for claims that are shared between the libraries: what they are
// about is ours, and one of the two shows it.
func (b *fixture) libraryIndex() int {
	return slices.IndexFunc(libraries, func(l library) bool { return l.name == b.lib.name })
}

// has deals the parts of such a claim out: each is one library's.
func (b *fixture) has(part int) bool { return part%len(libraries) == b.libraryIndex() }

// emptyFixture needs no MPI.
func emptyFixture(t *testing.T, dir string) *fixture {
	return &fixture{t: t, dir: dir, out: filepath.Join(dir, "out"), env: append(os.Environ(), "WORK="+dir)}
}

func newFixture(t *testing.T, l library) *fixture {
	t.Helper()
	return newFixtureIn(t, t.TempDir(), l)
}

func newFixtureIn(t *testing.T, dir string, l library) *fixture {
	t.Helper()
	b := emptyFixture(t, dir)
	b.lib, b.bin, b.rank = l, os.Getenv("PGMPI_TEST_BIN"), filepath.Join(b.dir, "pgmpi-rank")
	if b.bin == "" {
		t.Skip("real mpiruns need the folder of the built programs in PGMPI_TEST_BIN: `make test` sets it")
	}
	must.Do(t, errors.Join(os.Symlink(filepath.Join(b.bin, l.rank), b.rank), os.WriteFile(filepath.Join(b.dir, "quick.toml"), []byte(quick), 0o666)))
	mpirun, _, _ := strings.Cut(l.mpi, " ")
	b.env = append(b.env, "BIN="+b.bin, "RANK="+b.rank, "MPIRUN="+mpirun, "LIB="+l.name, "OTHER="+other[l.name])
	if l.name == "openmpi" { // to look for networks takes most of a start, and tests need none
		b.env = append(b.env, "OMPI_MCA_pml=^cm,ucx")
	}
	if os.Geteuid() == 0 {
		b.env = append(b.env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	return b
}

// preload returns the environment with one more library between ranks and MPI.
func (b *fixture) preload(name string) []string {
	file := filepath.Join(b.bin, name)
	for _, v := range b.env {
		if before, ok := strings.CutPrefix(v, "LD_PRELOAD="); ok {
			file = before + ":" + file
		}
	}
	return append(slices.Clone(b.env), "LD_PRELOAD="+file)
}

// toml writes gl.toml and returns its path.
func (b *fixture) toml(text string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, "gl.toml")
	must.Do(b.t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

const quick = plans.Quick

// long lasts until it is ended.
const long = `
[check]
guidelines = ["GL8"]
[job]
np = [2]
mpiruns = 3
msizes = ["8", "64Ki"]
[nrep]
fixed = 5000000
[analyze]
method = "paper"
`

// said is how a program ended.
type said struct {
	code           int
	stdout, stderr string
}

func (b *fixture) command(program string, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	cmd := exec.Command(program, args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = &out, &err, b.env, b.dir
	cmd.WaitDelay = 5 * time.Second
	return cmd, &out, &err
}

// limit ends a program.
const limit = 5 * time.Minute

// run runs a program to its end.
func (b *fixture) run(program string, args ...string) said {
	b.t.Helper()
	cmd, out, err := b.command(program, args...)
	if e := cmd.Start(); e != nil {
		b.t.Fatal(e)
	}
	defer time.AfterFunc(limit, func() { _ = cmd.Process.Kill() }).Stop()
	_ = cmd.Wait()
	return said{cmd.ProcessState.ExitCode(), out.String(), err.String()}
}

func (b *fixture) pgmpi(args ...string) said {
	b.t.Helper()
	return b.run("pgmpi", args...)
}

// inProcess runs a command line that starts no mpirun.
func inProcess(args ...string) said {
	var out, errs bytes.Buffer
	code := execute(context.Background(), args, &out, &errs)
	return said{code, out.String(), errs.String()}
}

// check runs `pgmpi check` with this library into the results folder.
func (b *fixture) check(args ...string) said {
	b.t.Helper()
	return b.pgmpi(b.checkArgs(args...)...)
}

func (b *fixture) checkArgs(args ...string) []string {
	return append([]string{"check", "--rank", b.rank, "--out", b.out}, args...)
}

// exits fails the test unless the program ended with one of the codes.
func (s said) exits(t *testing.T, codes ...int) said {
	t.Helper()
	must.Hold(t, slices.Contains(codes, s.code), "exit status %d, want %v\nstdout:\n%s\nstderr:\n%s", s.code, codes, s.stdout, s.stderr)
	return s
}

// says fails the test unless standard error has every word.
func (s said) says(t *testing.T, words ...string) said {
	t.Helper()
	should.Contain(t, s.stderr, words...)
	return s
}

// shows fails the test unless standard output has every pattern.
func (s said) shows(t *testing.T, patterns ...string) said {
	t.Helper()
	for _, p := range patterns {
		should.Hold(t, regexp.MustCompile("(?m)"+p).MatchString(s.stdout), "standard output lacks %s:\n%s", p, s.stdout)
	}
	return s
}

func (b *fixture) report() *analyze.Report {
	b.t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(b.out, "report.json")))(b.t)
	var r analyze.Report
	must.Do(b.t, json.Unmarshal(text, &r))
	return &r
}

// raw lists the raw files with their times of writing.
func (b *fixture) raw() map[string]time.Time {
	b.t.Helper()
	files := map[string]time.Time{}
	entries := must.Get(os.ReadDir(filepath.Join(b.out, "raw")))(b.t)
	for _, e := range entries {
		info := must.Get(e.Info())(b.t)
		files[e.Name()] = info.ModTime()
	}
	return files
}

// processes lists the pids whose command line names this test's rank program;
// with ranks only those that run it.
func (b *fixture) processes(ranks bool) []int {
	var found []int
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, n := range names {
		text, _ := os.ReadFile(n)
		argv := strings.Split(string(text), "\x00")
		at := slices.Index(argv, b.rank)
		if at < 0 || (ranks && at != 0) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(n, "/proc/%d/", &pid); err == nil {
			found = append(found, pid)
		}
	}
	return found
}

// patience multiplies what a quiet machine needs: limits end what hangs, and no test is about how
// long something takes.
const patience = 10

// within polls until a condition holds, and tells whether it did in time.
func within(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(patience * limit); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// waitFor fails the test unless a condition holds in time.
func (b *fixture) waitFor(what string, limit time.Duration, holds func() bool) {
	b.t.Helper()
	if !within(limit, holds) {
		b.t.Fatalf("%s: not within %v", what, limit)
	}
}

// ended tells whether every process of this check has.
func (b *fixture) ended() bool { return len(b.processes(false)) == 0 }

// noneLeft fails the test when a process of this check lives for longer.
func (b *fixture) noneLeft(limit time.Duration) {
	b.t.Helper()
	b.waitFor("the end of every process of "+b.rank, limit, b.ended)
}

// textWidth is the widest line of a document, in columns.
const textWidth = 100
