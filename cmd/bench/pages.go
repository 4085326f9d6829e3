package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/spf13/pflag"

	"pgmpi/internal/stats"
	"pgmpi/measure/host"
)

// pagesCommand shows what the place of a cache line in memory does to the time
// in which it passes from one core to another. A library's messages through
// shared memory take such lines, other ones in every mpirun: this part of the
// difference between mpiruns is the machine's.
var pagesCommand = command{
	name:  "pages",
	short: "how the place in memory changes what two cores exchange",
	flags: func(fs *pflag.FlagSet) func() error {
		mib := fs.Int("mib", 16, "memory to look at, MiB")
		return func() error { return pagesBench(*mib) }
	},
}

const (
	pageBytes = 4096
	lineBytes = 64
	perPage   = 8   // lines that are looked at
	exchanges = 100 // on a line, in a pass
	passes    = 3   // the best of which counts
	slowPage  = 1.5 // times the median page
	slowLine  = 1.3
)

func pagesBench(mib int) error {
	cpus := host.Affinity()
	if len(cpus) < 2 || mib < 1 {
		return errors.New("pages needs two cores and --mib of 1 at least")
	}
	title("round trip of a cache line between cores %d and %d, in %d MiB of shared memory", "", cpus[0], cpus[1], mib)
	mem, err := syscall.Mmap(-1, 0, mib<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("%d MiB of shared memory: %w", mib, err)
	}
	lines := slices.Repeat([]float64{math.Inf(1)}, len(mem)/pageBytes*perPage) // ns
	done := make(chan error, 2)
	onCore := func(cpu int, visit func(i, from int32, line *atomic.Int32)) {
		runtime.LockOSThread() // for good: the thread ends with its affinity
		err := pin(cpu)
		if err == nil {
			overLines(mem, visit)
		}
		done <- err
	}
	go onCore(cpus[0], func(i, from int32, line *atomic.Int32) {
		start := time.Now()
		for k := from; k < from+2*exchanges; k += 2 {
			line.Store(k + 1)
			await(line, k+2)
		}
		lines[i] = min(lines[i], float64(time.Since(start).Nanoseconds())/exchanges)
	})
	go onCore(cpus[1], func(_, from int32, line *atomic.Int32) {
		for k := from; k < from+2*exchanges; k += 2 {
			await(line, k+1)
			line.Store(k + 2)
		}
	})
	// An error leaves the other one waiting, so mem is not unmapped.
	for range 2 {
		if err := <-done; err != nil {
			return err
		}
	}
	var pages []float64
	for page := range slices.Chunk(lines, perPage) {
		mean, _, err := stats.MeanSD(page)
		if err != nil {
			return err
		}
		pages = append(pages, mean)
	}
	return errors.Join(
		spread("lines", slowLine, lines),
		spread(fmt.Sprintf("pages (mean of %d lines)", perPage), slowPage, pages))
}

// overLines visits the lines of mem in turn, several times; from is what the
// line holds.
func overLines(mem []byte, visit func(i, from int32, line *atomic.Int32)) {
	n := int32(len(mem) / pageBytes * perPage)
	for pass := range int32(passes) {
		for i := range n {
			at := i/perPage*pageBytes + i%perPage*(pageBytes/perPage+lineBytes)
			visit(i, pass*2*exchanges, (*atomic.Int32)(unsafe.Pointer(&mem[at])))
		}
	}
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

// spread prints how round trips are distributed, in ns, and how many are slow.
func spread(of string, slow float64, ns []float64) error {
	var at [5]float64 // least, quartiles, largest
	for i := range at {
		var err error
		if at[i], err = stats.Quantile(ns, float64(i)/4); err != nil {
			return err
		}
	}
	n := 0
	for _, t := range ns {
		if t > slow*at[2] {
			n++
		}
	}
	fmt.Printf("   %d %s: least %.0f ns, quartiles %.0f, %.0f, %.0f, largest %.0f; %.1f %% above %.1f times the median\n",
		len(ns), of, at[0], at[1], at[2], at[3], at[4], 100*float64(n)/float64(len(ns)), slow)
	return nil
}
