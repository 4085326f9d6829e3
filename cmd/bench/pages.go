package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"pgmpi/internal/stats"
	"pgmpi/measure/host"
)

const (
	pagesMiB  = 16
	pageBytes = 4096
	lineBytes = 64
	perPage   = 8   // lines that are looked at
	exchanges = 100 // on a line, in a pass
	passes    = 3   // the best of which counts
	slowPage  = 1.5 // times the median page
	slowLine  = 1.3
)

// pagesBench shows what the place of a cache line in memory does to the time in
// which it passes from one core to another. A library's messages through shared
// memory take such lines, other ones in every mpirun: this part of the difference
// between mpiruns is the machine's.
func pagesBench(_ context.Context, e *env) error {
	cpus := host.Affinity()
	if len(cpus) < 2 {
		return errors.New("it needs two cores")
	}
	e.title("round trip of a cache line between cores %d and %d, in %d MiB of shared memory", cpus[0], cpus[1], pagesMiB)
	mem, err := syscall.Mmap(-1, 0, pagesMiB<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("%d MiB of shared memory: %w", pagesMiB, err)
	}
	lines := slices.Repeat([]float64{math.Inf(1)}, len(mem)/pageBytes*perPage) // ns
	pinned, start, done := make(chan error), make(chan bool), make(chan bool)
	// visit exchanges the i-th line, which holds `from`.
	onCore := func(cpu int, visit func(i, from int32, line *atomic.Int32)) {
		runtime.LockOSThread() // for good: the thread ends with its affinity
		pinned <- pin(cpu)
		<-start
		for pass := range int32(passes) {
			for i := range int32(len(lines)) {
				at := i/perPage*pageBytes + i%perPage*(pageBytes/perPage+lineBytes)
				visit(i, pass*2*exchanges, (*atomic.Int32)(unsafe.Pointer(&mem[at])))
			}
		}
		done <- true
	}
	go onCore(cpus[0], func(i, from int32, line *atomic.Int32) {
		began := time.Now()
		for k := from; k < from+2*exchanges; k += 2 {
			line.Store(k + 1)
			await(line, k+2)
		}
		lines[i] = min(lines[i], float64(time.Since(began).Nanoseconds())/exchanges)
	})
	go onCore(cpus[1], func(_, from int32, line *atomic.Int32) {
		for k := from; k < from+2*exchanges; k += 2 {
			await(line, k+1)
			line.Store(k + 2)
		}
	})
	if err := errors.Join(<-pinned, <-pinned); err != nil {
		return err
	}
	close(start)
	<-done
	<-done
	var pages []float64
	for page := range slices.Chunk(lines, perPage) {
		mean, _, err := stats.MeanSD(page)
		if err != nil {
			return err
		}
		pages = append(pages, mean)
	}
	showSpread("lines", slowLine, lines)
	showSpread(fmt.Sprintf("pages (mean of %d lines)", perPage), slowPage, pages)
	return nil
}

func await(line *atomic.Int32, value int32) {
	for line.Load() != value {
	}
}

// pin binds the calling thread to a core.
func pin(cpu int) error {
	var mask [1 << 11]uint64 // 131072 CPUs
	mask[cpu/64] = 1 << (cpu % 64)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask))); errno != 0 {
		return fmt.Errorf("binding a thread to core %d: %w", cpu, errno)
	}
	return nil
}

// showSpread prints how round trips are distributed, in ns, and how many are slow.
func showSpread(of string, slow float64, ns []float64) {
	q := quartiles(ns)
	n := 0
	for _, t := range ns {
		if t > slow*q[2] {
			n++
		}
	}
	fmt.Printf("   %d %s: least %.0f ns, quartiles %.0f, %.0f, %.0f, largest %.0f; %s above %.1f times the median\n",
		len(ns), of, q[0], q[1], q[2], q[3], q[4], percent(n, len(ns)), slow)
}
