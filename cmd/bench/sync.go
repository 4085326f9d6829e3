package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"

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

// windows are in the second table, for the cases of Figure 19.
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
func syncBench(ctx context.Context, e *env) {
	got := make([]synced, len(syncMethods))
	rng := rand.New(rand.NewPCG(e.seed, 0))
	for range e.times {
		for _, i := range rng.Perm(len(syncMethods)) {
			job := newJob(np, syncNRep, protocol.JobCase{Function: "MPI_Allreduce", Msize: 8})
			job.Sync, job.Sample = syncMethods[i][0], syncMethods[i][1]
			got[i].add(e.do(ctx, "pgmpi-rank", job))
		}
	}
	fmt.Println("   Spread: (Q3 − Q1) / median of the run medians")
	t := newTable("sync, sample", "median, µs", "to barrier", "spread", "max / min", "invalid", "µs a repetition")
	for i, g := range got {
		m, q := syncMethods[i], quartiles(g.medians)
		ratios := slices.Clone(g.medians)
		floats.Div(ratios, got[0].medians)
		t.row(m[0]+", "+m[1], number("%.3f", q[2]), number("%.3f", quartiles(ratios)[2]), number("%.3f", (q[3]-q[1])/q[2]),
			number("%.2f", q[4]/q[0]), percent(g.invalid, g.total), number("%.2f", quartiles(g.perRepetition)[2]))
	}
	t.Flush()
	compareWindows(ctx, e)
}

// synced is what one method gave, µs by round; NaN: a round without valid samples.
type synced struct {
	medians        []float64
	perRepetition  []float64 // of the whole loop
	total, invalid int       // samples
}

func (s *synced) add(out *protocol.Output) {
	samples := out.Samples[0]
	valid := protocol.ValidSeconds(samples)
	s.total, s.invalid = s.total+len(samples), s.invalid+len(samples)-len(valid)
	s.medians = append(s.medians, quartiles(valid)[2]*1e6)
	s.perRepetition = append(s.perRepetition, float64(out.End.TimedNS)/1e3/float64(len(samples)))
}

func compareWindows(ctx context.Context, e *env) {
	fmt.Printf("\n   Invalid samples by the length of the window, %d repetitions\n", windowNRep)
	header := []any{"window, µs"}
	for _, c := range windowed {
		header = append(header, fmt.Sprintf("%s %d B: late", c.Function, c.Msize), "too long", "invalid", "median, µs")
	}
	t := newTable(header...)
	for _, w := range windows {
		job := newJob(np, windowNRep, windowed...)
		job.Sync, job.Sample, job.WindowNS = "window", protocol.Auto, int64(w)
		out := e.do(ctx, "pgmpi-rank", job)
		row := []any{float64(w) / 1000}
		for i, c := range out.Cases {
			c.Count(out.Samples[i])
			row = append(row, percent(c.Late, c.NRep), percent(c.Long, c.NRep), percent(c.Invalid, c.NRep),
				number("%.2f", quartiles(protocol.ValidSeconds(out.Samples[i]))[2]*1e6))
		}
		t.row(row...)
	}
	must(t.Flush())
}

// clocksJob has all methods that work with clocks that differ on one host, and
// when the clocks are compared.
var clocksJob = protocol.ClocksJob{Clock: "monotonic", Methods: []string{"skampi", "netgauge", "jk", "hca", "hca2", "hca3"},
	Seconds: []float64{1, 2, 5, 10, 20}, Compute: true}

// drift is what each injected clock gains or loses against rank 0's (clock_inject.c).
const drift = 50e-6

// clocksBench shows what clock synchronisation is worth where the truth is
// known: it runs every method with the rank program whose clocks are wrong by a
// known amount (build tag injectedclocks) and prints the true error of the global
// clocks.
//
// The aim is missed when a method that knows drift is off by more than half of it
// after the last comparison at most numbers of processes, or one that does not
// know it is off by less.
func clocksBench(ctx context.Context, e *env) {
	fmt.Println("   true error in µs, the largest over the ranks, of clocks 2 s and 50 to 100 ppm apart, with 0.2 µs of jitter")
	header := []any{"p", "method", "at once"}
	for _, s := range clocksJob.Seconds {
		header = append(header, fmt.Sprint(s, " s"))
	}
	t := newTable(append(header, "takes ms", "rounds", "messages")...)
	numbers := e.numbers(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	right := map[string]int{}
	for _, p := range numbers {
		job := &protocol.Job{NP: p, StallNS: stall, Clocks: &clocksJob}
		out := e.do(ctx, "pgmpi-rank-injected", job)
		for _, s := range out.Syncs {
			row := []any{p, s.Method}
			for _, c := range s.Checks {
				if len(c.TrueNS) != p {
					must(fmt.Errorf("%s at p = %d: no true errors: %s is not built with the tag injectedclocks", s.Method, p, e.program("pgmpi-rank-injected")))
				}
				row = append(row, fmt.Sprintf("%.2f", float64(protocol.Worst(c.TrueNS))/1e3))
			}
			if s.Failed != "" {
				must(fmt.Errorf("%s at p = %d: %s", s.Method, p, s.Failed))
			}
			t.row(append(row, fmt.Sprintf("%.1f", float64(s.DurationNS)/1e6), s.Rounds, s.Messages)...)
			last := s.Checks[len(s.Checks)-1]
			small := float64(protocol.Worst(last.TrueNS)) < drift/2*last.Seconds*1e9
			if knowsDrift := s.Method != "skampi" && s.Method != "netgauge"; small == knowsDrift {
				right[s.Method]++
			}
		}
		must(t.Flush())
	}
	// An oversubscribed rank that loses its core spoils a fit now and then.
	wrong := slices.DeleteFunc(slices.Clone(clocksJob.Methods), func(m string) bool { return right[m]*2 >= len(numbers) })
	e.outcome("methods that are not as they must be at most numbers of processes",
		fmt.Sprintf("%d %s", len(wrong), strings.Join(wrong, ", ")), "none", len(wrong) == 0)
}
