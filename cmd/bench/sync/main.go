// Sync compares the ways to synchronise processes. `make bench` runs it.
//
// The first table is the perturbation and the repeatability of each: the same
// call, MPI_Allreduce of 8 bytes, in one mpirun per method and round, in random
// order, so that slow spells of the machine hit all alike. What a method does to
// the call shows in its median; how far run medians lie apart, in their spread.
//
// The second table is the experiment of S-REVISITED, Figure 19: the share of
// samples that are invalid, by the length of a fixed window.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/pflag"

	"pgmpi/internal/stats"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// method is a row of the first table.
type method struct{ sync, sample string }

func (m method) String() string { return m.sync + ", " + m.sample }

var methods = []method{
	{"barrier", "local"}, {"double_barrier", "local"}, {"dissemination", "local"},
	{"barrier", "global"}, {"double_barrier", "global"}, {"dissemination", "global"},
	{"window_auto", "global"}, {"round_time", "global"}, {protocol.Auto, protocol.Auto},
}

// windows are those of the second table, its cases those of Figure 19.
var (
	windows  = []time.Duration{2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000}
	windowed = []protocol.JobCase{{Function: "MPI_Alltoall", Msize: 8 << 10}, {Function: "MPI_Scan", Msize: 8 << 10}}
)

func main() {
	var b bench
	pflag.StringVar(&b.rank, "rank", "bin/pgmpi-rank", "the rank program")
	pflag.IntVar(&b.rounds, "rounds", 30, "rounds with one mpirun for each method")
	pflag.IntVar(&b.nrep, "nrep", 2000, "repetitions of a case in an mpirun")
	pflag.IntVar(&b.np, "np", 2, "processes")
	pflag.Uint64Var(&b.seed, "seed", 1, "of the order of mpiruns")
	pflag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench-sync:", err)
		os.Exit(1)
	}
}

type bench struct {
	rank         string
	rounds, nrep int
	np           int
	seed         uint64
	argv         []string
}

func (b *bench) run() error {
	if b.rounds < 1 || b.nrep < 1 || b.np < 1 {
		return errors.New("--rounds, --nrep and --np must be at least 1")
	}
	var err error
	if b.rank, err = filepath.Abs(b.rank); err != nil {
		return err
	}
	info, err := launch.Probe(b.rank)
	if err != nil {
		return err
	}
	launcher, err := launch.Launch(nil, info, b.np)
	if err != nil {
		return err
	}
	b.argv = launch.RankArgv(launcher, b.rank, b.np)
	fmt.Printf("\n%s, p = %d, %d cores: synchronisation\n", info.LibVersion, b.np, launch.Cores())
	if err := b.compareMethods(); err != nil {
		return err
	}
	return b.compareWindows()
}

// job measures cases once, without verification.
func (b *bench) job(cases []protocol.JobCase) *protocol.Job {
	j := &protocol.Job{Mode: protocol.ModeMeasure, NP: b.np, PPN: b.np, Cases: slices.Clone(cases), Datatype: "byte", Op: "bor",
		Clock: "monotonic", ClockSync: "shared", Cache: "warm", FirstCalls: 20, Warmup: 5, SliceNS: int64(10 * time.Second),
		MaxDriftNS: int64(10 * time.Microsecond), TempMemory: 1 << 30, StallNS: int64(2 * time.Minute)}
	for i := range j.Cases {
		j.Cases[i].NRep = b.nrep
		j.Order = append(j.Order, i)
	}
	return j
}

// seen is what one method gave in all rounds.
type seen struct {
	medians        []float64 // ns, one for each round with valid samples
	ratios         []float64 // to the first method's in the same round
	total, invalid int
	perRepetition  []float64 // ns of the whole loop
}

func (b *bench) compareMethods() error {
	got := make([]seen, len(methods))
	rng := rand.New(rand.NewPCG(b.seed, 0))
	for round := range b.rounds {
		medians := make([]float64, len(methods))
		for _, i := range rng.Perm(len(methods)) {
			j := b.job([]protocol.JobCase{{Function: "MPI_Allreduce", Msize: 8}})
			j.Sync, j.Sample = methods[i].sync, methods[i].sample
			out, err := measure.RunJob(context.Background(), b.argv, j)
			if err != nil {
				return fmt.Errorf("round %d, %s: %w", round+1, methods[i], err)
			}
			valid := got[i].add(out.Samples[0])
			if len(valid) == 0 {
				continue
			}
			if medians[i], err = stats.Median(valid); err != nil {
				return err
			}
			got[i].medians = append(got[i].medians, medians[i])
			got[i].perRepetition = append(got[i].perRepetition, float64(out.End.TimedNS)/float64(len(out.Samples[0])))
		}
		for i := range methods {
			if medians[0] > 0 && medians[i] > 0 {
				got[i].ratios = append(got[i].ratios, medians[i]/medians[0])
			}
		}
	}
	return b.showMethods(got)
}

