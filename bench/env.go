package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	"pgmpi/guidelines"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

const (
	np    = 2 // of benches that use one number of processes
	stall = int64(2 * time.Minute)
)

type env struct {
	bin            string
	times, mpiruns int
	load           bool
	processes      []int
	seed           uint64
	folder         string
	screens        string // a folder
	tests          int    // of a simulated check
	designs        []string
	rows           string

	library string            // "openmpi" or "mpich", or "" without MPI
	info    protocol.RankInfo // of its rank program
	dir     string            // temporary
	exits   []int             // of pgmpi that are no failure, besides 0 and 1
	missed  bool              // some aim
}

// run prints what a bench finds, and tells whether it ended and kept its aims.
func (e env) run(ctx context.Context, b bench, library string) bool {
	e.library, e.times = library, cmp.Or(e.times, b.times)
	err := try(func() {
		e.bin = get(filepath.Abs(e.bin))
		if library != "" {
			e.info = get(launch.Probe(e.program("pgmpi-rank"), nil))
		}
		e.dir = get(os.MkdirTemp("", "pgmpi-bench-"))
		defer os.RemoveAll(e.dir)
		e.title(b)
		b.run(ctx, &e)
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench %s: %v\n", b.name, err)
	}
	return err == nil && !e.missed
}

func (e *env) numbers(usual ...int) []int {
	if len(e.processes) > 0 {
		return e.processes
	}
	return usual
}

func (e *env) program(name string) string { return filepath.Join(e.bin, name+"-"+e.library) }

func (e *env) title(b bench) {
	machine := host.ReadKind(os.DirFS("/"))
	on := fmt.Sprintf("%s, %d cores, Linux %s, %s", cmp.Or(machine.CPU, "unknown"), launch.Cores(), machine.Kernel, runtime.Version())
	if e.library != "" {
		on = e.info.LibVersion + "; " + on
	}
	if e.load {
		on += "; beside a load that comes and goes"
	}
	fmt.Printf("\n== %s: %s (%d)\n   %s\n", b.name, b.shows, e.times, on)
}

// command returns a program that ends when this one does.
func command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return cmd
}

// output returns what a program writes to standard output. exits holds statuses that are no
// failure, besides 0.
func output(cmd *exec.Cmd, exits ...int) []byte {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && !slices.Contains(exits, cmd.ProcessState.ExitCode()) {
		must(fmt.Errorf("%v: %w\n%.2000s%s", cmd.Args, err, out, stderr.String()))
	}
	return out
}

// pgmpi runs the driver and returns what it wrote to standard output; violations are no failure.
func (e *env) pgmpi(ctx context.Context, args ...string) ([]byte, *os.ProcessState) {
	cmd := command(ctx, append([]string{filepath.Join(e.bin, "pgmpi")}, args...)...)
	return output(cmd, append(slices.Clone(e.exits), 1)...), cmd.ProcessState
}

// measure runs a pgmpi command that measures, with a gl.toml of this text. It reads the command's
// document, as check's report.json, unless that is nil. out is the results folder; each needs a
// seed of its own.
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

type checked struct {
	analyze.Report
	out     string // its results folder
	seconds float64
}

// line returns the median mpirun's round trip of a cache line in ns, or 0.
func (c *checked) line() float64 {
	for _, y := range c.Probes {
		return y.LineNS
	}
	return 0
}

func (e *env) check(ctx context.Context, name, text string, seed int) (c checked) {
	c.out, c.seconds = e.measure(ctx, "check", text, seed, &c.Report)
	fmt.Printf("   %s: R = %d, %.1f s, cache line %.0f ns, %d states: %v\n", name, c.R, c.seconds, c.line(), max(1, len(c.States)), verdicts(&c.Report))
	return c
}

func read(file string, document any) {
	text := get(os.ReadFile(file))
	must(json.Unmarshal(text, document))
}

func preload(library, variable, value string) string {
	return fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q, %s = %q }\n", library, variable, value)
}

// delay makes a section of gl.toml that delays calls: docs/statistics.md#self-test.
func (e *env) delay(calls ...string) string {
	return preload(e.program("pgmpi-rank")+"-delay.so", "PGMPI_DELAY", strings.Join(calls, ","))
}

// job makes a section of gl.toml for np processes and --mpiruns. Without --mpiruns pgmpi has its
// default.
func (e *env) job(msizes string) string {
	text := fmt.Sprintf("[job]\nnp = [%d]\nmsizes = [%s]\n", np, msizes)
	if e.mpiruns > 0 {
		text += fmt.Sprintf("mpiruns = %d\n", e.mpiruns)
	}
	return text
}

func verdicts(r *analyze.Report) map[judge.Verdict]int {
	n := map[judge.Verdict]int{}
	for _, v := range r.Verdicts {
		n[v.Verdict]++
	}
	return n
}

func value(p *float64, none float64) float64 {
	if p == nil {
		return none
	}
	return *p
}

func outcomes(verdicts []analyze.Verdict) []judge.Outcome {
	out := make([]judge.Outcome, len(verdicts))
	for i, v := range verdicts {
		out[i] = judge.Outcome{Verdict: v.Verdict, Runs: v.Runs, Replication: value(v.Replication, 0),
			Ratio: value(v.Ratio, math.NaN()), Lo95: value(v.RatioLo95, math.NaN()), Hi95: value(v.RatioHi95, math.NaN())}
	}
	return out
}

// launcher starts p processes. MPICH's busy waiting stalls ranks that share a
// core, so there yield.so makes them give way.
func (e *env) launcher(p int) []string {
	argv := get(launch.Launch(launch.Config{}, e.info, guidelines.Shape{NP: p}))
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
	return &protocol.Job{NP: p, StallNS: stall, CallsJob: j}
}

func (e *env) do(ctx context.Context, rank string, job *protocol.Job, variables ...map[string]string) *protocol.Output {
	mpi := measure.DefaultMPI()
	mpi.Launch = e.launcher(job.NP)
	ranks := &measure.Outside{MPI: mpi, Path: e.program(rank), Info: e.info}
	return get(ranks.Do(ctx, guidelines.Shape{NP: job.NP}, measure.Env(variables...), job, nil))
}

// plain runs a plain C program on p processes and returns its standard output.
func (e *env) plain(ctx context.Context, p int, program string, args ...string) string {
	return e.plainAfter(ctx, nil, p, program, args)
}

// plainAfter puts words before the launcher.
func (e *env) plainAfter(ctx context.Context, words []string, p int, program string, args []string) string {
	return string(output(command(ctx, slices.Concat(words, launch.Placed(e.launcher(p), guidelines.Shape{NP: p}), []string{e.program(program)}, args)...)))
}

// loadScript keeps a core busy for 10 of every 30 s.
const loadScript = "while :; do timeout --foreground 10 sh -c 'while :; do :; done'; sleep 20; done"

// besideLoad does something while the load runs, if there is one. A load that cannot go on ends it.
func besideLoad(ctx context.Context, load bool, do func(context.Context)) {
	if !load {
		do(ctx)
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cores := host.Affinity()
	cmd := command(ctx, "taskset", "--cpu-list", fmt.Sprint(cores[len(cores)-1]), "sh", "-c", loadScript)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	must(cmd.Start())
	ended := make(chan bool)
	go func() {
		cancel(fmt.Errorf("the load has ended: %w", cmd.Wait())) // the first cause counts
		close(ended)
	}()
	err := try(func() { do(ctx) })
	early := context.Cause(ctx)
	cancel(nil)
	<-ended
	must(errors.Join(early, err))
}
