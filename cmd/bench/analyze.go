package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// analyzeCommand times stage 3 on a results folder of made-up samples: from the
// gzipped raw files to the verdict.
var analyzeCommand = command{
	name:  "analyze",
	short: "10 million samples from the raw files to the verdict",
	flags: func(fs *pflag.FlagSet) func() error {
		pgmpi := fs.String("pgmpi", "bin/pgmpi", "the driver")
		samples := fs.Int("samples", 10_000_000, "samples over all raw files")
		times := fs.Int("times", 3, "how often; the fastest counts")
		return func() error { return analyzeBench(*pgmpi, *samples, *times) }
	},
}

const (
	analyzeSeconds = 2.0
	analyzeMiB     = 512.0
)

func analyzeBench(pgmpi string, samples, times int) error {
	if samples < 1 || times < 1 {
		return errors.New("--samples and --times must be at least 1")
	}
	dir, err := os.MkdirTemp("", "pgmpi-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	made, err := makeFolder(dir, samples)
	if err != nil {
		return err
	}
	title("pgmpi analyze: %d samples from gzipped raw files to the verdict", "", made)
	best, cpu, most := time.Duration(1<<62), time.Duration(0), 0.0
	for range times {
		took, busy, mib, err := timeAnalyze(pgmpi, dir)
		if err != nil {
			return err
		}
		if took < best {
			best, cpu = took, busy
		}
		most = max(most, mib)
	}
	return errors.Join(
		outcome("wall-clock", fmt.Sprintf("%.2f s (%.2f s of CPU time)", best.Seconds(), cpu.Seconds()), fmt.Sprintf("under %g s on 2 cores", analyzeSeconds), best.Seconds() < analyzeSeconds),
		outcome("largest resident memory", fmt.Sprintf("%.0f MiB", most), fmt.Sprintf("under %g MiB", analyzeMiB), most < analyzeMiB))
}

// timeAnalyze runs `pgmpi analyze`, which ends with 0 or 1 when it has judged.
func timeAnalyze(pgmpi, dir string) (took, cpu time.Duration, mib float64, err error) {
	cmd := exec.Command(pgmpi, "analyze", dir)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took = time.Since(start)
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
		return 0, 0, 0, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0, 0, errors.New("this system does not tell the memory of a process")
	}
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), float64(usage.Maxrss) / 1024, nil
}

// makeFolder makes the results folder of a check with the defaults on two
// processes, and returns how many samples it holds.
func makeFolder(dir string, samples int) (int, error) {
	config := glfile.Default()
	config.Job.NP = []int{2}
	plan, err := config.Plan(config.Job.NP)
	if err != nil {
		return 0, err
	}
	m := &results.Manifest{Version: "bench", Plan: *plan, R: config.Job.MPIRuns, Seed: 1,
		Rank: protocol.RankInfo{Library: "none", LibVersion: "made-up samples", ClockTickNS: 10}}
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
		if err := folder.WriteRun(madeUpRun(m, run, nrep)); err != nil {
			return 0, err
		}
	}
	return nrep * runs, nil
}

// madeUpRun has for every case nrep samples around a time that grows with its
// size, as a clock with ticks of 10 ns would read them, and one in fifty far
// above.
func madeUpRun(m *results.Manifest, run, nrep int) *results.Run {
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
