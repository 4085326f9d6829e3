package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"pgmpi/measure/protocol"
)

const (
	pipelinedBlocks  = 10
	pipelinedWarmup  = 100
	pipelinedAllowed = 0.10 // distance of the median ratio from 1
)

// pipelinedCases have as many calls in a row as pgmpi times --pipelined gives them.
var pipelinedCases = []protocol.JobCase{
	{Function: "MPI_Allreduce", Msize: 8, Calls: 100},
	{Function: "MPI_Bcast", Msize: 1024, Calls: 100},
	{Function: "MPI_Alltoall", Msize: 1024, Calls: 100},
	{Function: "MPI_Allgather", Msize: 64 << 10, Calls: 100},
	{Function: "MPI_Reduce", Msize: 1 << 20, Calls: 10},
}

// pipelinedBench holds samples of calls in a row against the loop that mppTest and IMB
// have, in plain C (pipelined.c), which are themselves not to be had everywhere.
//
// A round is three mpiruns in random order, as of the loop bench: C, ours, and C again.
func pipelinedBench(ctx context.Context, e *env) error {
	e.title("calls in a row, ours against plain C: %d rounds of three mpiruns in one state of the machine, p = %d", e.times, np)
	meter, err := newStateMeter()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(e.seed, 0))
	got := make([]ratios, len(pipelinedCases))
	rounds, made := 0, 0
	for ; rounds < e.times && made < loopAttempts*e.times; made++ {
		times, during, err := e.pipelinedRound(ctx, rng, meter)
		if err != nil {
			return fmt.Errorf("round %d: %w", made+1, err)
		}
		if !steady(during) {
			continue
		}
		rounds++
		for c := range got {
			got[c].plain = append(got[c].plain, times[0][c])
			got[c].ours = append(got[c].ours, times[1][c]/times[0][c])
			got[c].again = append(got[c].again, times[2][c]/times[0][c])
		}
	}
	off := showPipelined(got)
	return errors.Join(
		outcome("rounds in one state", fmt.Sprintf("%d of %d", rounds, made), fmt.Sprint(e.times), rounds >= e.times),
		outcome("largest distance of a median ratio from 1", number("%.1f %%", 100*off), "at most 10 %", off <= pipelinedAllowed))
}

// pipelinedRound makes the three mpiruns of a round, and readings around each. The times
// are of a call, ns, by program and case.
func (e *env) pipelinedRound(ctx context.Context, rng *rand.Rand, meter *stateMeter) (times [3][]float64, readings []float64, err error) {
	programs := []func(context.Context) ([]float64, error){e.plainRow, e.ourRow, e.plainRow}
	before, err := meter.read()
	readings = append(readings, before)
	for _, i := range rng.Perm(len(programs)) {
		if err != nil {
			return times, nil, err
		}
		if times[i], err = programs[i](ctx); err != nil {
			return times, nil, err
		}
		var after float64
		after, err = meter.read()
		readings = append(readings, after)
	}
	return times, readings, err
}

// plainRow and ourRow are the median times of a call, ns, in one mpirun.
func (e *env) plainRow(ctx context.Context) ([]float64, error) {
	args := []string{fmt.Sprint(pipelinedWarmup), fmt.Sprint(pipelinedBlocks)}
	for _, c := range pipelinedCases {
		args = append(args, fmt.Sprintf("%s:%d:%d", c.Function, c.Msize, c.Calls))
	}
	out, err := e.plain(ctx, np, "pipelined", args...)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(pipelinedCases) {
		return nil, fmt.Errorf("pipelined: %d lines of %d", len(lines), len(pipelinedCases))
	}
	var times []float64
	for k, line := range lines {
		fields := strings.Fields(line)
		if len(fields) != 1+pipelinedBlocks || fields[0] != args[2+k] {
			return nil, fmt.Errorf("pipelined: line %d has %d fields and starts %.40q", k+1, len(fields), line)
		}
		var samples []protocol.Sample
		for _, f := range fields[1:] {
			s, err := protocol.ParseSample(f)
			if err != nil {
				return nil, fmt.Errorf("pipelined: %w", err)
			}
			samples = append(samples, s)
		}
		times = append(times, ofACall(samples, k))
	}
	return times, nil
}

func (e *env) ourRow(ctx context.Context) ([]float64, error) {
	job := newJob(np, pipelinedBlocks, pipelinedCases...)
	job.Mode, job.Warmup = protocol.ModePipelined, 1 // of the calls in a row
	out, err := e.do(ctx, "pgmpi-rank", job)
	if err != nil {
		return nil, err
	}
	times := make([]float64, len(pipelinedCases))
	for c := range times {
		times[c] = ofACall(out.Samples[c], c)
	}
	return times, nil
}

// ofACall is the median of samples of a case, for one of their calls.
func ofACall(samples []protocol.Sample, c int) float64 {
	var ns []float64
	for _, s := range samples {
		ns = append(ns, float64(s.NS))
	}
	return quartiles(ns)[2] / float64(pipelinedCases[c].Calls)
}

// showPipelined prints the table; off is the largest distance of a ratio ours/C from 1.
func showPipelined(got []ratios) (off float64) {
	t := newTable("case", "C, µs", "ours / C", "quartiles", "C' / C", "quartiles", "within 10 %")
	between := func(q [5]float64) string { return fmt.Sprintf("%.3f … %.3f", q[1], q[3]) }
	for i, c := range pipelinedCases {
		ours, again := quartiles(got[i].ours), quartiles(got[i].again)
		away, verdict := math.Abs(ours[2]-1), "NO"
		if away <= pipelinedAllowed {
			verdict = "yes"
		}
		off = max(off, away)
		t.row(fmt.Sprintf("%s %d B", c.Function, c.Msize), fmt.Sprintf("%.3f", quartiles(got[i].plain)[2]/1000),
			fmt.Sprintf("%.3f", ours[2]), between(ours), fmt.Sprintf("%.3f", again[2]), between(again), verdict)
	}
	t.Flush()
	return off
}
