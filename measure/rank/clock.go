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
	"strconv"
	"strings"
	"time"
	"unsafe"

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
// measures its resolution and its cost. All ranks fail when one does.
func (w *world) setClock(name string) error { return w.tryClock(name, tscMeasure) }

func (w *world) tryClock(name string, measure time.Duration) error {
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
	measureClock(&w.clock, w.time.now)
	// The coarsest of all ranks counts.
	least, err := w.allMin(-w.clock.TickNS)
	w.clock.TickNS = -least
	return err
}

// clockNamed finds a clock by its name in gl.toml; nil where there is none.
func clockNamed(name string) *C.pg_clock {
	row := times[name]
	if row == nil {
		return nil
	}
	return C.get_clock(row)
}

func reading(now *C.pg_clock) int64 { return int64(C.read_clock(now)) }

func measureClock(i *protocol.ClockInfo, now *C.pg_clock) {
	i.TickNS = clockStep(now)
	i.CostNS = float64(C.pg_clock_cost(now))
}

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
	all, err := w.allGather([]byte(fmt.Sprintf("%-20d%s", hz, bootID())), 96)
	if err != nil {
		return err
	}
	for _, r := range all {
		number, boot := string(r[:20]), strings.TrimRight(string(r[20:]), "\x00")
		if boot == bootID() {
			hz, err = strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			break
		}
	}
	C.pg_tsc_set(C.int64_t(hz))
	w.clock.HZ, w.clock.HZFrom = hz, from
	return err
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
	var flags []string
	for line := range strings.Lines(cpuinfo) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "flags" {
			flags = strings.Fields(value)
			break
		}
	}
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
	may := statusField("Cpus_allowed_list")
	core := siblings(may)
	if may != "" && core == may {
		return nil
	}
	return fmt.Errorf("it may run on the processors %s and is not bound to one core; bind ranks (mpirun --bind-to core, at most as many ranks as cores) or use monotonic", may)
}

// siblings returns the list itself when it is one processor or all hardware
// threads of one core; "" otherwise.
func siblings(list string) string {
	first, _, several := strings.Cut(list, ",")
	first, _, span := strings.Cut(first, "-")
	if !several && !span {
		return list
	}
	text, err := os.ReadFile("/sys/devices/system/cpu/cpu" + first + "/topology/thread_siblings_list")
	if err != nil || strings.TrimSpace(string(text)) != list {
		return ""
	}
	return list
}

func statusField(name string) string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// bootID tells kernels apart, also those of one host before and after a reboot.
// Containers on a host have the same.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// listClocks examines every clock; rank 0's findings count. All ranks must call
// it, and choose the clock that is to time with setClock afterwards.
func (w *world) listClocks(into *[]protocol.ClockInfo) error {
	for _, name := range protocol.Clocks {
		var refused *refusal
		if err := w.tryClock(name, tscLook); errors.As(err, &refused) {
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

// agree returns the same error on every rank: the lowest rank that has one gives it.
func (w *world) agree(mine error) error {
	who := int64(w.size)
	if mine != nil {
		who = int64(w.rank)
	}
	who, err := w.allMin(who)
	if err != nil || who == int64(w.size) {
		return err
	}
	var text []byte
	if mine != nil {
		text = []byte(mine.Error())
	}
	text, err = w.text(text, int(who))
	if err != nil {
		return err
	}
	return fmt.Errorf("rank %d: %s", who, text)
}

// allGather returns every rank's record, by rank, filled up with zeros to n bytes.
func (w *world) allGather(mine []byte, n int) ([][]byte, error) {
	record, all := make([]byte, n), make([]byte, n*w.size)
	copy(record, mine)
	rc := C.pg_all_gather(w.x, unsafe.Pointer(&record[0]), C.int(n), unsafe.Pointer(&all[0]))
	out := make([][]byte, w.size)
	for i := range out {
		out[i] = all[i*n : (i+1)*n]
	}
	return out, mpiError("MPI_Allgather", rc)
}
