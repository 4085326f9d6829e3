// Package meter tells in which state a machine is: how long a cache line takes from one core to another.
package meter

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

	"pgmpi/internal/stats"
	"pgmpi/measure/host"
)

const (
	pages     = 64 // cache lines that are looked at, in as many pages
	passes    = 3  // the best of which counts
	exchanges = 100
	// sameState is how far apart two readings of one state may be. On the machine
	// of docs/dev/benchmarks.md one state read 66 to 119 ns, the other 367 to 453.
	sameState = 2
)

// Meter tells whether the machine is as it was: on a virtual one the two
// cores may be parts of one core now and lie far apart a second later, and calls
// of MPI take twice as long. A reading is the median round trip of the same lines
// each time, so that their place in memory makes no difference.
type Meter struct {
	cpus  []int
	lines []*atomic.Int32
}

func New() (*Meter, error) {
	cpus, err := Cores()
	if err != nil {
		return nil, err
	}
	m := &Meter{cpus: cpus}
	page := syscall.Getpagesize()
	mem, err := syscall.Mmap(-1, 0, pages*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANONYMOUS)
	if err != nil {
		return nil, err
	}
	for line := range pages {
		m.lines = append(m.lines, (*atomic.Int32)(unsafe.Pointer(&mem[line*page])))
	}
	return m, nil
}

// Read takes some milliseconds and returns ns.
func (m *Meter) Read() (float64, error) {
	ns := slices.Repeat([]float64{math.Inf(1)}, pages) // the best of each line
	pinned, start, done := make(chan error), make(chan bool), make(chan bool)
	for _, line := range m.lines {
		line.Store(0)
	}
	for side, cpu := range m.cpus {
		go func() {
			runtime.LockOSThread() // for good: the thread ends with its affinity
			pinned <- pin(cpu)
			if !<-start {
				return
			}
			for range passes {
				for i, line := range m.lines {
					began := time.Now()
					exchange(line, int32(side))
					if side == 0 {
						ns[i] = min(ns[i], float64(time.Since(began).Nanoseconds())/exchanges)
					}
				}
			}
			done <- true
		}()
	}
	err := errors.Join(<-pinned, <-pinned)
	for range 2 {
		start <- err == nil
	}
	if err != nil {
		return 0, err
	}
	<-done
	<-done
	return stats.MedianFinite(ns), nil
}

// exchange passes a line back and forth: side 0 adds 1 to even values, side 1 to odd ones.
func exchange(line *atomic.Int32, side int32) {
	for range exchanges {
		value := line.Load()
		for value%2 != side {
			value = line.Load()
		}
		line.Store(value + 1)
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

// Cores returns those between which lines are passed.
func Cores() ([]int, error) {
	cpus := host.Affinity()
	if len(cpus) < 2 {
		return nil, errors.New("it needs two cores: no cache line passes between them on one")
	}
	return cpus[:2], nil
}

// Steady is true when all readings are of one state.
func Steady(readings []float64) bool { return slices.Max(readings) <= sameState*slices.Min(readings) }

// State is the least and the largest reading in it.
type State [2]float64

func (s State) String() string {
	least, largest := fmt.Sprintf("%.0f", s[0]), fmt.Sprintf("%.0f ns", s[1])
	if largest == least+" ns" {
		return largest
	}
	return least + " to " + largest
}

// States returns the states that readings fall into, the fastest first: one ends
// where the next reading is sameState times as long.
func States(readings []float64) (states []State) {
	for _, r := range slices.Sorted(slices.Values(readings)) {
		if n := len(states); n > 0 && r <= sameState*states[n-1][1] {
			states[n-1][1] = r
		} else {
			states = append(states, State{r, r})
		}
	}
	return states
}

func In(states []State, reading float64) int {
	return slices.IndexFunc(states, func(s State) bool { return s[0] <= reading && reading <= s[1] })
}
