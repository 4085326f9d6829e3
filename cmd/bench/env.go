package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

const np = 2 // of benches that do not go through several

// env has what benches run with: the settings, and what run adds for one bench.
type env struct {
	bin            string
	times, mpiruns int
	load           bool
	processes      []int
	seed           uint64
	folder         string
	tests          int // of a simulated check
	designs        []string
	rows           string

	library string            // "openmpi" or "mpich"; "" without MPI
	info    protocol.RankInfo // of its rank program
	dir     string            // temporary
	exits   []int             // of pgmpi that are no failure, beside 0 and 1
	missed  bool              // some aim
}

func (e env) run(ctx context.Context, b bench, library string) error {
	e.library, e.times = library, cmp.Or(e.times, b.times)
	err := try(func() {
		var err error
		e.bin, err = filepath.Abs(e.bin)
		must(err)
		if library != "" {
			e.info, err = launch.Probe(e.program("pgmpi-rank"))
			must(err)
		}
		e.dir, err = os.MkdirTemp("", "pgmpi-bench-")
		must(err)
		defer os.RemoveAll(e.dir)
		b.run(ctx, &e)
	})
	if err == nil && e.missed {
		err = errMissed
	}
	return err
}

// program is the path of a program that is built for each library.
func (e *env) program(name string) string { return filepath.Join(e.bin, name+"-"+e.library) }

// title starts a bench: what is measured, and on what.
func (e *env) title(format string, args ...any) {
	machine := host.ReadKind(os.DirFS("/"))
	on := fmt.Sprintf("%s, %d cores, Linux %s, %s", cmp.Or(machine.CPU, "unknown"), launch.Cores(), machine.Kernel, runtime.Version())
	if e.library != "" {
		on = e.info.LibVersion + "; " + on
	}
	if e.load {
		on += "; beside a load that comes and goes"
	}
	fmt.Printf("\n== "+format+"\n   %s\n", append(args, on)...)
}

// command is a program that ends when this one does.
func command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return cmd
}

// pgmpi runs the driver; violations are no failure.
func (e *env) pgmpi(ctx context.Context, args ...string) *os.ProcessState {
	cmd := command(ctx, append([]string{filepath.Join(e.bin, "pgmpi")}, args...)...)
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 && !slices.Contains(e.exits, code) {
		must(fmt.Errorf("%v: %w\n%s", cmd.Args, err, out))
	}
	return cmd.ProcessState
}

// measure runs a pgmpi command that measures, with a gl.toml of this text, and reads its
// document, as check's report.json, unless that is nil. out is the results folder; no two
// may have the same seed.
func (e *env) measure(ctx context.Context, command, text string, seed int, document any) (out string, seconds float64) {
	out = filepath.Join(e.dir, fmt.Sprint("out", seed))
	file := filepath.Join(e.dir, "gl.toml")
	must(os.WriteFile(file, []byte(text), 0o666))
	start := time.Now()
	e.pgmpi(ctx, command, "--quiet", "--guidelines", file, "--rank", e.program("pgmpi-rank"), "--out", out, "--seed", fmt.Sprint(seed))
	seconds = time.Since(start).Seconds()
	if document != nil {
		name := map[string]string{"check": "report"}[command]
		read(filepath.Join(out, cmp.Or(name, command)+".json"), document)
	}
	return out, seconds
}

func read(file string, document any) {
	text, err := os.ReadFile(file)
	must(err)
	must(json.Unmarshal(text, document))
}

// preload makes a section of gl.toml that loads a library into the ranks.
func preload(library, variable, value string) string {
	return fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q, %s = %q }\n", library, variable, value)
}

// delay makes a section of gl.toml that delays calls: docs/statistics.md#self-test.
func (e *env) delay(calls ...string) string {
	return preload(e.program("pgmpi-rank")+"-delay.so", "PGMPI_DELAY", strings.Join(calls, ","))
}

// job makes a section of gl.toml for np processes and --mpiruns; without that pgmpi has
// its default.
func (e *env) job(msizes string) string {
	text := fmt.Sprintf("[job]\nnp = [%d]\nmsizes = [%s]\n", np, msizes)
	if e.mpiruns > 0 {
		text += fmt.Sprintf("mpiruns = %d\n", e.mpiruns)
	}
	return text
}

// report has what the benches read of report.json.
type report struct {
	R        int               `json:"r"`
	Gate     *analyze.Gate     `json:"gate"`
	Verdicts []analyze.Verdict `json:"verdicts"`
	States   []medians.State   `json:"states"`
}

// verdicts returns how often each one was given.
func (r *report) verdicts() map[judge.Verdict]int {
	n := map[judge.Verdict]int{}
	for _, v := range r.Verdicts {
		n[v.Verdict]++
	}
	return n
}

func outcomes(verdicts []analyze.Verdict) []judge.Outcome {
	number := func(p *float64, none float64) float64 {
		if p == nil {
			return none
		}
		return *p
	}
	out := make([]judge.Outcome, len(verdicts))
	for i, v := range verdicts {
		out[i] = judge.Outcome{Verdict: v.Verdict, Runs: v.Runs, Replication: number(v.Replication, 0),
			Ratio: number(v.Ratio, math.NaN()), Lo95: number(v.RatioLo95, math.NaN()), Hi95: number(v.RatioHi95, math.NaN())}
	}
	return out
}

// launcher starts p processes. MPICH's busy waiting stalls ranks that share a
// core, so there yield.so makes them give way.
func (e *env) launcher(p int) []string {
	argv, err := launch.Launch(launch.Config{}, e.info, guidelines.Shape{NP: p})
	must(err)
	if e.library == "mpich" && p > launch.Cores() {
		argv = append([]string{"env", "LD_PRELOAD=" + filepath.Join(e.bin, "yield.so")}, argv...)
	}
	return argv
}

// newJob measures cases in their order, without verification.
func newJob(p, nrep int, cases ...protocol.JobCase) *protocol.Job {
	j := &protocol.CallsJob{Mode: protocol.ModeMeasure, Measure: &protocol.MeasureJob{}, Cases: slices.Clone(cases), Datatype: "byte", Op: "bor",
		Sync: "barrier", Clock: "monotonic", ClockSync: "shared", Cache: "warm", FirstCalls: firstCalls, Warmup: warmup, SliceNS: int64(10 * time.Second),
		MaxDriftNS: int64(10 * time.Microsecond), TempMemory: 1 << 30}
	for i := range j.Cases {
		j.Cases[i].NRep = nrep
		j.Order = append(j.Order, i)
	}
	return &protocol.Job{NP: p, StallNS: int64(2 * time.Minute), CallsJob: j}
}

// do does a job in one mpirun of a rank program.
func (e *env) do(ctx context.Context, rank string, job *protocol.Job) *protocol.Output {
	mpi := measure.DefaultMPI()
	mpi.Launch = e.launcher(job.NP)
	ranks := &measure.Outside{MPI: mpi, Path: e.program(rank), Info: e.info}
	out, err := ranks.Do(ctx, guidelines.Shape{NP: job.NP}, nil, job, nil)
	must(err)
	return out
}

// plain runs a plain C program on p processes and returns what it wrote to
// standard output.
func (e *env) plain(ctx context.Context, p int, program string, args ...string) string {
	cmd := command(ctx, slices.Concat(launch.Placed(e.launcher(p), guidelines.Shape{NP: p}), []string{e.program(program)}, args)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		must(fmt.Errorf("%v: %w\n%.500s%s", cmd.Args, err, out, stderr.String()))
	}
	return string(out)
}
