package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// sizeCommand looks at the driver's size on disk.
var sizeCommand = command{
	name:  "size",
	short: "the size of bin/pgmpi",
	flags: func(fs *pflag.FlagSet) func() error {
		pgmpi := fs.String("pgmpi", "bin/pgmpi", "the driver")
		return func() error {
			info, err := os.Stat(*pgmpi)
			if err != nil {
				return err
			}
			title("size of the driver, one static program", "")
			mb := float64(info.Size()) / 1e6
			return outcome(*pgmpi, fmt.Sprintf("%.1f MB", mb), fmt.Sprintf("under %g MB", sizeAimMB), mb < sizeAimMB)
		}
	},
}

const (
	sizeAimMB   = 25.0
	memoryAimMB = 50.0
	memoryBytes = 1 << 20 // of a block
	memoryNRep  = 20
)

// memoryCommand compares the largest resident memory of a rank with that of a
// plain C program (memory.c) that has the same buffers and makes the same calls.
var memoryCommand = command{
	name:  "memory",
	short: "a rank's memory beside its buffers and the MPI library's own",
	flags: func(fs *pflag.FlagSet) func() error {
		rank := fs.String("rank", "bin/pgmpi-rank", "the rank program")
		plain := fs.String("plain", "bin/memory", "memory.c, built with the same mpicc")
		processes := fs.IntSlice("np", []int{2, 4, 8, 16}, "numbers of processes")
		preload := fs.String("preload", "", "a library for LD_PRELOAD: with more ranks than cores, one that makes waiting ranks give way")
		return func() error { return memoryBench(*rank, *plain, *processes, *preload) }
	},
}

func memoryBench(rank, plain string, processes []int, preload string) error {
	rank, info, err := probe(rank)
	if err != nil {
		return err
	}
	if plain, err = filepath.Abs(plain); err != nil {
		return err
	}
	title("memory of a rank against a plain C program with the same buffers: Allreduce and Alltoall of %d KiB, verified", info.LibVersion, memoryBytes>>10)
	env := os.Environ()
	if preload != "" {
		env = append(env, "LD_PRELOAD="+preload)
	}
	var missed error
	for _, p := range processes {
		job, err := memoryJob(p)
		if err != nil {
			return err
		}
		ours, err1 := peak(info, p, env, rank, "--np", strconv.Itoa(p), "--job", job)
		base, err2 := peak(info, p, env, plain, strconv.Itoa(memoryBytes), strconv.Itoa(memoryNRep))
		if err := errors.Join(err1, err2, os.Remove(job)); err != nil {
			return err
		}
		missed = errors.Join(missed, outcome(fmt.Sprintf("p = %d", p), fmt.Sprintf("%.0f MB (rank %.0f MB, plain C %.0f MB)", ours-base, ours, base),
			fmt.Sprintf("under %g MB", memoryAimMB), ours-base < memoryAimMB))
	}
	return missed
}

// memoryJob writes a job with the calls of memory.c.
func memoryJob(p int) (string, error) {
	job := &protocol.Job{Mode: protocol.ModeMeasure, NP: p, PPN: p, Order: []int{0, 1, 2}, Datatype: "byte", Op: "bor", Sync: "barrier",
		Clock: "monotonic", ClockSync: "shared", Verify: true, TempMemory: 1 << 30, StallNS: int64(5 * time.Minute),
		Cases: []protocol.JobCase{{Function: "MPI_Allreduce", Msize: 8, NRep: memoryNRep}, {Function: "MPI_Allreduce", Msize: memoryBytes, NRep: memoryNRep},
			{Function: "MPI_Alltoall", Msize: memoryBytes, NRep: memoryNRep}}}
	return writeJob(job)
}

// peak is the largest VmHWM of all ranks of a program in MB, looked at until the
// mpirun ends.
func peak(info protocol.RankInfo, p int, env []string, program string, args ...string) (float64, error) {
	argv, err := launch.Launch(nil, info, p)
	if err != nil {
		return 0, err
	}
	argv = launch.WithNP(argv, p)
	var said strings.Builder
	cmd := exec.Command(argv[0], slices.Concat(argv[1:], []string{program}, args)...)
	cmd.Env, cmd.Stderr = env, &said
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	most := 0.0
	for {
		select {
		case err := <-ended:
			if err == nil && most == 0 {
				err = errors.New("no process of it was seen")
			}
			if err != nil {
				err = fmt.Errorf("%v: %w\n%s", cmd.Args, err, said.String())
			}
			return most, err
		case <-time.After(5 * time.Millisecond):
			most = max(most, residentPeak(program))
		}
	}
}

// residentPeak is the largest VmHWM in MB of the processes that run a program.
func residentPeak(program string) float64 {
	most := 0.0
	exes, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range exes {
		if path, err := os.Readlink(exe); err != nil || path != program {
			continue
		}
		kib, ok := strings.CutSuffix(fieldOf(filepath.Join(filepath.Dir(exe), "status"), "VmHWM"), " kB")
		if n, err := strconv.ParseFloat(strings.TrimSpace(kib), 64); ok && err == nil {
			most = max(most, n*1024/1e6)
		}
	}
	return most
}
