//go:build cgo

package rank

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"pgmpi/internal/fixture/must"
	"pgmpi/measure/protocol"
)

func TestDriverAndRankProgramHaveTheSameNames(t *testing.T) {
	methods := map[string]bool{protocol.ClockSyncShared: true}
	for name := range clockMethods {
		methods[name], methods[name+sharedSuffix] = true, true
	}
	for _, c := range []struct {
		what         string
		driver, rank []string
	}{
		{"synchronisations", protocol.Syncs, keys(syncs)},
		{"treatments of caches", protocol.Caches, keys(caches)},
		{"clocks", protocol.Clocks, keys(times)},
		{"counters", protocol.Counters, eventNames()},
		{"clock synchronisations", protocol.ClockSyncs, keys(methods)},
	} {
		for _, name := range c.driver {
			if !slices.Contains(c.rank, name) {
				t.Errorf("%s: only the driver knows %q", c.what, name)
			}
		}
		for _, name := range c.rank {
			if !slices.Contains(c.driver, name) {
				t.Errorf("%s: only the rank program knows %q", c.what, name)
			}
		}
	}
}

func keys[T any](m map[string]T) []string { return slices.Collect(maps.Keys(m)) }

// Each clock shows what the kernel's clock of that name shows; a build with
// injected clocks is wrong on purpose. The numbers are the kernel's.
func TestClocksShowWhatTheirNamesSay(t *testing.T) {
	for name, id := range map[string]uintptr{protocol.ClockMonotonic: 1, "monotonic_raw": 4} {
		kernel := func() int64 {
			var at syscall.Timespec
			if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&at)), 0); errno != 0 {
				t.Fatal(errno)
			}
			return at.Nano()
		}
		before, got, after := kernel(), reading(clockNamed(name)), kernel()
		if got < before || got > after {
			t.Errorf("%s shows %d, the kernel's shows %d before and %d after it", name, got, before, after)
		}
	}
	if clockNamed("wtime") == nil || clockNamed(protocol.ClockRDTSCP) != nil || clockNamed("sundial") != nil {
		t.Error("before its frequency is set, rdtscp is no clock, and wtime is one")
	}
}

func TestRotatingBuffersHaveAtLeastTwoPositions(t *testing.T) {
	l := &loop{cache: caches["rotate"], bytes: 1 << 20}
	for _, bytes := range []int64{1, 8, 4096, 1 << 20, 64 << 20} {
		room := l.span(bytes) - bytes
		if positions := 1 + room/stride(bytes); positions < 2 || (positions-1)*stride(bytes)+bytes > l.span(bytes) {
			t.Errorf("%d bytes: %d positions in %d", bytes, positions, l.span(bytes))
		}
		if stride(bytes) < bytes || stride(bytes)%64 != 0 {
			t.Errorf("%d bytes: positions are %d apart", bytes, stride(bytes))
		}
	}
	if l.span(0) != 0 || (&loop{cache: caches["cold"], bytes: 9}).span(8) != 8 {
		t.Error("memory is taken where nothing rotates")
	}
}

func TestWindowIsDoubledOnlyAfterBadBatchesInARow(t *testing.T) {
	m := &measured{window: time.Millisecond}
	for _, invalid := range []int{9, 5, 4, 20, 5} {
		m.adjust(20, invalid)
	}
	if m.window != time.Millisecond {
		t.Errorf("two bad batches, a good one and two bad ones: %v", m.window)
	}
	m.adjust(20, 5)
	if m.window != 2*time.Millisecond {
		t.Errorf("three bad batches in a row: %v", m.window)
	}
}

func TestCacheIsTheLastLevelThatACoreHasForItself(t *testing.T) {
	level := func(kind, size, shared string) map[string]string {
		return map[string]string{"type": kind, "size": size, "shared_cpu_list": shared}
	}
	for _, c := range []struct {
		name   string
		levels []map[string]string
		want   int64
	}{
		{"shared last level", []map[string]string{level("Data", "48K", "0,8"), level("Instruction", "64K", "0,8"),
			level("Unified", "2048K", "0,8"), level("Unified", "491520K", "0-15")}, 2 << 20},
		{"only a large one", []map[string]string{level("Unified", "491520K", "0,8")}, mostCache},
		{"nothing known", nil, unknownCache},
		{"nonsense", []map[string]string{level("Unified", "much", "0,8")}, unknownCache},
	} {
		cpu := t.TempDir()
		write(t, filepath.Join(cpu, "topology", "thread_siblings_list"), "0,8")
		for i, l := range c.levels {
			for name, text := range l {
				write(t, filepath.Join(cpu, "cache", "index"+string(rune('0'+i)), name), text)
			}
		}
		if got := privateCacheIn(cpu); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text+"\n"), 0o666))
}
