//go:build cgo

package rank

/*
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
	"strings"
	"time"

	"pgmpi/measure/clocks"
	"pgmpi/measure/protocol"
)

// How long the counter's frequency is measured where CPUID does not state it.
// Two readings of 50 ns then leave an error of 0.5 ppm in what times, and of 5
// ppm in a list of clocks.
const (
	tscMeasure = 200 * time.Millisecond
	tscLook    = 20 * time.Millisecond
)

// setClock chooses the clock of the timing loop by its name in gl.toml, and
// measures its resolution and its cost; for `measure` its frequency, where CPUID does
// not state it. All ranks fail when one does.
func (w *world) setClock(name string, measure time.Duration) error {
	C.pg_inject(C.int(w.rank))
	w.clock = protocol.ClockInfo{Name: name}
	if name == protocol.ClockRDTSCP {
		if err := w.startTSC(measure); err != nil {
			return err
		}
	}
	if w.time.now = clockNamed(name); w.time.now == nil {
		return &refusal{fmt.Errorf("this rank program has no clock %q", name)}
	}
	w.clock.TickNS, w.clock.CostNS = clockStep(w.time.now), float64(C.pg_clock_cost(w.time.now))
	// The coarsest of all ranks counts.
	least, err := w.allMin(-w.clock.TickNS)
	w.clock.TickNS = -least
	return err
}

// clockNamed finds a clock by its name in gl.toml; nil where there is none.
func clockNamed(name string) *C.pg_clock {
	if row := times[name]; row != nil {
		return C.get_clock(row)
	}
	return nil
}

func reading(now *C.pg_clock) int64 { return int64(C.read_clock(now)) }

// clockStep is the resolution of a clock, in ns.
func clockStep(now *C.pg_clock) int64 {
	differences := make([]int64, 2000)
	n := C.pg_clock_differences(now, (*C.int64_t)(&differences[0]), C.int64_t(len(differences)))
	return clocks.Step(differences[:n])
}

// startTSC makes rdtscp a clock, or says why it would be none. Ranks of a host
// take the frequency of its first rank: measured ones differ by a ppm, and
// would make one counter many clocks (S-REVISITED §4.2.1).
func (w *world) startTSC(measure time.Duration) error {
	hz, from, refused := tscFrequency(measure)
	if refused == nil {
		refused = tscPinned()
	}
	if refused != nil {
		refused = fmt.Errorf("clock rdtscp refused: %w", refused)
	}
	if err := w.agree(refused); err != nil {
		return &refusal{err}
	}
	type counter struct {
		hz   int64
		boot [64]byte
	}
	mine := counter{hz: hz}
	copy(mine.boot[:], bootID())
	all, err := allGather(w, mine)
	if err != nil {
		return err
	}
	first := slices.IndexFunc(all, func(c counter) bool { return c.boot == mine.boot })
	w.clock.HZ, w.clock.HZFrom = all[first].hz, from
	C.pg_tsc_set(C.int64_t(w.clock.HZ))
	return nil
}

// tscFrequency says how fast the counter runs and where that is known from, or
// why it is no clock.
func tscFrequency(measure time.Duration) (hz int64, from string, refused error) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return 0, "", err
	}
	if missing := missingFlags(string(text)); missing != "" {
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

// missingFlags lists what an invariant counter needs and /proc/cpuinfo lacks.
func missingFlags(cpuinfo string) string {
	flags := strings.Fields(valueOf(cpuinfo, "flags"))
	var missing []string
	for _, f := range []string{"rdtscp", "constant_tsc", "nonstop_tsc"} {
		if !slices.Contains(flags, f) {
			missing = append(missing, f)
		}
	}
	return strings.Join(missing, ", ")
}

// tscPinned refuses a rank that may move to another core, whose counter may
// show another time (S-REVISITED §3.4).
func tscPinned() error {
	status, _ := os.ReadFile("/proc/self/status")
	may := valueOf(string(status), "Cpus_allowed_list")
	if may != "" && siblings(may) == may {
		return nil
	}
	return fmt.Errorf("it may run on the processors %s and is not bound to one core; bind ranks (mpirun --bind-to core, at most as many ranks as cores) or use monotonic", may)
}

// siblings returns the list itself when it is one processor or all hardware
// threads of one core; "" otherwise.
func siblings(list string) string {
	first, _, several := strings.Cut(list, ",")
	first, _, span := strings.Cut(first, "-")
	if !several && !span || firstLineOf("/sys/devices/system/cpu/cpu"+first+"/topology/thread_siblings_list") == list {
		return list
	}
	return ""
}

// valueOf is the value of the first line "name: value"; "" if there is none.
func valueOf(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// bootID tells kernels apart, also before and after a reboot of one host. Containers
// on a host have the same.
func bootID() string { return firstLineOf("/proc/sys/kernel/random/boot_id") }

// listClocks examines every clock; rank 0's findings count. All ranks must call
// it, and choose the clock that is to time with setClock afterwards.
func (w *world) listClocks(into *[]protocol.ClockInfo) error {
	for _, name := range protocol.Clocks {
		var refused *refusal
		if err := w.setClock(name, tscLook); errors.As(err, &refused) {
			w.clock = protocol.ClockInfo{Name: name, Refused: err.Error()}
		} else if err != nil {
			return err
		}
		*into = append(*into, w.clock)
	}
	return nil
}

// refusal is why a clock cannot be used, unlike an error of MPI.
type refusal struct{ error }
