package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"pgmpi/bench/table"
	"pgmpi/measure/protocol"
)

const (
	firstCalls = 20
	warmup     = 5
)

// rival names a plain C program that times the rank program's calls.
type rival struct {
	program string
	args    []string // before the cases
	cases   []protocol.JobCase
	samples int     // of a case
	allowed float64 // largest distance of a median ratio from 1
}

// loopRival runs the same loop (baseline.c).
var loopRival = rival{
	program: "baseline", args: []string{"5000", fmt.Sprint(firstCalls), fmt.Sprint(warmup)},
	cases: []protocol.JobCase{
		{Function: "MPI_Allreduce", Msize: 8}, {Function: "MPI_Allreduce", Msize: 1 << 10}, {Function: "MPI_Bcast", Msize: 8}, {Function: "MPI_Bcast", Msize: 1 << 10},
		{Function: "MPI_Send", Msize: 8}, {Function: "MPI_Send", Msize: 4 << 10}, {Function: "MPI_Send", Msize: 64 << 10},
		{Function: "MPI_Sendrecv", Msize: 8}, {Function: "MPI_Sendrecv", Msize: 4 << 10}, {Function: "MPI_Sendrecv", Msize: 64 << 10},
	},
	samples: 5000, allowed: 0.03,
}

type ratios struct {
	plain       []float64 // median in nanoseconds
	ours, again []float64 // ratios to it
}

// bench shows the cost of the rank program: it compares its times with a plain C program.
//
// A round is three mpiruns in random order: C, ours, and C again (C'). Medians differ between
// mpiruns far more than the two programs do (one mpirun in two may take twice as long), so ours is
// compared with C round by round, and C' next to it shows the effect of chance.
func (r *rival) bench(ctx context.Context, e *env) {
	rng := rand.New(rand.NewPCG(e.seed, 0))
	got := make([]ratios, len(r.cases))
	for range e.times {
		medians := r.round(ctx, e, rng)
		for c := range got {
			plain := medians[0][c]
			got[c].plain = append(got[c].plain, plain)
			got[c].ours = append(got[c].ours, medians[1][c]/plain)
			got[c].again = append(got[c].again, medians[2][c]/plain)
		}
	}
	e.aim("largest distance of a median ratio from 1", 100*r.show(got), "%.1f %%", 0, 100*r.allowed)
}

// round makes the three mpiruns of a round. It returns medians of a call in nanoseconds, by mpirun
// and case.
func (r *rival) round(ctx context.Context, e *env, rng *rand.Rand) (medians [3][]float64) {
	order := rng.Perm(len(r.cases))
	programs := []func(context.Context, *env, []int) map[int][]protocol.Sample{r.plain, r.ours, r.plain}
	for _, i := range rng.Perm(len(programs)) {
		samples := programs[i](ctx, e, order)
		for c := range r.cases {
			medians[i] = append(medians[i], groupedMedian(samples[c]))
		}
	}
	return medians
}

func (r *rival) plain(ctx context.Context, e *env, order []int) map[int][]protocol.Sample {
	args := slices.Clone(r.args)
	for _, i := range order {
		c := r.cases[i]
		args = append(args, fmt.Sprintf("%s:%d", c.Function, c.Msize))
	}
	samples := map[int][]protocol.Sample{}
	for k, line := range strings.Split(strings.TrimSpace(e.plain(ctx, np, r.program, args...)), "\n") {
		fields := strings.Fields(line)
		if len(fields) != 1+r.samples || k >= len(order) || fields[0] != args[len(r.args)+k] {
			must(fmt.Errorf("%s: line %d has %d fields and starts %.40q", r.program, k+1, len(fields), line))
		}
		for _, f := range fields[1:] {
			s := get(protocol.ParseSample(f))
			samples[order[k]] = append(samples[order[k]], s)
		}
	}
	return samples
}

func (r *rival) ours(ctx context.Context, e *env, order []int) map[int][]protocol.Sample {
	job := newJob(np, r.samples, r.cases...)
	job.Order = order
	return e.do(ctx, "pgmpi-rank", job).Samples
}

// groupedMedian returns a median in nanoseconds. It takes a reading t as spread evenly over
// [t − tick/2, t + tick/2]; the tick is the largest number that divides all readings. Where the clock
// ticks in tens of nanoseconds many samples tie, and the plain median would jump by a tick, several
// percent, because of one sample more or less.
func groupedMedian(samples []protocol.Sample) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	var ns []int64
	var tick int64
	for _, s := range samples {
		ns = append(ns, s.NS)
		for rest := s.NS; rest != 0; {
			tick, rest = rest, tick%rest
		}
	}
	slices.Sort(ns)
	mid := ns[len(ns)/2]
	below, _ := slices.BinarySearch(ns, mid)
	above, _ := slices.BinarySearch(ns, mid+1)
	part := (float64(len(ns))/2 - float64(below)) / float64(above-below)
	return float64(mid) + (part-0.5)*float64(tick)
}

// show prints the table, and returns the largest distance of a ratio ours/C from 1.
func (r *rival) show(got []ratios) (off float64) {
	t := table.New("case", "C, µs", "ours / C", "quartiles", "C' / C", "quartiles", fmt.Sprintf("within %g %%", 100*r.allowed))
	between := func(q [5]float64) string { return fmt.Sprintf("%.3f … %.3f", q[1], q[3]) }
	for i, c := range r.cases {
		ours, again := table.Quartiles(got[i].ours), table.Quartiles(got[i].again)
		away, verdict := math.Abs(ours[2]-1), "NO"
		if away <= r.allowed {
			verdict = "yes"
		}
		off = max(off, away)
		t.Row(fmt.Sprintf("%s %d B", c.Function, c.Msize), fmt.Sprintf("%.3f", table.Quartiles(got[i].plain)[2]/1000),
			fmt.Sprintf("%.3f", ours[2]), between(ours), fmt.Sprintf("%.3f", again[2]), between(again), verdict)
	}
	t.Flush()
	return off
}