// add counts samples and returns the valid ones, in ns.
func (s *seen) add(samples []protocol.Sample) []float64 {
	var valid []float64
	for _, x := range samples {
		if x.Flags == 0 {
			valid = append(valid, float64(x.NS))
		}
	}
	s.total += len(samples)
	s.invalid += len(samples) - len(valid)
	return valid
}

func (b *bench) showMethods(got []seen) error {
	fmt.Printf("\nMPI_Allreduce of 8 bytes: %d rounds of one mpirun each, %d repetitions. Spread: (Q3 − Q1) / median of the run medians\n", b.rounds, b.nrep)
	table := tablewriter.NewTable(os.Stdout, tablewriter.WithHeaderAutoFormat(tw.Off))
	table.Header("sync, sample", "median, µs", "to barrier", "spread", "max / min", "invalid", "µs a repetition")
	var err error
	for i, m := range methods {
		g := got[i]
		if len(g.medians) == 0 {
			err = errors.Join(err, table.Append(m.String(), "-", "-", "-", "-", share(g.invalid, g.total), "-"))
			continue
		}
		err = errors.Join(err, table.Append(m.String(), fmt.Sprintf("%.3f", quantile(g.medians, 0.5)/1000),
			fmt.Sprintf("%.3f", quantile(g.ratios, 0.5)), fmt.Sprintf("%.3f", spread(g.medians)),
			fmt.Sprintf("%.2f", slices.Max(g.medians)/slices.Min(g.medians)), share(g.invalid, g.total),
			fmt.Sprintf("%.2f", quantile(g.perRepetition, 0.5)/1000)))
	}
	if err := errors.Join(err, table.Render()); err != nil {
		return err
	}
	barrier, auto := spread(got[0].medians), spread(got[len(got)-1].medians)
	word := "is no more repeatable than"
	if auto <= barrier {
		word = "is at least as repeatable as"
	}
	fmt.Printf("auto %s barrier: spread %.3f and %.3f\n", word, auto, barrier)
	return nil
}

func (b *bench) compareWindows() error {
	b.nrep = min(b.nrep, 1000)
	fmt.Printf("\nInvalid samples by the length of the window, %d repetitions\n", b.nrep)
	table := tablewriter.NewTable(os.Stdout, tablewriter.WithHeaderAutoFormat(tw.Off))
	header := []any{"window, µs"}
	for _, c := range windowed {
		header = append(header, fmt.Sprintf("%s %d B: late", c.Function, c.Msize), "too long", "invalid", "median, µs")
	}
	table.Header(header...)
	for _, w := range windows {
		j := b.job(windowed)
		j.Sync, j.Sample, j.WindowNS = "window", protocol.Auto, int64(w)
		out, err := measure.RunJob(context.Background(), b.argv, j)
		if err != nil {
			return fmt.Errorf("window of %v: %w", w, err)
		}
		row := []any{fmt.Sprintf("%g", float64(w)/1000)}
		for i, c := range out.Cases {
			c.Count(out.Samples[i])
			var s seen
			median := "-"
			if valid := s.add(out.Samples[i]); len(valid) > 0 {
				median = fmt.Sprintf("%.2f", quantile(valid, 0.5)/1000)
			}
			row = append(row, share(c.Late, c.NRep), share(c.Long, c.NRep), share(c.Invalid, c.NRep), median)
		}
		if err := table.Append(row...); err != nil {
			return err
		}
	}
	return table.Render()
}

func share(part, all int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(1, all)))
}

// spread is the interquartile range over the median; large where there is nothing.
func spread(x []float64) float64 {
	if len(x) == 0 {
		return 1e9
	}
	return (quantile(x, 0.75) - quantile(x, 0.25)) / quantile(x, 0.5)
}

// quantile of values that are there and finite.
func quantile(x []float64, q float64) float64 {
	v, _ := stats.Quantile(x, q)
	return v
}
