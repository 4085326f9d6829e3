package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pgmpi/measure/protocol"
)

const (
	memoryAimMB = 50.0
	memoryBytes = 1 << 20 // of a block
	memoryNRep  = 20
)

// memoryBench compares the largest resident memory of a rank with that of a
// plain C program (memory.c) that has the same buffers and makes the same calls.
func memoryBench(ctx context.Context, e *env) error {
	e.title("memory of a rank against a plain C program with the same buffers: Allreduce and Alltoall of %d KiB, verified", memoryBytes>>10)
	if e.processes == nil {
		e.processes = []int{2, 4, 8, 16}
	}
	var missed error
	for _, p := range e.processes {
		job := newJob(p, memoryNRep, protocol.JobCase{Function: "MPI_Allreduce", Msize: 8},
			protocol.JobCase{Function: "MPI_Allreduce", Msize: memoryBytes}, protocol.JobCase{Function: "MPI_Alltoall", Msize: memoryBytes})
		job.Verify = true
		ours, err1 := peak(e.program("pgmpi-rank"), func() error {
			_, err := e.do(ctx, "pgmpi-rank", job)
			return err
		})
		plain, err2 := peak(e.program("memory"), func() error {
			_, err := e.plain(ctx, p, "memory", strconv.Itoa(memoryBytes), strconv.Itoa(memoryNRep))
			return err
		})
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		missed = errors.Join(missed, outcome(fmt.Sprintf("p = %d", p), fmt.Sprintf("%.0f MB (rank %.0f MB, plain C %.0f MB)", ours-plain, ours, plain),
			fmt.Sprintf("under %g MB", memoryAimMB), ours-plain < memoryAimMB))
	}
	return missed
}

// peak is the largest VmHWM of all processes of a program in MB, looked at while
// mpirun runs.
func peak(program string, mpirun func() error) (float64, error) {
	ended, most := make(chan struct{}), make(chan float64)
	go func() {
		mb := 0.0
		for {
			select {
			case <-ended:
				most <- mb
				return
			case <-time.After(5 * time.Millisecond):
				mb = max(mb, residentPeak(program))
			}
		}
	}()
	err := mpirun()
	close(ended)
	mb := <-most
	if err == nil && mb == 0 {
		err = fmt.Errorf("no process of %s was seen", program)
	}
	return mb, err
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
