package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/pflag"

	"pgmpi/internal/stats"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

const (
	np         = 2
	firstCalls = 20
	warmup     = 5
	allowed    = 0.03 // distance of the median ratio from 1
)

var cases = []protocol.JobCase{
	{Function: "MPI_Allreduce", Msize: 8},
	{Function: "MPI_Allreduce", Msize: 1024},
	{Function: "MPI_Bcast", Msize: 8},
	{Function: "MPI_Bcast", Msize: 1024},
}

// loopCommand shows what the rank program costs: it compares its timing loop with
// the same loop in a plain C program (baseline.c).
//
// A round is three mpiruns in random order: C, ours, and C again (C'). Medians
// differ between mpiruns far more than the two programs do (one mpirun in two
// may take twice as long), so ours is compared with C round by round, and C'
// with C beside it shows what pure chance does.
var loopCommand = command{
	name:  "loop",
	short: "the timing loop against the same loop in plain C, one library",
	flags: func(fs *pflag.FlagSet) func() error {
		var b bench
		fs.StringVar(&b.rank, "rank", "bin/pgmpi-rank", "the rank program")
		fs.StringVar(&b.baseline, "baseline", "bin/baseline", "baseline.c, built with the same mpicc")
		fs.IntVar(&b.rounds, "rounds", 60, "rounds of three mpiruns")
		fs.IntVar(&b.nrep, "nrep", 20000, "timed repetitions of a case in an mpirun")
		fs.Uint64Var(&b.seed, "seed", 1, "of the order of mpiruns and cases")
		return b.run
	},
}

// bench is one comparison with one MPI library.
type bench struct {
	rank, baseline string
	rounds, nrep   int
	seed           uint64

	info protocol.RankInfo
	argv []string // of the launcher
}

// medians are those of one mpirun, in nanoseconds, by the index of the case.
type medians []float64

func (b *bench) run() error {
	if b.rounds < 1 || b.nrep < 1 {
		return errors.New("--rounds and --nrep must be at least 1")
	}
	for _, path := range []*string{&b.rank, &b.baseline} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = abs
	}
	var err error
	if b.info, err = launch.Probe(b.rank); err != nil {
		return err
	}
	if b.argv, err = launch.Launch(nil, b.info, np); err != nil {
		return err
	}
	b.argv = launch.WithNP(b.argv, np)
	title("timing loop, ours against plain C: %d rounds of three mpiruns, %d repetitions, p = %d", b.info.LibVersion, b.rounds, b.nrep, np)
	start := time.Now()
	ours, again, base, err := b.measure()
	if err != nil {
		return err
	}
	off, err := report(ours, again, base)
	fmt.Printf("took %v\n", time.Since(start).Round(time.Second))
	if err != nil {
		return err
	}
	return outcome("largest distance of a median ratio from 1", fmt.Sprintf("%.1f %%", 100*off), "at most 3 %", off <= allowed)
}

// measure runs all rounds. ours and again are ratios to C, base is C's median
// in nanoseconds; each by case and round.
func (b *bench) measure() (ours, again, base [][]float64, err error) {
	ours, again, base = make([][]float64, len(cases)), make([][]float64, len(cases)), make([][]float64, len(cases))
	rng := rand.New(rand.NewPCG(b.seed, 0))
	for round := range b.rounds {
		var got [3]medians
		order := rng.Perm(len(cases))
		for _, i := range rng.Perm(3) {
			one := b.runBaseline
			if i == 1 {
				one = b.runOurs
			}
			if got[i], err = one(order); err != nil {
				return nil, nil, nil, fmt.Errorf("round %d: %w", round+1, err)
			}
		}
		for c := range cases {
			base[c] = append(base[c], got[0][c])
			ours[c] = append(ours[c], got[1][c]/got[0][c])
			again[c] = append(again[c], got[2][c]/got[0][c])
		}
	}
	return ours, again, base, nil
}

// mpirun starts a program and returns what it wrote to standard output.
func (b *bench) mpirun(program string, args ...string) ([]byte, error) {
	cmd := exec.Command(b.argv[0], slices.Concat(b.argv[1:], []string{program}, args)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out[:min(len(out), 500)], stderr.String())
	}
	return out, nil
}

func (b *bench) runBaseline(order []int) (medians, error) {
	args := []string{strconv.Itoa(b.nrep), strconv.Itoa(firstCalls), strconv.Itoa(warmup)}
	for _, i := range order {
		args = append(args, fmt.Sprintf("%s:%d", cases[i].Function, cases[i].Msize))
	}
	out, err := b.mpirun(b.baseline, args...)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(order) {
		return nil, fmt.Errorf("%s printed %d lines for %d cases", b.baseline, len(lines), len(order))
	}
	got := make(medians, len(cases))
	for k, i := range order {
		var samples []protocol.Sample
		for _, f := range strings.Fields(lines[k])[1:] {
			s, err := protocol.ParseSample(f)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.baseline, err)
			}
			samples = append(samples, s)
		}
		if got[i], err = b.median(samples); err != nil {
			return nil, err
		}
	}
	return got, nil
}

