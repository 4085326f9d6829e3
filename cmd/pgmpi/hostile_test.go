package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	plans "pgmpi/testkit/fixture"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// costs runs pgmpi, and prints what it used as the last line of standard error. The units are KiB and nanoseconds of
// processors, or what these would be where the machine does not slow down. It is a small program in between, since the
// memory of a process counts for the processes that it starts.
func costs() {
	cmd := exec.Command("pgmpi", os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	defer time.AfterFunc(mpirun.Patience*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	_ = cmd.Run()
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	took := processors(used)
	if took > mostTime {
		took = time.Duration(float64(took) / slowdown())
	}
	fmt.Fprintf(os.Stderr, "\n%d %d", used.Maxrss, took)
	os.Exit(cmd.ProcessState.ExitCode())
}

func processors(u *syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// slowdown returns how many times as long as usual this machine now takes to read JSON, at least 1. What a host gives to
// other guests, or a core to its sibling, counts as time of processors.
func slowdown() float64 {
	text := []byte("[" + strings.Repeat(`{"a":[1,2,3],"b":"0-131071"},`, 1<<10) + "{}]")
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for range 200 {
		var into any
		if err := json.Unmarshal(text, &into); err != nil {
			panic(err)
		}
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	return max(1, float64(processors(&after)-processors(&before))/float64(usualReading))
}

// usualReading is the CPU time of that reading on the machine for which mostTime was chosen.
const usualReading = 200 * time.Millisecond

// limited runs pgmpi with an address space that a machine can spare.
func limited(t *testing.T, args ...string) (got mpirun.Said, kib int64, took time.Duration) {
	t.Helper()
	const addressKiB = 4 << 20
	cmd := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec costs "$@"`, addressKiB), "sh"}, args...)...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run()
	text := err.String()
	at := strings.LastIndex(text, "\n")
	_, e := fmt.Sscan(text[at+1:], &kib, &took)
	must.Hold(t, e == nil, "%v: %s", e, text)
	return mpirun.Said{Code: cmd.ProcessState.ExitCode(), Stdout: out.String(), Stderr: text[:at]}, kib, took
}

// edited makes a results folder whose manifest somebody has changed.
func edited(t *testing.T, change func(m *results.Manifest)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	plans.Folder(t, dir, glfile.Default())
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	must.Do(t, err)
	var m results.Manifest
	must.Do(t, json.Unmarshal(text, &m))
	change(&m)
	text, err = json.Marshal(m)
	must.Do(t, err)
	replace(t, dir, string(text))
	return dir
}

// replace writes another manifest.
func replace(t *testing.T, dir, manifest string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(manifest), 0o666))
}

// packed replaces the raw file of the first mpirun.
func packed(t *testing.T, dir, text string) {
	t.Helper()
	var b bytes.Buffer
	z := must.Get(gzip.NewWriterLevel(&b, gzip.BestSpeed))(t)
	_, err := z.Write([]byte(text))
	must.Do(t, err)
	must.Do(t, z.Close())
	must.Do(t, os.WriteFile(filepath.Join(dir, "raw", "run-p2-01.tsv.gz"), b.Bytes(), 0o666))
}

// These limit the cost of reading a megabyte, whatever it holds.
const (
	mostMemory = 200 << 20
	mostTime   = 5 * time.Second // of processors
	megabyte   = 1 << 20
)

func TestHostileFolderCostsNoMoreThanItHolds(t *testing.T) {
	many := func(n int, part string) string { return part + strings.Repeat(","+part, n/(len(part)+1)) }
	manifest := func(fields string) string { return `{"schema":"pgmpi-manifest/1","mpiruns":2,` + fields + `}` }
	header := func(fields string) string {
		return `#{"schema":"pgmpi-raw/1","mode":"run","shape":{"np":2},"run":1,` + fields + "}\n#end rows=0\n"
	}
	for name, make := range map[string]func(t *testing.T) string{
		"empty kinds of nodes": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			replace(t, dir, manifest(`"factors":{"layouts":[{"kinds":[`+many(megabyte, "{}")+`]}]}`))
			return dir
		},
		"sets of many CPUs": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			replace(t, dir, manifest(`"factors":{"layouts":[{"kinds":[{"siblings":[`+many(megabyte, `"0-131071"`)+`]}]}]}`))
			return dir
		},
		"empty cases": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			replace(t, dir, manifest(`"plan":{"shapes":[{"np":2}],"cases":[`+many(megabyte, "{}        ")+`]}`))
			return dir
		},
		"short tests": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			replace(t, dir, manifest(`"plan":{"shapes":[{"np":2}],"cases":[{},{}],"tests":[`+many(megabyte, `{"type":"pattern","case":0,"others":[1]}`)+`]}`))
			return dir
		},
		"tests of one size with all others": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			replace(t, dir, manifest(`"plan":{"shapes":[{"np":2}],"cases":[{"msize":8},{"msize":1}],"tests":[`+
				many(megabyte, `{"type":"split","case":0,"others":[`+many(100000, "1       ")+`]}`)+`]}`))
			return dir
		},
		"mpiruns that are not there": func(t *testing.T) string {
			return edited(t, func(m *results.Manifest) { m.R = 10000 })
		},
		"long names": func(t *testing.T) string {
			long := strings.Repeat("x", megabyte/8)
			return edited(t, func(m *results.Manifest) {
				m.Rank.LibVersion, m.Factors.Hostname, m.Plan.Datatype = long, long, long
				m.Plan.Cases[0].Function, m.Plan.Tests[0].Function, m.Plan.Tests[0].Guideline = long, long, long
				m.Events = []string{long}
			})
		},
		"a word of a megabyte": func(t *testing.T) string {
			return edited(t, func(m *results.Manifest) { m.Plan.Notes = []string{strings.Repeat("x", megabyte)} })
		},
		"names of one letter with blanks": func(t *testing.T) string {
			return edited(t, func(m *results.Manifest) { m.Plan.Notes = []string{strings.Repeat("x ", megabyte/2)} })
		},
		"many nodes": func(t *testing.T) string {
			return edited(t, func(m *results.Manifest) {
				l := host.Layout{Shape: "p2", Kinds: []host.NodeKind{{}}, Pinnings: [][]host.Pin{{{Ranks: 1}}}}
				for i := range 6000 {
					l.Nodes = append(l.Nodes, host.Node{Host: fmt.Sprint(i), Ranks: host.Ranges{i}})
				}
				m.Factors.Layouts = []host.Layout{l}
			})
		},
		"many cases and one wide": func(t *testing.T) string {
			return edited(t, func(m *results.Manifest) {
				for i := range 4000 {
					plans.Test(m, guidelines.Guideline{ID: "x", Type: guidelines.Monotony, Function: "MPI_Scan"}, plans.P2, int64(i), plans.Case(m, "MPI_Scan", plans.P2, int64(i)))
				}
				m.Plan.Cases[10].Function = strings.Repeat("y", 100000)
				m.Plan.Tests[10].Function = strings.Repeat("y", 100000)
			})
		},
		"a header of empty cases": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			packed(t, dir, header(`"cases":[`+many(60*megabyte, "{}")+`]`))
			return dir
		},
		"a header of order": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			packed(t, dir, header(`"cases":[],"order":[`+many(60*megabyte, "0")+`]`))
			return dir
		},
		"a row without end": func(t *testing.T) string {
			dir := edited(t, func(*results.Manifest) {})
			packed(t, dir, `#{"schema":"pgmpi-raw/1","mode":"run","shape":{"np":2},"run":1,"cases":[]}`+"\n"+strings.Repeat("0", 100*megabyte))
			return dir
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := make(t)
			for _, args := range [][]string{{"analyze", dir, "--format", "table,markdown,csv"}, {"compare", dir, dir}, {"env", dir}, {"times", dir, "--mock-ups"}} {
				got, kib, took := limited(t, args...)
				if got.Code > exitcode.Interrupted || kib<<10 > mostMemory || took > mostTime || strings.Contains(got.Stderr, "goroutine ") || strings.Contains(got.Stderr, "internal error") {
					t.Errorf("%s: %d MiB, %v, ended with %d: %.300s", args[0], kib>>10, took, got.Code, got.Stderr)
				}
			}
		})
	}
}

