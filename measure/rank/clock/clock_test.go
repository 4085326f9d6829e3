//go:build cgo

package clock

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"pgmpi/measure/clocks/methods"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestSharedNamesBothHostsAndTheRemedy(t *testing.T) {
	err := onlyOneHost([]clockHost{{name: "a", ranks: []int{0, 1}}, {name: "b", ranks: []int{2}}})
	for _, part := range []string{"rank 0 runs on host a", "rank 2 on host b", `clock_sync = "hca3+shared"`} {
		should.Hold(t, strings.Contains(fmt.Sprint(err), part), "%v does not say %q", err, part)
	}
	should.Do(t, onlyOneHost([]clockHost{{name: "a"}}))
}

func TestDriverAndRankProgramHaveTheSameNames(t *testing.T) {
	all := map[string]bool{protocol.ClockSyncShared: true}
	for name := range methods.By {
		all[name], all[name+SharedSuffix] = true, true
	}
	for _, c := range [][2][]string{{protocol.Clocks, names()}, {protocol.ClockSyncs, slices.Collect(maps.Keys(all))}} {
		slices.Sort(c[1])
		want := slices.Sorted(slices.Values(c[0]))
		should.Hold(t, slices.Equal(c[1], want), "the driver knows %v, the rank program %v", want, c[1])
	}
}

// Each clock shows what the kernel's clock of that name shows; a build with
// injected clocks is wrong on purpose. The numbers are the kernel's.
func TestClocksShowWhatTheirNamesSay(t *testing.T) {
	for name, id := range map[string]uintptr{protocol.ClockMonotonic: 1, "monotonic_raw": 4} {
		kernel := func() int64 {
			var at syscall.Timespec
			_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&at)), 0)
			must.Hold(t, errno == 0, "%v", errno)
			return at.Nano()
		}
		before, got, after := kernel(), reading(clockNamed(name)), kernel()
		should.Hold(t, got >= before && got <= after, "%s shows %d, the kernel's shows %d before and %d after it", name, got, before, after)
	}
	should.Hold(t, clockNamed("wtime") != nil && clockNamed(protocol.ClockRDTSCP) == nil && clockNamed("sundial") == nil,
		"before its frequency is set, rdtscp is no clock, and wtime is one")
}
