package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pgmpi/bench/awk"
	"pgmpi/bench/slower"
	"pgmpi/bench/table"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const (
	analyzeSamples = 10_000_000
	analyzeMiB     = 512.0
	memoryBytes    = 1 << 20 // of a block
	memoryNRep     = 20
)

func sizeBench(_ context.Context, e *env) {
	info := get(os.Stat(filepath.Join(e.bin, "pgmpi")))
	e.aim("pgmpi", float64(info.Size())/1e6, "%.1f MB", 0, 26)
}

// analyzeBench times stage 3 on a results folder of simulated samples: from the
// gzipped raw files to the verdict.
func analyzeBench(ctx context.Context, e *env) {
	makeFolder(e.dir, analyzeSamples)
	e.fastest(ctx, "wall-clock", 2, "analyze", e.dir)
}

func exportBench(ctx context.Context, e *env) {
	folder := filepath.Join(e.dir, "results")
	makeFolder(folder, analyzeSamples)
	for _, format := range []string{"csv", "parquet", "osu"} {
		e.fastest(ctx, format, 10, "export", folder, "--format", format, "--out", filepath.Join(e.dir, "samples."+format))
	}
}

// fastest times a command of pgmpi over many samples, and looks at its memory.
func (e *env) fastest(ctx context.Context, what string, seconds float64, args ...string) {
	var best, cpu time.Duration
	most := 0.0
	for i := range e.times {
		start := time.Now()
		_, done := e.pgmpi(ctx, args...)
		if took := time.Since(start); i == 0 || took < best {
			best, cpu = took, done.UserTime()+done.SystemTime()
		}
		most = max(most, float64(done.SysUsage().(*syscall.Rusage).Maxrss)/1024)
	}
	e.aim(fmt.Sprintf("%s, %.2f s of CPU time", what, cpu.Seconds()), best.Seconds(), "%.2f s", 0, seconds)
	e.aim("largest resident memory", most, "%.0f MiB", 0, analyzeMiB)
}

// makeFolder makes the folder of a check with the defaults. It has R = 10 and two processes.
func makeFolder(dir string, samples int) {
	config := glfile.Default()
	config.Job.NP, config.Job.MPIRuns = []int{np}, 10
	plan := get(config.Plan(config.Job.NP))
	m := &results.Manifest{Version: "bench", Plan: *plan, R: config.Job.MPIRuns, Seed: 1,
		Rank: protocol.RankInfo{Library: "none", LibVersion: "simulated samples", ClockTickNS: 10}}
	m.Config = get(json.Marshal(config))
	folder := get(results.Create(dir))
	defer folder.Close()
	runs := m.R * len(plan.Cases)
	nrep := (samples + runs - 1) / runs
	must(folder.WriteManifest(m))
	for run := 1; run <= m.R; run++ {
		must(folder.WriteRun(simulatedRun(m, run, nrep)))
	}
}

// simulatedRun simulates nrep samples for every case, around a time that grows with its size. A
// clock with ticks of 10 ns reads them, and one in fifty is far above the others.
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

// memoryBench compares the largest resident memory of a rank with a plain C program (memory.c). The
// program has the same buffers and makes the same calls. It also shows the cost of a case besides
// its calls.
func memoryBench(ctx context.Context, e *env) {
	var small []protocol.JobCase
	for msize := int64(1); msize <= 16; msize++ {
		small = append(small, protocol.JobCase{Function: "MPI_Allreduce", Msize: msize})
	}
	for _, p := range e.numbers(2, 4, 8, 16, 32) {
		job := newJob(p, memoryNRep, protocol.JobCase{Function: "MPI_Allreduce", Msize: 8},
			protocol.JobCase{Function: "MPI_Allreduce", Msize: memoryBytes}, protocol.JobCase{Function: "MPI_Alltoall", Msize: memoryBytes})
		job.Verify = true
		ours := peak(e.program("pgmpi-rank"), func() { e.do(ctx, "pgmpi-rank", job) })
		plain := peak(e.program("memory"), func() { e.plain(ctx, p, "memory", fmt.Sprint(memoryBytes), fmt.Sprint(memoryNRep)) })
		e.aim(fmt.Sprintf("p = %d, rank %.0f MB less plain C %.0f MB", p, ours, plain), ours-plain, "%.0f MB", 0, 50)
		out := e.do(ctx, "pgmpi-rank", newJob(p, memoryNRep, small...))
		// This prepares, fills and verifies a case, and collects its samples.
		fmt.Printf("   p = %d: %.3g ms for each case beside its timed and untimed calls\n", p, float64(out.End.MeasureNS-out.End.TimedNS)/1e6/float64(len(small)))
	}
}

// peak returns the largest VmHWM of a program's processes in MB, while mpirun runs.
func peak(program string, mpirun func()) (mb float64) {
	var ended atomic.Bool
	var looking sync.WaitGroup
	looking.Go(func() {
		for ; !ended.Load(); time.Sleep(5 * time.Millisecond) {
			mb = max(mb, residentPeak(program))
		}
	})
	err := try(mpirun)
	ended.Store(true)
	looking.Wait()
	if err == nil && mb == 0 {
		err = fmt.Errorf("no process of %s was seen", program)
	}
	must(err)
	return mb
}

// residentPeak returns the largest VmHWM in MB of the processes that run a program.
func residentPeak(program string) (mb float64) {
	exes, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range exes {
		if path, err := os.Readlink(exe); err != nil || path != program {
			continue
		}
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(exe), "status"))
		_, value, _ := strings.Cut(string(status), "\nVmHWM:")
		var kib float64
		_, _ = fmt.Sscan(value, &kib)
		mb = max(mb, kib*1024/1e6)
	}
	return mb
}