func (b *bench) runOurs(order []int) (medians, error) {
	file, err := b.jobFile(order)
	if err != nil {
		return nil, err
	}
	defer os.Remove(file)
	out, err := b.mpirun(b.rank, "--np", strconv.Itoa(np), "--job", file)
	if err != nil {
		return nil, err
	}
	samples, err := readOutput(out)
	if err != nil {
		return nil, err
	}
	got := make(medians, len(cases))
	for i := range cases {
		if got[i], err = b.median(samples[i]); err != nil {
			return nil, fmt.Errorf("%s at %d bytes: %w", cases[i].Function, cases[i].Msize, err)
		}
	}
	return got, nil
}

// jobFile writes the job for the rank program's --job. Nothing is verified:
// the C program does not do it either.
func (b *bench) jobFile(order []int) (string, error) {
	job := &protocol.Job{Mode: protocol.ModeMeasure, NP: np, PPN: np, Cases: slices.Clone(cases), Order: order,
		Datatype: "byte", Op: "bor", Sync: "barrier", Clock: "monotonic", ClockSync: "shared", FirstCalls: firstCalls, Warmup: warmup,
		TempMemory: 1 << 30, StallNS: int64(2 * time.Minute)}
	for i := range job.Cases {
		job.Cases[i].NRep = b.nrep
	}
	return writeJob(job)
}

// writeJob writes a job to a temporary file, for the rank program's --job.
func writeJob(job *protocol.Job) (string, error) {
	lines, err := protocol.EncodeJob(job)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "pgmpi-bench-*.job")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	return f.Name(), errors.Join(err, f.Close())
}

// readOutput returns the samples of a rank program by the index of the case.
func readOutput(out []byte) (map[int][]protocol.Sample, error) {
	var in protocol.OutputReader
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		switch word, text, _ := strings.Cut(lines.Text(), " "); word {
		case protocol.LineHello, protocol.LineProgress:
			continue
		case protocol.LineError:
			return nil, errors.New(text)
		}
		done, err := in.Add(lines.Bytes())
		if err != nil {
			return nil, err
		}
		if done {
			return in.Output().Samples, nil
		}
	}
	return nil, errors.New("the rank program's output has no end record")
}

// median is that of grouped data, in nanoseconds: where the clock ticks in tens
// of nanoseconds many samples tie, and the plain median would jump by a tick,
// several percent, because of one sample more or less.
func (b *bench) median(samples []protocol.Sample) (float64, error) {
	if len(samples) != b.nrep {
		return 0, fmt.Errorf("%d samples, expected %d", len(samples), b.nrep)
	}
	ns := make([]int64, len(samples))
	for i, s := range samples {
		ns[i] = s.NS
	}
	return groupedMedian(ns), nil
}

// groupedMedian takes a reading t as spread evenly over [t − tick/2, t + tick/2];
// the tick is what divides all readings.
func groupedMedian(ns []int64) float64 {
	slices.Sort(ns)
	var tick int64
	for _, t := range ns {
		tick = gcd(tick, t)
	}
	mid := ns[len(ns)/2]
	below, _ := slices.BinarySearch(ns, mid)
	above, _ := slices.BinarySearch(ns, mid+1)
	part := (float64(len(ns))/2 - float64(below)) / float64(above-below)
	return float64(mid) + (part-0.5)*float64(tick)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// report prints the table; off is the largest distance of a ratio ours/C from 1.
func report(ours, again, base [][]float64) (off float64, err error) {
	table := tablewriter.NewTable(os.Stdout, tablewriter.WithHeaderAutoFormat(tw.Off))
	table.Header("case", "C, µs", "ours / C", "quartiles", "C' / C", "quartiles", "within 3 %")
	for i, c := range cases {
		micro, _ := stats.Median(base[i])
		o, oq := describe(ours[i])
		_, aq := describe(again[i])
		a, _ := stats.Median(again[i])
		verdict := "yes"
		if !(math.Abs(o-1) <= allowed) {
			verdict = "NO"
		}
		off = max(off, math.Abs(o-1))
		err = errors.Join(err, table.Append(fmt.Sprintf("%s %d B", c.Function, c.Msize),
			fmt.Sprintf("%.3f", micro/1000), fmt.Sprintf("%.3f", o), oq, fmt.Sprintf("%.3f", a), aq, verdict))
	}
	return off, errors.Join(err, table.Render())
}

// describe returns the median and the quartiles as text.
func describe(ratios []float64) (float64, string) {
	m, err1 := stats.Median(ratios)
	q1, err2 := stats.Quantile(ratios, 0.25)
	q3, err3 := stats.Quantile(ratios, 0.75)
	if errors.Join(err1, err2, err3) != nil {
		return math.NaN(), "-"
	}
	return m, fmt.Sprintf("%.3f … %.3f", q1, q3)
}
