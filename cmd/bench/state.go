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

	"pgmpi/measure/host"
)

// roundTrips passes lines of memory, by their offsets, back and forth between two
// cores, and returns the best time of each in several passes, in ns.
func roundTrips(cpus []int, mem []byte, lines []int, passes int) ([]float64, error) {
	const exchanges = 100 // on a line, in a pass
	ns := slices.Repeat([]float64{math.Inf(1)}, len(lines))
	pinned, start, done := make(chan error), make(chan bool), make(chan bool)
	// visit exchanges the i-th line, whose value was `from` when the pass began.
	onCore := func(cpu int, visit func(i int, from int32, line *atomic.Int32)) {
		runtime.LockOSThread() // for good: the thread ends with its affinity
		pinned <- pin(cpu)
		if !<-start {
			return
		}
		for pass := range int32(passes) {
			for i, at := range lines {
				visit(i, pass*2*exchanges, (*atomic.Int32)(unsafe.Pointer(&mem[at])))
			}
		}
		done <- true
	}
	for _, at := range lines {
		(*atomic.Int32)(unsafe.Pointer(&mem[at])).Store(0)
	}
	go onCore(cpus[0], func(i int, from int32, line *atomic.Int32) {
		began := time.Now()
		for k := from; k < from+2*exchanges; k += 2 {
			line.Store(k + 1)
			await(line, k+2)
		}
		ns[i] = min(ns[i], float64(time.Since(began).Nanoseconds())/exchanges)
	})
	go onCore(cpus[1], func(_ int, from int32, line *atomic.Int32) {
		for k := from; k < from+2*exchanges; k += 2 {
			await(line, k+1)
			line.Store(k + 2)
		}
	})
	err := errors.Join(<-pinned, <-pinned)
	for range 2 {
		start <- err == nil
	}
	if err != nil {
		return nil, err
	}
	<-done
	<-done
	return ns, nil
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

// twoCores are those between which lines are passed.
func twoCores() ([]int, error) {
	cpus := host.Affinity()
	if len(cpus) < 2 {
		return nil, errors.New("it needs two cores: no cache line passes between them on one")
	}
	return cpus[:2], nil
}

// sharedPages are pages for roundTrips.
func sharedPages(n int) ([]byte, error) {
	mem, err := syscall.Mmap(-1, 0, n*pageBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANONYMOUS)
	if err != nil {
		err = fmt.Errorf("%d KiB of shared memory: %w", n*pageBytes>>10, err)
	}
	return mem, err
}

const (
	meterPages = 64
	// sameState is how far apart two readings of one state may be. On the machine
	// of docs/dev/benchmarks.md those of one were 66 to 119 ns, of the other 367 to 453.
	sameState = 2
)

// stateMeter tells whether the machine is as it was: on a virtual one the two
// cores may be parts of one core now and lie far apart a second later, and calls
// of MPI take twice as long. A reading is the median round trip of the same lines
// each time, so that their place in memory makes no difference.
type stateMeter struct {
	cpus  []int
	mem   []byte
	lines []int
}

func newStateMeter() (*stateMeter, error) {
	cpus, err := twoCores()
	if err != nil {
		return nil, err
	}
	m := &stateMeter{cpus: cpus}
	for page := range meterPages {
		m.lines = append(m.lines, page*pageBytes)
	}
	m.mem, err = sharedPages(meterPages)
	return m, err
}

// read takes some milliseconds and returns ns.
func (m *stateMeter) read() (float64, error) {
	ns, err := roundTrips(m.cpus, m.mem, m.lines, 3)
	if err != nil {
		return 0, err
	}
	return quartiles(ns)[2], nil
}

// steady is true when all readings are of one state.
func steady(readings []float64) bool { return slices.Max(readings) <= sameState*slices.Min(readings) }

// state is the least and the largest reading in it.
type state [2]float64

func (s state) String() string {
	least, largest := fmt.Sprintf("%.0f", s[0]), fmt.Sprintf("%.0f ns", s[1])
	if largest == least+" ns" {
		return largest
	}
	return least + " to " + largest
}

// statesOf are the states that readings fall into, the fastest first: one ends
// where the next reading is sameState times as long.
func statesOf(readings []float64) (states []state) {
	for _, r := range slices.Sorted(slices.Values(readings)) {
		if n := len(states); n > 0 && r <= sameState*states[n-1][1] {
			states[n-1][1] = r
		} else {
			states = append(states, state{r, r})
		}
	}
	return states
}

// stateIn is the index of the state that has a reading.
func stateIn(states []state, reading float64) int {
	return slices.IndexFunc(states, func(s state) bool { return s[0] <= reading && reading <= s[1] })
}