// layerBench shows the cost of the library of measure/preload for a program (layer.c): of a call
// that it counts, one that meets no rule, and one that it replaces, next to the mock-up that
// replaces it.
func layerBench(ctx context.Context, e *env) {
	rules := filepath.Join(e.dir, "rules")
	must(os.WriteFile(rules, []byte("MPI_Allreduce 2 1 8 allreduce_as_reduce+bcast all\nMPI_Scan 2 1 1048576 scan_as_exscan+reduce_local all\n"), 0o666))
	var got [5][]float64
	for range e.times {
		all := append(e.layered(ctx, "PGMPI_PROFILE="+filepath.Join(e.dir, "profile")), e.layered(ctx, "PGMPI_APPLY="+rules, "65536", "1048576", "8")...)
		if len(all) != len(got) {
			must(fmt.Errorf("layer has said %d numbers, not %d", len(all), len(got)))
		}
		for i, v := range all {
			got[i] = append(got[i], v)
		}
	}
	middle := func(i int) float64 { return table.Quartiles(got[i])[2] }
	e.aim("a profiled call takes longer by", middle(0), "%.1f ns", 0, 60)
	e.aim("one that no rule is for, by", middle(1), "%.1f ns", 0, 20)
	const isReplaced = 0.95 // the library's own Scan takes another time
	e.aim("a replaced Scan of 64 KiB, as a multiple of its mock-up", middle(2), "%.3f", isReplaced, 1.02)
	e.aim("of 1 MiB", middle(3), "%.3f", isReplaced, 1.02)
	fmt.Printf("   of 8 B, which has no aim: %.3f\n", middle(4))
}

// layered runs layer.c with the library between it and MPI.
func (e *env) layered(ctx context.Context, set string, sizes ...string) (said []float64) {
	launcher := launch.Placed(e.launcher(np), guidelines.Shape{NP: np})
	with := []string{"env", "LD_PRELOAD=" + e.program("pgmpi-rank") + launch.PreloadEnding, set, e.program("layer"), "1000", "1000"}
	for _, line := range strings.Fields(string(output(command(ctx, slices.Concat(launcher, with, sizes)...)))) {
		said = append(said, get(strconv.ParseFloat(line, 64)))
	}
	return said
}

// spent sums up where the time of mpiruns went, in seconds.
type spent struct{ launch, timed, rest float64 }

// spentIn counts a folder's mpiruns of some modes, and sums up where their time went.
func spentIn(out string, modes ...protocol.Mode) (runs int, all spent) {
	folder, m, err := results.Open(out)
	must(err)
	for _, mode := range modes {
		for r, err := range folder.Runs(mode, m.Plan.Shapes[0], &m.Plan) {
			must(err)
			runs++
			all.launch += float64(r.LaunchNS) * 1e-9
			all.timed += float64(r.TimedNS) * 1e-9
			all.rest += float64(r.WallNS-r.LaunchNS-r.TimedNS) * 1e-9
		}
	}
	return runs, all
}

// checkAims holds half of what PGMPI 1.0 takes for the same (two cores; 17.8 s with MPICH, 14 s
// with Open MPI), in seconds. pgmpi has to keep them with checkMPIRuns.
var checkAims = map[string]float64{"mpich": 8.9, "openmpi": 7}

const (
	checkMPIRuns = 10
	// defaultAim bounds the wall-clock time of the default procedure, in multiples of
	// checkMPIRuns'.
	defaultAim = 1.5
	checkTOML  = `
[check]
guidelines = ["GL3..GL17"]
[nrep]
min = 10
max = 200
[job]
np = [2]
msizes = ["16", "256", "4Ki", "64Ki", "1Mi"]
`
)

// checkBench times a whole check: the 15 patterns of S-PGMPI and the collectives in them, all three
// stages. It takes turns between the number of mpiruns of PGMPI's time and the default procedure.
func checkBench(ctx context.Context, e *env) {
	fixed, byDefault := math.Inf(1), math.Inf(1)
	for i := range e.times {
		fixed = min(fixed, e.timeCheck(ctx, fmt.Sprintf("%smpiruns = %d\n", checkTOML, checkMPIRuns), 2*i+1))
		byDefault = min(byDefault, e.timeCheck(ctx, checkTOML, 2*i+2))
	}
	e.aim(fmt.Sprintf("wall-clock with %d mpiruns", checkMPIRuns), fixed, "%.1f s", 0, checkAims[e.library])
	e.aim(fmt.Sprintf("wall-clock by default, %.1f s", byDefault), byDefault/fixed, "%.2f times that", 0, defaultAim)
}

func (e *env) timeCheck(ctx context.Context, text string, seed int) float64 {
	c := e.check(ctx, "a check", text, seed)
	runs, all := spentIn(c.out, protocol.ModeNREP, protocol.ModeMeasure)
	fmt.Printf("      launching %d mpiruns %.1f s, measured calls %.1f s, the rest of the ranks' work %.1f s, the driver between them %.1f s\n",
		runs, all.launch, all.timed, all.rest, c.seconds-all.launch-all.timed-all.rest)
	return c.seconds
}

func importBench(ctx context.Context, e *env) {
	must(awk.Check(ctx, e.bin, e.folder, e.dir, e.seed))
	e.exits = []int{4} // what was seen once is no verdict
	e.fastest(ctx, "wall-clock", 10, "analyze", "--from", "any", e.folder, "--np", "4", "--out", filepath.Join(e.dir, "imported"))
	fmt.Print(get(slower.Text(filepath.Join(e.dir, "imported"), 1.2)))
}
