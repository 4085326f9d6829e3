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
	"syscall"
	"text/tabwriter"
	"time"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

const np = 2 // of benches that do not go through several

// env is what benches run with: the settings, and what run adds for one bench.
type env struct {
	bin            string
	times, mpiruns int
	load           bool
	processes      []int
	seed           uint64
	folder         string
	every          int    // combinations of exhaustive, of which one is tried
	suite          string // the built tests of interpose
	parts          []string
	simulation

	library string            // "openmpi" or "mpich"; "" without MPI
	info    protocol.RankInfo // of its rank program
	dir     string            // temporary
}

// run does a bench with one library, or with none.
func (e env) run(ctx context.Context, b bench, library string) (err error) {
	e.times = cmp.Or(e.times, b.times)
	if e.bin, err = filepath.Abs(e.bin); err != nil {
		return err
	}
	if e.library = library; library != "" {
		if e.info, err = launch.Probe(e.program("pgmpi-rank")); err != nil {
			return err
		}
	}
	if e.dir, err = os.MkdirTemp("", "pgmpi-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(e.dir)
	return b.run(ctx, &e)
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
	fmt.Printf("\n== "+format+"\n   %s\n", append(args, on)...)
}

// command is a program that ends when this one does.
func command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return cmd
}

// pgmpi runs the driver; violations are no error.
func (e *env) pgmpi(ctx context.Context, args ...string) (*os.ProcessState, error) {
	cmd := command(ctx, append([]string{filepath.Join(e.bin, "pgmpi")}, args...)...)
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return cmd.ProcessState, nil
}

// measure runs a pgmpi command that measures, with a gl.toml of this text. out is
// its results folder; no two may have the same seed.
func (e *env) measure(ctx context.Context, command, text string, seed int) (out string, seconds float64, err error) {
	out = filepath.Join(e.dir, fmt.Sprint("out", seed))
	file := filepath.Join(e.dir, "gl.toml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return "", 0, err
	}
	start := time.Now()
	_, err = e.pgmpi(ctx, command, "--quiet", "--guidelines", file, "--rank", e.program("pgmpi-rank"), "--out", out, "--seed", fmt.Sprint(seed))
	return out, time.Since(start).Seconds(), err
}

// mpirunsLine is the line of gl.toml for --mpiruns; without it pgmpi has its default.
func (e *env) mpirunsLine() string {
	if e.mpiruns == 0 {
		return ""
	}
	return fmt.Sprintf("mpiruns = %d\n", e.mpiruns)
}

// report is what the benches read of report.json. Reports of older versions lack
// the fields that are named here.
type report struct {
	R        int           `json:"r"`
	Gate     *analyze.Gate `json:"gate"`
	Verdicts []verdict     `json:"verdicts"`
	States   []struct {
		Name    string `json:"name"`
		MPIRuns []int  `json:"mpiruns"`
	} `json:"states"`
}

type verdict struct {
	analyze.Verdict
	Replication *float64 `json:"replication"` // probability that a new check calls it violated again
	Firm        bool     `json:"firm"`
}

// reportOf reads the report.json of a results folder.
func reportOf(out string) (*report, error) {
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		return nil, err
	}
	var r report
	return &r, json.Unmarshal(text, &r)
}

// launcher starts p processes. MPICH's busy waiting stalls ranks that share a
// core, so there yield.so makes them give way.
func (e *env) launcher(p int) ([]string, error) {
	argv, err := launch.Launch(launch.Config{}, e.info, guidelines.Shape{NP: p})
	if e.library == "mpich" && p > launch.Cores() {
		argv = append([]string{"env", "LD_PRELOAD=" + filepath.Join(e.bin, "yield.so")}, argv...)
	}
	return argv, err
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
func (e *env) do(ctx context.Context, rank string, job *protocol.Job) (*protocol.Output, error) {
	argv, err := e.launcher(job.NP)
	if err != nil {
		return nil, err
	}
	mpi := measure.DefaultMPI()
	mpi.Launch = argv
	ranks := &measure.Outside{MPI: mpi, Path: e.program(rank), Info: e.info}
	return ranks.Do(ctx, guidelines.Shape{NP: job.NP}, nil, job, nil)
}

// plain runs a plain C program on p processes and returns what it wrote to
// standard output.
func (e *env) plain(ctx context.Context, p int, program string, args ...string) (string, error) {
	return e.start(ctx, p, append([]string{e.program(program)}, args...)...)
}

// start runs any program on p processes and returns what it wrote to standard
// output.
func (e *env) start(ctx context.Context, p int, program ...string) (string, error) {
	argv, err := e.launcher(p)
	if err != nil {
		return "", err
	}
	cmd := command(ctx, slices.Concat(launch.Placed(argv, guidelines.Shape{NP: p}), program)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%v: %w\n%.500s%s", cmd.Args, err, out, stderr.String())
	}
	return string(out), err
}

// outcome prints one number beside its aim; it returns errMissed when the aim is
// missed.
func outcome(what, got, aim string, ok bool) error {
	if !ok {
		fmt.Printf("   missed: %s: %s (aim: %s)\n", what, got, aim)
		return errMissed
	}
	fmt.Printf("   ok: %s: %s (aim: %s)\n", what, got, aim)
	return nil
}

// table aligns rows on standard output once it is flushed. Its columns have a
// least width, so that rows that are flushed one by one still line up.
type table struct{ *tabwriter.Writer }

func newTable(header ...any) table {
	t := table{tabwriter.NewWriter(os.Stdout, 10, 0, 2, ' ', tabwriter.AlignRight)}
	t.row(header...)
	return t
}

func (t table) row(cells ...any) {
	for _, c := range cells {
		fmt.Fprintf(t, "%v\t", c)
	}
	fmt.Fprintln(t)
}

// number is "-" for what is not a number.
func number(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// per is how many there are for each of the others.
func per(n, of int) string { return number("%.2f", float64(n)/float64(of)) }

func percent(n, of int) string { return number("%.1f %%", 100*float64(n)/float64(of)) }

// quartiles are the least value, the quartiles and the largest; NaN of no values.
func quartiles(x []float64) (q [5]float64) {
	for i := range q {
		var err error
		if q[i], err = stats.Quantile(x, float64(i)/4); err != nil {
			q[i] = math.NaN()
		}
	}
	return q
}
