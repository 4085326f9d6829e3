package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"pgmpi/measure/protocol"
)

const (
	syncNRep   = 2000
	windowNRep = 1000
)

// syncMethods are pairs of measure.sync and measure.sample.
var syncMethods = [][2]string{
	{"barrier", "local"}, {"double_barrier", "local"}, {"dissemination", "local"},
	{"barrier", "global"}, {"double_barrier", "global"}, {"dissemination", "global"},
	{"window_auto", "global"}, {"round_time", "global"}, {protocol.Auto, protocol.Auto},
}

// windows are those of the second table, its cases those of Figure 19.
var (
	windows  = []time.Duration{2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000}
	windowed = []protocol.JobCase{{Function: "MPI_Alltoall", Msize: 8 << 10}, {Function: "MPI_Scan", Msize: 8 << 10}}
)

// syncBench compares the ways to synchronise processes.
//
// The first table is the perturbation and the repeatability of each: the same
// call, MPI_Allreduce of 8 bytes, in one mpirun per method and round, in random
// order, so that slow spells of the machine hit all alike. What a method does to
// the call shows in its median; how far run medians lie apart, in their spread.
//
// The second table is the experiment of S-REVISITED, Figure 19: the share of
// samples that are invalid, by the length of a fixed window.
func syncBench(ctx context.Context, e *env) error {
	e.title("synchronisation: MPI_Allreduce of 8 bytes, %d rounds of one mpirun each, %d repetitions, p = %d", e.times, syncNRep, np)
	got := make([]synced, len(syncMethods))
	rng := rand.New(rand.NewPCG(e.seed, 0))
	for round := range e.times {
		medians := make([]float64, len(syncMethods))
		for _, i := range rng.Perm(len(syncMethods)) {
			job := newJob(np, syncNRep, protocol.JobCase{Function: "MPI_Allreduce", Msize: 8})
			job.Sync, job.Sample = syncMethods[i][0], syncMethods[i][1]
			out, err := e.do(ctx, "pgmpi-rank", job)
			if err != nil {
				return fmt.Errorf("round %d, %s, %s: %w", round+1, job.Sync, job.Sample, err)
			}
			medians[i] = got[i].add(out)
		}
		for i := range got {
			if medians[0] > 0 && medians[i] > 0 {
				got[i].ratios = append(got[i].ratios, medians[i]/medians[0])
			}
		}
	}
	showMethods(got)
	return compareWindows(ctx, e)
}

// synced is what one method gave in all rounds.
type synced struct {
	medians        []float64 // µs, one for each round with valid samples
	ratios         []float64 // to the first method's in the same round
	total, invalid int
	perRepetition  []float64 // µs of the whole loop
}

// add takes the only case of an mpirun and returns its median; 0 without valid
// samples.
func (s *synced) add(out *protocol.Output) float64 {
	samples := out.Samples[0]
	valid := protocol.ValidSeconds(samples)
	s.total += len(samples)
	s.invalid += len(samples) - len(valid)
	if len(valid) == 0 {
		return 0
	}
	median := quartiles(valid)[2] * 1e6
	s.medians = append(s.medians, median)
	s.perRepetition = append(s.perRepetition, float64(out.End.TimedNS)/1e3/float64(len(samples)))
	return median
}

func showMethods(got []synced) {
	fmt.Println("   Spread: (Q3 − Q1) / median of the run medians")
	t := newTable("sync, sample", "median, µs", "to barrier", "spread", "max / min", "invalid", "µs a repetition")
	var spread, first float64
	for i, m := range syncMethods {
		g := got[i]
		q := quartiles(g.medians)
		spread = (q[3] - q[1]) / q[2]
		if i == 0 {
			first = spread
		}
		t.row(m[0]+", "+m[1], number("%.3f", q[2]), number("%.3f", quartiles(g.ratios)[2]), number("%.3f", spread),
			number("%.2f", q[4]/q[0]), percent(g.invalid, g.total), number("%.2f", quartiles(g.perRepetition)[2]))
	}
	t.Flush()
	word := "is no more repeatable than"
	if spread <= first {
		word = "is at least as repeatable as"
	}
	fmt.Printf("   auto %s barrier: spread %.3f and %.3f\n", word, spread, first)
}

func compareWindows(ctx context.Context, e *env) error {
	fmt.Printf("\n   Invalid samples by the length of the window, %d repetitions\n", windowNRep)
	header := []any{"window, µs"}
	for _, c := range windowed {
		header = append(header, fmt.Sprintf("%s %d B: late", c.Function, c.Msize), "too long", "invalid", "median, µs")
	}
	t := newTable(header...)
	for _, w := range windows {
		job := newJob(np, windowNRep, windowed...)
		job.Sync, job.Sample, job.WindowNS = "window", protocol.Auto, int64(w)
		out, err := e.do(ctx, "pgmpi-rank", job)
		if err != nil {
			return fmt.Errorf("window of %v: %w", w, err)
		}
		row := []any{float64(w) / 1000}
		for i, c := range out.Cases {
			c.Count(out.Samples[i])
			row = append(row, percent(c.Late, c.NRep), percent(c.Long, c.NRep), percent(c.Invalid, c.NRep),
				number("%.2f", quartiles(protocol.ValidSeconds(out.Samples[i]))[2]*1e6))
		}
		t.row(row...)
	}
	return t.Flush()
}
