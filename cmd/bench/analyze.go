package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// sizeBench looks at the driver's size on disk.
func sizeBench(_ context.Context, e *env) error {
	info, err := os.Stat(filepath.Join(e.bin, "pgmpi"))
	if err != nil {
		return err
	}
	e.title("size of the driver, one static program")
	mb := float64(info.Size()) / 1e6
	return outcome("pgmpi", fmt.Sprintf("%.1f MB", mb), fmt.Sprintf("under %g MB", sizeAimMB), mb < sizeAimMB)
}

const (
	sizeAimMB      = 25.0
	analyzeSamples = 10_000_000
	analyzeSeconds = 2.0
	analyzeMiB     = 512.0
)

// analyzeBench times stage 3 on a results folder of simulated samples: from the
// gzipped raw files to the verdict.
func analyzeBench(ctx context.Context, e *env) error {
	made, err := makeFolder(e.dir, analyzeSamples)
	if err != nil {
		return err
	}
	e.title("pgmpi analyze: %d samples from gzipped raw files to the verdict", made)
	var best, cpu time.Duration
	most := 0.0
	for i := range e.times {
		start := time.Now()
		done, err := e.pgmpi(ctx, "analyze", e.dir)
		if err != nil {
			return err
		}
		if took := time.Since(start); i == 0 || took < best {
			best, cpu = took, done.UserTime()+done.SystemTime()
		}
		most = max(most, float64(done.SysUsage().(*syscall.Rusage).Maxrss)/1024)
	}
	return errors.Join(
		outcome("wall-clock", fmt.Sprintf("%.2f s (%.2f s of CPU time)", best.Seconds(), cpu.Seconds()), fmt.Sprintf("under %g s on 2 cores", analyzeSeconds), best.Seconds() < analyzeSeconds),
		outcome("largest resident memory", fmt.Sprintf("%.0f MiB", most), fmt.Sprintf("under %g MiB", analyzeMiB), most < analyzeMiB))
}

// makeFolder makes the results folder of a check with the defaults on two
// processes, and returns how many samples it holds.
func makeFolder(dir string, samples int) (int, error) {
	config := glfile.Default()
	config.Job.NP = []int{np}
	plan, err := config.Plan(config.Job.NP)
	if err != nil {
		return 0, err
	}
	m := &results.Manifest{Version: "bench", Plan: *plan, R: config.Job.MPIRuns, Seed: 1,
		Rank: protocol.RankInfo{Library: "none", LibVersion: "simulated samples", ClockTickNS: 10}}
	if m.Config, err = json.Marshal(config); err != nil {
		return 0, err
	}
	folder, err := results.Create(dir)
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	if err := folder.WriteManifest(m); err != nil {
		return 0, err
	}
	runs := m.R * len(plan.Cases)
	nrep := (samples + runs - 1) / runs
	for run := 1; run <= m.R; run++ {
		if err := folder.WriteRun(simulatedRun(m, run, nrep)); err != nil {
			return 0, err
		}
	}
	return nrep * runs, nil
}

// simulatedRun has for every case nrep samples around a time that grows with its
// size, as a clock with ticks of 10 ns would read them, and one in fifty far
// above.
func simulatedRun(m *results.Manifest, run, nrep int) *results.Run {
	rng := rand.New(rand.NewPCG(1, uint64(run)))
	r := &results.Run{Header: results.Header{Mode: protocol.ModeMeasure, Shape: m.Plan.Shapes[0], Run: run, Rank: m.Rank}}
	for i, c := range m.Plan.Cases {
		r.Order = append(r.Order, i)
		r.Cases = append(r.Cases, results.CaseInfo{Plan: i, Function: c.Function, Msize: c.Msize,
			CaseResult: protocol.CaseResult{Case: i, Status: protocol.StatusOK, NRep: nrep}})
		level := (500 + float64(c.Msize)*0.3) * (1 + 0.02*rng.NormFloat64())
		samples := make([]protocol.Sample, nrep)
		for k := range samples {
			ns := level * (1 + 0.03*rng.ExpFloat64())
			if rng.IntN(50) == 0 {
				ns *= 5
			}
			samples[k].NS = int64(ns/10+1) * 10
		}
		r.Samples = append(r.Samples, samples)
	}
	return r
}
