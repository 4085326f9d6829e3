package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"pgmpi/measure/protocol"
)

const (
	loopNRep   = 20000
	firstCalls = 20
	warmup     = 5
	allowed    = 0.03 // distance of the median ratio from 1
	// loopAttempts bounds the rounds that are made for each that is to count.
	loopAttempts = 2
)

var loopCases = []protocol.JobCase{
	{Function: "MPI_Allreduce", Msize: 8},
	{Function: "MPI_Allreduce", Msize: 1024},
	{Function: "MPI_Bcast", Msize: 8},
	{Function: "MPI_Bcast", Msize: 1024},
}

// ratios are what a case gave, by round.
type ratios struct {
	plain       []float64 // median in nanoseconds
	ours, again []float64 // ratios to it
}

// loopBench shows what the rank program costs: it compares its timing loop with
// the same loop in a plain C program (baseline.c).
//
// A round is three mpiruns in random order: C, ours, and C again (C'). Medians
// differ between mpiruns far more than the two programs do (one mpirun in two
// may take twice as long), so ours is compared with C round by round, and C'
// with C beside it shows what pure chance does. A round counts only if the machine
// was in one state before, between and after its mpiruns.
func loopBench(ctx context.Context, e *env) error {
	e.title("timing loop, ours against plain C: %d rounds of three mpiruns in one state of the machine, %d repetitions, p = %d", e.times, loopNRep, np)
	start := time.Now()
	meter, err := newStateMeter()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(e.seed, 0))
	got := make([]ratios, len(loopCases))
	var readings []float64 // one for each round that counts
	made := 0
	for ; len(readings) < e.times && made < loopAttempts*e.times; made++ {
		outputs, during, err := e.loopRound(ctx, rng, meter)
		if err != nil {
			return fmt.Errorf("round %d: %w", made+1, err)
		}
		if !steady(during) {
			continue
		}
		readings = append(readings, during[0])
		for c := range got {
			plain := groupedMedian(outputs[0].Samples[c])
			got[c].plain = append(got[c].plain, plain)
			got[c].ours = append(got[c].ours, groupedMedian(outputs[1].Samples[c])/plain)
			got[c].again = append(got[c].again, groupedMedian(outputs[2].Samples[c])/plain)
		}
	}
	off := showLoop(got, readings)
	fmt.Printf("   took %v\n", time.Since(start).Round(time.Second))
	return errors.Join(
		outcome("rounds in one state", fmt.Sprintf("%d of %d", len(readings), made), fmt.Sprint(e.times), len(readings) >= e.times),
		outcome("largest distance of a median ratio from 1", number("%.1f %%", 100*off), "at most 3 %", off <= allowed))
}

// loopRound makes the three mpiruns of a round, and readings around each.
func (e *env) loopRound(ctx context.Context, rng *rand.Rand, meter *stateMeter) (outputs [3]*protocol.Output, readings []float64, err error) {
	order := rng.Perm(len(loopCases))
	programs := []func(context.Context, []int) (*protocol.Output, error){e.plainLoop, e.ourLoop, e.plainLoop}
	before, err := meter.read()
	readings = append(readings, before)
	for _, i := range rng.Perm(len(programs)) {
		if err != nil {
			return outputs, nil, err
		}
		if outputs[i], err = programs[i](ctx, order); err != nil {
			return outputs, nil, err
		}
		var after float64
		after, err = meter.read()
		readings = append(readings, after)
	}
	return outputs, readings, err
}

// plainLoop and ourLoop measure the cases in one mpirun; plainLoop's output has
// nothing but their samples.
func (e *env) plainLoop(ctx context.Context, order []int) (*protocol.Output, error) {
	args := []string{fmt.Sprint(loopNRep), fmt.Sprint(firstCalls), fmt.Sprint(warmup)}
	for _, i := range order {
		args = append(args, fmt.Sprintf("%s:%d", loopCases[i].Function, loopCases[i].Msize))
	}
	out, err := e.plain(ctx, np, "baseline", args...)
	if err != nil {
		return nil, err
	}
	samples := map[int][]protocol.Sample{}
	for k, line := range strings.Split(strings.TrimSpace(out), "\n") {
		fields := strings.Fields(line)
		if len(fields) != 1+loopNRep || k >= len(order) || fields[0] != args[3+k] {
			return nil, fmt.Errorf("baseline: line %d has %d fields and starts %.40q", k+1, len(fields), line)
		}
		for _, f := range fields[1:] {
			s, err := protocol.ParseSample(f)
			if err != nil {
				return nil, fmt.Errorf("baseline: %w", err)
			}
			samples[order[k]] = append(samples[order[k]], s)
		}
	}
	return &protocol.Output{Samples: samples}, nil
}

func (e *env) ourLoop(ctx context.Context, order []int) (*protocol.Output, error) {
	job := newJob(np, loopNRep, loopCases...)
	job.Order = order
	return e.do(ctx, "pgmpi-rank", job)
}

// groupedMedian, in nanoseconds, takes a reading t as spread evenly over
// [t − tick/2, t + tick/2]; the tick is the largest number that divides all readings.
// Where the clock ticks in tens of nanoseconds many samples tie, and the plain median
// would jump by a tick, several percent, because of one sample more or less.
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

// showLoop prints the table; off is the largest distance of a ratio ours/C from 1.
// A case has a time of plain C for each state of the machine.
func showLoop(got []ratios, readings []float64) (off float64) {
	states := statesOf(readings)
	header := []any{"case"}
	for _, s := range states {
		header = append(header, fmt.Sprintf("C, µs, at %v", s))
	}
	t := newTable(append(header, "ours / C", "quartiles", "C' / C", "quartiles", "within 3 %")...)
	between := func(q [5]float64) string { return fmt.Sprintf("%.3f … %.3f", q[1], q[3]) }
	for i, c := range loopCases {
		row := []any{fmt.Sprintf("%s %d B", c.Function, c.Msize)}
		for s := range states {
			var plain []float64
			for round, ns := range got[i].plain {
				if stateIn(states, readings[round]) == s {
					plain = append(plain, ns)
				}
			}
			row = append(row, fmt.Sprintf("%.3f", quartiles(plain)[2]/1000))
		}
		ours, again := quartiles(got[i].ours), quartiles(got[i].again)
		away, verdict := math.Abs(ours[2]-1), "NO"
		if away <= allowed {
			verdict = "yes"
		}
		off = max(off, away)
		t.row(append(row, fmt.Sprintf("%.3f", ours[2]), between(ours), fmt.Sprintf("%.3f", again[2]), between(again), verdict)...)
	}
	t.Flush()
	return off
}
