//go:build cgo

package rank

/*
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"pgmpi/measure/protocol"
)

// loop is the timed loop with Go's hands on it.
type loop struct {
	c      *C.pg_loop
	sync   *C.pg_sync // of the samples
	sample string     // of protocol.Samples; never "auto"
	ns     *C.int64_t // the samples of a batch, at rank 0
	flags  *C.uchar
	room   int // repetitions that a batch may have
	cache  *C.pg_cache
	took   time.Duration // inside C so far
	keep   bool          // the local durations
	local  []int64       // of the last batch, ns, where they are kept
	called bool          // since the receive buffer was poisoned
	bytes  int64         // of the cache, where that counts
}

// needsClock tells whether anything reads the global clock.
func (l *loop) needsClock() bool { return l.sync.global != 0 || l.sample == protocol.SampleGlobal }

// The tables of C by the names of gl.toml.
var (
	syncs  = named(func(i C.int) *C.pg_sync { return C.pg_sync_at(i) }, func(s *C.pg_sync) *C.char { return s.name })
	caches = named(func(i C.int) *C.pg_cache { return C.pg_cache_at(i) }, func(c *C.pg_cache) *C.char { return c.name })
	times  = named(func(i C.int) *C.pg_named_clock { return C.pg_clock_at(i) }, func(c *C.pg_named_clock) *C.char { return c.name })
)

func named[T any](at func(C.int) *T, name func(*T) *C.char) map[string]*T {
	rows := map[string]*T{}
	for i := C.int(0); at(i) != nil; i++ {
		rows[C.GoString(name(at(i)))] = at(i)
	}
	return rows
}

// setLoop chooses what surrounds a repetition by the names in gl.toml; auto
// is resolved already for sync.
func (w *world) setLoop(sync, sample, cache string) error {
	l := &loop{c: (*C.pg_loop)(C.calloc(1, C.sizeof_pg_loop)), sync: syncs[sync],
		cache: caches[cmp.Or(cache, protocol.CacheWarm)]}
	if l.sync == nil {
		return fmt.Errorf("this rank program has no synchronisation %q", sync)
	}
	if l.cache == nil {
		return fmt.Errorf("this rank program has no treatment of caches %q", cache)
	}
	if l.sample = cmp.Or(sample, protocol.Auto); l.sample == protocol.Auto {
		l.sample = protocol.SampleLocal
		if l.sync.global != 0 {
			l.sample = protocol.SampleGlobal
		}
	}
	if !slices.Contains(protocol.Samples, l.sample) {
		return fmt.Errorf("this rank program has no kind of sample %q", l.sample)
	}
	if l.cache.overwrites+l.cache.rotates != 0 {
		// Rank 0's, so that all ranks agree on what fits into memory.
		var err error
		if l.bytes, err = w.fromRoot(privateCache()); err != nil {
			return err
		}
	}
	l.c.x, l.c.time, l.c.touch = w.x, w.time, l.cache.touch
	w.loop = l
	return nil
}

// The cache size where the kernel does not say it, and the most that is
// believed: a virtual machine with one core may call the host's whole last
// level private.
const (
	unknownCache = 2 << 20
	mostCache    = 64 << 20
)

// privateCache is the size in bytes of the last level of data cache that a core
// has for itself (S-REVISITED §5.8), as the kernel says it of core 0.
func privateCache() int64 { return privateCacheIn("/sys/devices/system/cpu/cpu0") }

func privateCacheIn(cpu string) int64 {
	threads := firstLineOf(cpu + "/topology/thread_siblings_list")
	levels, _ := filepath.Glob(cpu + "/cache/index*")
	var size int64
	for _, l := range levels {
		if firstLineOf(l+"/type") == "Instruction" || firstLineOf(l+"/shared_cpu_list") != threads {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(firstLineOf(l+"/size"), "K"), 10, 64)
		if err == nil {
			size = max(size, kib<<10)
		}
	}
	if size == 0 {
		return unknownCache
	}
	return min(size, mostCache)
}

// stride is the distance between the positions of a rotating buffer, in bytes:
// other pages, and other sets of the cache.
func stride(bytes int64) int64 { return (bytes+4095)/4096*4096 + 64 }

// span is what a buffer takes in all its positions, in bytes: where it rotates
// twice the cache more, and at least a second position.
func (l *loop) span(bytes int64) int64 {
	if l.cache.rotates == 0 || bytes == 0 {
		return bytes
	}
	return bytes + max(2*l.bytes, stride(bytes))
}

// extra is the memory that the treatment of the caches needs beside the
// buffers, in bytes.
func (l *loop) extra() int64 {
	if l.cache.overwrites != 0 {
		return l.bytes
	}
	return 0
}

// allocate makes room for batches of n repetitions.
func (l *loop) allocate(n int) error {
	l.c.cold_bytes = C.int64_t(l.extra())
	l.c.cold = C.pg_alloc(l.c.cold_bytes)
	start, end, ns := C.pg_alloc(C.int64_t(8*n)), C.pg_alloc(C.int64_t(8*n)), C.pg_alloc(C.int64_t(8*n))
	own, all := C.pg_alloc(C.int64_t(n)), C.pg_alloc(C.int64_t(n))
	if l.c.cold == nil || start == nil || end == nil || ns == nil || own == nil || all == nil {
		return fmt.Errorf("no memory for %d repetitions", n)
	}
	l.c.start, l.c.end, l.ns = (*C.int64_t)(unsafe.Pointer(start)), (*C.int64_t)(unsafe.Pointer(end)), (*C.int64_t)(unsafe.Pointer(ns))
	l.c.flags_of, l.flags = (*C.uchar)(unsafe.Pointer(own)), (*C.uchar)(unsafe.Pointer(all))
	l.room = n
	return nil
}

// rotate lets the buffers of a case rotate, which have this many bytes at the rank
// that needs most.
func (w *world) rotate(send, recv int64) {
	l := w.loop
	rotation := func(base unsafe.Pointer, bytes int64) C.pg_rotation {
		step, positions := stride(bytes), int64(1)
		if bytes > 0 {
			positions += (l.span(bytes) - bytes) / step
		}
		return C.pg_rotation{base: (*C.char)(base), stride: C.int64_t(step), positions: C.int64_t(positions)}
	}
	l.c.send, l.c.recv = rotation(w.x.send, send), rotation(w.x.recv, recv)
}

// spread copies the data of a case, and the guards behind them, to every position
// of its buffers; none of a buffer of 0 bytes.
func (w *world) spread(send, recv int64) {
	for _, b := range []struct {
		of    C.pg_rotation
		bytes int64
	}{{w.loop.c.send, send}, {w.loop.c.recv, recv}} {
		base := unsafe.Pointer(b.of.base)
		if b.bytes == 0 {
			continue
		}
		n := b.bytes + C.PG_GUARD_BYTES // a stride has room for it
		for k := int64(1); k < int64(b.of.positions); k++ {
			copy(unsafe.Slice((*byte)(unsafe.Add(base, k*int64(b.of.stride))), n), unsafe.Slice((*byte)(base), n))
		}
	}
}

// stay puts the buffers where repetition n of the caches has had them.
func (w *world) stay(n C.int64_t) {
	at := func(r C.pg_rotation) unsafe.Pointer {
		return unsafe.Add(unsafe.Pointer(r.base), n%r.positions*r.stride)
	}
	w.x.send, w.x.recv = at(w.loop.c.send), at(w.loop.c.recv)
}

// home puts the buffers back to their first position.
func (w *world) home() {
	w.x.send, w.x.recv = unsafe.Pointer(w.loop.c.send.base), unsafe.Pointer(w.loop.c.recv.base)
}

// set says what the next batch is like: the length of a window, the time slice,
// and how many valid repetitions are enough.
func (l *loop) set(window, slice time.Duration, want int) {
	l.c.window, l.c.slice, l.c.want = C.int64_t(window), C.int64_t(slice), C.int64_t(want)
}

// batch times a function at most n times. Rank 0 gets the samples, all ranks how many.
func (w *world) batch(f *C.pg_function, sync *C.pg_sync, n int) ([]protocol.Sample, int, error) {
	l := w.loop
	start, first := time.Now(), l.c.turn
	rc := C.pg_measure(f, sync, l.c, C.int64_t(n))
	l.took += time.Since(start)
	if err := mpiError(C.GoString(f.id), rc); err != nil {
		return nil, 0, err
	}
	done := int(l.c.n)
	if done > 0 {
		// A repetition that the synchronisation did not begin has had its place.
		l.called = true
		w.stay(first + l.c.n - 1)
	}
	// The maximum over ranks would hide it.
	for i, start := range unsafe.Slice(l.c.start, done) {
		if end := unsafe.Slice(l.c.end, done)[i]; end < start {
			return nil, done, fmt.Errorf("the clock of rank %d went back by %v", w.rank, time.Duration(start-end))
		}
	}
	l.local = l.local[:0]
	for i := 0; l.keep && i < done; i++ {
		l.local = append(l.local, int64(unsafe.Slice(l.c.end, done)[i]-unsafe.Slice(l.c.start, done)[i]))
	}
	global := C.int(0)
	if l.sample == protocol.SampleGlobal {
		global = 1
	}
	if err := mpiError("MPI_Reduce of the samples", C.pg_collect(l.c, sync, global, l.ns, l.flags)); err != nil || w.rank != 0 {
		return nil, done, err
	}
	samples := make([]protocol.Sample, done)
	for i, d := range unsafe.Slice(l.ns, done) {
		samples[i] = protocol.Sample{NS: int64(d), Flags: int(unsafe.Slice(l.flags, done)[i])}
	}
	return samples, done, nil
}

// provable measures n upper bounds of a function's run-time and sums them up at rank 0.
func (w *world) provable(f *C.pg_function, n int) (*protocol.Bound, error) {
	if err := mpiError(C.GoString(f.id), C.pg_provable(f, w.loop.c, C.int64_t(n), w.loop.ns)); err != nil || w.rank != 0 {
		return nil, err
	}
	ns := unsafe.Slice(w.loop.ns, n)
	slices.Sort(ns)
	return &protocol.Bound{N: n, MinNS: int64(ns[0]), MedianNS: int64(ns[(n-1)/2])}, nil
}

// chooseSync resolves sync = "auto" by where the ranks are.
func (w *world) chooseSync(clockSync string) (name, why string, err error) {
	var nodes, crowded C.int
	if err := mpiError("the topology", C.pg_topology(w.x, &nodes, &crowded)); err != nil {
		return "", "", err
	}
	switch {
	case crowded > 0:
		return protocol.SyncBarrier, fmt.Sprintf("%d processes share cores: waiting for a start time would hold up those that are late", crowded), nil
	case nodes == 1:
		return protocol.SyncRoundTime, "all processes are on one node, so one clock tells each of them when to start", nil
	case clockSync == protocol.ClockSyncShared:
		return protocol.SyncDissemination, fmt.Sprintf("the clocks of the %d nodes are not synchronised (clock_sync = \"shared\"); this barrier is the same with every library", nodes), nil
	}
	return protocol.SyncRoundTime, fmt.Sprintf("the clocks of the %d nodes are synchronised by %s", nodes, clockSync), nil
}