// All text of a folder passes the filter, on standard output and in errors.
func TestTextsOfAFolderAreShownAndNotObeyed(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]0;x\x07\u009b31m\u202e\rfake\x7f"
	dir := edited(t, func(m *results.Manifest) {
		m.Created, m.Version, m.Rank.LibVersion, m.Rank.Compiler, m.Rank.Version, m.Rank.Host = evil, evil, evil, evil, evil, evil
		m.Factors.Hostname, m.Factors.Kernel, m.Factors.CPU, m.Factors.Go = evil, evil, evil, evil
		m.Factors.Env = map[string]string{evil: evil}
		m.PML, m.Events, m.Plan.Notes, m.Plan.Datatype, m.Plan.Op = map[string]string{"p2": evil}, []string{evil}, []string{evil}, evil, evil
		m.Skip = map[int]protocol.CaseResult{0: {Status: protocol.StatusWrong, Message: evil + "\nMPI_Bcast kept"}}
		m.Plan.Tests[1].Guideline, m.Plan.Tests[1].Mockup = evil, evil
		m.Factors.Layouts = []host.Layout{{Shape: "p2", Command: []string{evil}, Kinds: []host.NodeKind{{CPU: evil, Library: evil, Devices: []string{evil}, Env: map[string]string{evil: evil}}},
			Pinnings: [][]host.Pin{{{Ranks: 1}}}, Nodes: []host.Node{{Host: evil, Ranks: host.Ranges{0}}}}}
	})
	broken := filepath.Join(t.TempDir(), evil)
	for _, args := range [][]string{
		{"analyze", dir}, {"analyze", dir, "--format", "json"}, {"analyze", dir, "--format", "csv"}, {"analyze", dir, "--format", "markdown"},
		{"env", dir}, {"env", dir, "--format", "json"}, {"times", dir, "--mock-ups"}, {"compare", dir, dir}, {"analyze", dir, "--explain", "GL8:8"},
		{"analyze", broken}, {"check", "--out", dir}, {evil},
	} {
		got, _, _ := limited(t, args...)
		for _, text := range []string{got.Stdout, got.Stderr} {
			if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && clean.Hidden(r) }); at >= 0 {
				t.Errorf("%.40q: %q", args, text[max(0, at-40):min(len(text), at+40)])
			}
			should.Hold(t, !strings.Contains(text, "\nMPI_Bcast kept"), "%.40q: a message makes a line of its own", args)
		}
		should.Hold(t, got.Stdout+got.Stderr != "", "%.40q says nothing", args)
	}
}

