//go:build cgo

package clock

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../native -I${SRCDIR}/../../../mockups/c
#include <stdlib.h>
#include "rank.h"

static pg_clock *get_clock(const pg_named_clock *c) { return c->get(); }
static int64_t read_clock(pg_clock *now) { return now(); }
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
	"unsafe"

	"pgmpi/measure/clocks"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/native"
)

// These times measure the counter's frequency where CPUID does not state it. Two readings of 50 ns then
// leave an error of 0.5 ppm in what times, and of 5 ppm in a list of clocks.
const (
	tscMeasure = 200 * time.Millisecond
	tscLook    = 20 * time.Millisecond
)

// Clock holds the clock that times, and the global one that is made of the ranks' own.
type Clock struct {
	*mpi.World
	Info   protocol.ClockInfo
	Timing *native.Timing
	time   *C.pg_timing // Timing
	x      *C.pg_ctx
}

// New returns a Clock that Set is still to choose.
func New(w *mpi.World) *Clock {
	c := &Clock{World: w, x: (*C.pg_ctx)(unsafe.Pointer(w.Context)), time: (*C.pg_timing)(C.calloc(1, C.sizeof_pg_timing))}
	c.Timing = (*native.Timing)(unsafe.Pointer(c.time))
	return c
}

var hostFiles = os.DirFS("/")

func names() (out []string) {
	for i := C.int(0); C.pg_clock_at(i) != nil; i++ {
		out = append(out, C.GoString(C.pg_clock_at(i).name))
	}
	return out
}

// Set chooses the clock of the timing loop by its name in gl.toml. It also measures its resolution and
// its cost. All ranks fail when one does.
func (c *Clock) Set(name string) error { return c.set(name, tscMeasure) }

// set takes as long as `measure` for a frequency that CPUID does not state.
func (c *Clock) set(name string, measure time.Duration) error {
	C.pg_inject(C.int(c.Rank))
	c.Info = protocol.ClockInfo{Name: name}
	if name == protocol.ClockRDTSCP {
		if err := c.startTSC(measure); err != nil {
			return err
		}
	}
	if c.time.now = clockNamed(name); c.time.now == nil {
		return &refusal{fmt.Errorf("this rank program has no clock %q", name)}
	}
	c.Info.TickNS, c.Info.CostNS = clockStep(c.time.now), float64(C.pg_clock_cost(c.time.now))
	// The coarsest of all ranks counts.
	least, err := c.AllMin(-c.Info.TickNS)
	c.Info.TickNS = -least
	return err
}

func clockNamed(name string) *C.pg_clock {
	if i := slices.Index(names(), name); i >= 0 {
		return C.get_clock(C.pg_clock_at(C.int(i)))
	}
	return nil
}

func (c *Clock) Now() int64 { return reading(c.time.now) }

func reading(now *C.pg_clock) int64 { return int64(C.read_clock(now)) }

// Tick returns the resolution of a clock by its name in gl.toml, in ns.
func Tick(name string) int64 { return clockStep(clockNamed(name)) }

func clockStep(now *C.pg_clock) int64 {
	differences := make([]int64, 2000)
	n := C.pg_clock_differences(now, (*C.int64_t)(&differences[0]), C.int64_t(len(differences)))
	return clocks.Step(differences[:n])
}

// startTSC makes rdtscp a clock, or says why it cannot. Ranks of a host take the frequency of its first
// rank: measured ones differ by a ppm, and would make one counter many clocks (S-REVISITED §4.2.1).
func (c *Clock) startTSC(measure time.Duration) error {
	hz, from, refused := tscFrequency(measure)
	// The counter of another core may show another time (S-REVISITED §3.4).
	if may := host.Affinity(); refused == nil && !host.IsOneCore(hostFiles, may) {
		refused = fmt.Errorf("it may run on the processors %s and is not bound to one core; bind ranks (mpirun --bind-to core, at most as many ranks as cores) or use monotonic", may)
	}
	if refused != nil {
		refused = fmt.Errorf("clock rdtscp refused: %c", refused)
	}
	if err := c.Agree(refused); err != nil {
		return &refusal{err}
	}
	type counter struct {
		hz   int64
		boot [64]byte
	}
	mine := counter{hz: hz}
	copy(mine.boot[:], host.BootID(hostFiles))
	all, err := mpi.AllGather(c.World, mine)
	if err != nil {
		return err
	}
	first := slices.IndexFunc(all, func(o counter) bool { return o.boot == mine.boot })
	c.Info.HZ, c.Info.HZFrom = all[first].hz, from
	C.pg_tsc_set(C.int64_t(c.Info.HZ))
	return nil
}

// tscFrequency tells how fast the counter runs, and from where that is known. If it is no clock,
// refused says why.
func tscFrequency(measure time.Duration) (hz int64, from string, refused error) {
	if missing := host.TSCLacks(hostFiles); missing != "" {
		return 0, "", fmt.Errorf("/proc/cpuinfo lacks %s, so the counter may change its speed or stop; use monotonic", missing)
	}
	if hz = int64(C.pg_tsc_stated()); hz > 0 {
		return hz, "CPUID leaf 0x15", nil
	}
	if hz = int64(C.pg_tsc_measured(C.int64_t(measure))); hz > 0 {
		return hz, fmt.Sprintf("measured against CLOCK_MONOTONIC_RAW for %d ms", measure.Milliseconds()), nil
	}
	return 0, "", errors.New("this processor has no time-stamp counter that pgmpi knows; use monotonic")
}

// List examines every clock; rank 0's findings count. All ranks must call
// it, and choose the clock that is to time with Set afterwards.
func (c *Clock) List() (all []protocol.ClockInfo, err error) {
	for _, name := range protocol.Clocks {
		var refused *refusal
		if err := c.set(name, tscLook); errors.As(err, &refused) {
			c.Info = protocol.ClockInfo{Name: name, Refused: err.Error()}
		} else if err != nil {
			return nil, err
		}
		all = append(all, c.Info)
	}
	return all, nil
}

// refusal tells why a clock cannot be used, unlike an error of MPI.
type refusal struct{ error }
