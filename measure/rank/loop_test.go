//go:build cgo

package rank

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgmpi/measure/protocol"
)

func TestEverySynchronisationOfTheDriverIsInC(t *testing.T) {
	for _, name := range protocol.Syncs {
		if _, err := getSync(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := getSync(protocol.Auto); err == nil {
		t.Error("auto is no synchronisation of its own")
	}
}

func TestRotatingBuffersHaveAtLeastTwoPlaces(t *testing.T) {
	l := &loop{cache: "rotate", bytes: 1 << 20}
	for _, bytes := range []int64{1, 8, 4096, 1 << 20, 64 << 20} {
		room := l.span(bytes) - bytes
		if places := 1 + room/stride(bytes); places < 2 || (places-1)*stride(bytes)+bytes > l.span(bytes) {
			t.Errorf("%d bytes: %d places in %d", bytes, places, l.span(bytes))
		}
		if stride(bytes) < bytes || stride(bytes)%64 != 0 {
			t.Errorf("%d bytes: places are %d apart", bytes, stride(bytes))
		}
	}
	if l.span(0) != 0 || (&loop{cache: "cold", bytes: 9}).span(8) != 8 {
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
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}