// starting makes a folder whose rank program and launcher would leave a trace.
func starting(t *testing.T, own bool) (dir, trace string) {
	tmp := t.TempDir()
	trace = filepath.Join(tmp, "trace")
	program := filepath.Join(tmp, "pgmpi-rank")
	script := fmt.Appendf(nil, "#!/bin/sh\ntouch '%s'\n", trace)
	must.Do(t, os.WriteFile(program, script, 0o777))
	dir = edited(t, func(m *results.Manifest) {
		f, err := glfile.Default(), error(nil)
		f.Job.NP = []int{2}
		f.Mockup = []guidelines.Mockups{{File: "/tmp/theirs.so", IDs: []string{"scan_as_theirs"}}}
		f.MPI.Rank, f.MPI.Launch, f.MPI.Env = program, []string{program, "{np}"}, map[string]string{"LD_PRELOAD": "x.so"}
		if m.Config, err = json.Marshal(f); err != nil {
			t.Fatal(err)
		}
		m.Rank.Hash = fmt.Sprintf("%x", sha256.Sum256(script))[:16]
		if !own {
			m.FolderID = "1"
		}
	})
	for _, name := range []string{".", "manifest.json", ".lock"} { // whatever the umask is
		must.Do(t, os.Chmod(filepath.Join(dir, name), 0o755))
	}
	return dir, trace
}

func TestWhatAForeignFolderNamesIsNotStarted(t *testing.T) {
	t.Parallel()
	dir, trace := starting(t, false)
	for _, command := range []string{"check", "nrep", "measure"} {
		args := []string{command, "--out", dir}
		if command == "check" {
			args = append(args, "--resume")
		}
		got, _, _ := limited(t, args...)
		got.Exits(t, 2).Says(t, "mpi.rank = ", "mpi.launch = ", `mpi.env = ["LD_PRELOAD"]`, `mockup.file = "/tmp/theirs.so"`, "--guidelines", "a folder of your own")
		// A dry run starts nothing, whosever the folder is.
		got, _, _ = limited(t, append(args, "--dry-run")...)
		should.Hold(t, got.Code == 0, "%s --dry-run ended with %d: %s", command, got.Code, got.Stderr)
		_, err := os.Stat(trace)
		should.Hold(t, err != nil, "%s has started the rank program of the folder", command)
	}
}

func TestWhatAnOwnFolderNamesIsStarted(t *testing.T) {
	dir, trace := starting(t, true)
	got, _, _ := limited(t, "check", "--out", dir, "--resume", "--dry-run")
	_, err := os.Stat(trace)
	should.Hold(t, err != nil && got.Code == 0, "a dry run has started the rank program, or ended with %d: %s", got.Code, got.Stderr)
	got, _, _ = limited(t, "check", "--out", dir, "--resume")
	_, err = os.Stat(trace)
	should.Hold(t, err == nil, "%v; it said: %s", err, got.Stderr)
}
