//go:build cgo

package clock

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/protocol"
)

func TestEveryProcessIsAClientOnceInTheTree(t *testing.T) {
	for p := 1; p <= 40; p++ {
		for name, rounds := range map[string][]int{"upwards": upwards(p), "downwards": downwards(p)} {
			want := bits.Len(uint(p - 1))
			should.Hold(t, len(rounds) == want, "p = %d takes %d rounds %s, want ⌈log2 p⌉ = %d", p, len(rounds), name, want)
			clients, known := map[int]int{}, map[int]bool{0: true}
			for _, r := range rounds {
				busy := map[int]bool{}
				for me := range p {
					who, client, ok := partner(p, me, r)
					if !ok {
						continue
					}
					back, otherClient, otherOK := partner(p, who, r)
					must.Hold(t, otherOK && back == me && otherClient != client && !busy[me],
						"p = %d round %d: %d deals with %d, which deals with %d", p, r, me, who, back)
					busy[me] = true
					if !client {
						continue
					}
					clients[me]++
					should.Hold(t, name != "downwards" || known[who], "p = %d round %d: %d learns from %d, which does not know the global time yet", p, r, me, who)
					known[me] = true
				}
			}
			for me := 1; me < p; me++ {
				should.Hold(t, clients[me] == 1, "p = %d %s: %d is a client %d times, want once", p, name, me, clients[me])
			}
		}
	}
}

func TestSharedNamesBothHostsAndTheRemedy(t *testing.T) {
	err := onlyOneHost([]clockHost{{name: "a", ranks: []int{0, 1}}, {name: "b", ranks: []int{2}}})
	for _, part := range []string{"rank 0 runs on host a", "rank 2 on host b", `clock_sync = "hca3+shared"`} {
		should.Hold(t, strings.Contains(fmt.Sprint(err), part), "%v does not say %q", err, part)
	}
	should.Do(t, onlyOneHost([]clockHost{{name: "a"}}))
}

func TestDriverAndRankProgramHaveTheSameNames(t *testing.T) {
	methods := map[string]bool{protocol.ClockSyncShared: true}
	for name := range clockMethods {
		methods[name], methods[name+SharedSuffix] = true, true
	}
	for _, c := range [][2][]string{{protocol.Clocks, names()}, {protocol.ClockSyncs, slices.Collect(maps.Keys(methods))}} {
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
