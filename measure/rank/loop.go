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
	"slices"
	"time"
	"unsafe"

	"pgmpi/measure/protocol"
)

// loop is the timed loop with Go's hands on it.
type loop struct {
	c      *C.pg_loop
	sync   *C.pg_sync // of the samples
	sample string     // of results.Samples; never "auto"
	ns     *C.int64_t // the samples of a batch, at rank 0
	flags  *C.uchar
	room   int // repetitions that a batch may have
	cache  string
	took   time.Duration // inside C so far
	bytes  int64         // of the cache, for "cold" and "rotate"
}

// needsClock tells whether anything reads the global clock.
func (l *loop) needsClock() bool { return l.sync.global != 0 || l.sample == "global" }

// getSync finds a synchronisation by its name in gl.toml.
func getSync(name string) (*C.pg_sync, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	s := C.pg_sync_get(text)
	if s == nil {
		return nil, fmt.Errorf("this rank program has no synchronisation %q", name)
	}
	return s, nil
}

// setLoop chooses what stands around a repetition by the names in gl.toml; auto
// is resolved already for sync.
func (w *world) setLoop(sync, sample, cache string) error {
	l := &loop{c: (*C.pg_loop)(C.calloc(1, C.sizeof_pg_loop)), cache: cmp.Or(cache, "warm")}
	var err error
	if l.sync, err = getSync(sync); err != nil {
		return err
	}
	if l.sample = cmp.Or(sample, protocol.Auto); l.sample == protocol.Auto {
		l.sample = "local"
		if l.sync.global != 0 {
			l.sample = "global"
		}
	}
	if !slices.Contains(protocol.Samples, l.sample) {
		return fmt.Errorf("this rank program has no kind of sample %q", l.sample)
	}
	text := C.CString(l.cache)
	defer C.free(unsafe.Pointer(text))
	if l.c.touch = C.pg_cache_get(text); l.c.touch == nil {
		return fmt.Errorf("this rank program has no treatment of caches %q", cache)
	}
	if l.cache != "warm" {
		// Rank 0's, so that all ranks agree on what fits into memory.
		if l.bytes, err = w.fromRoot(privateCache()); err != nil {
			return err
		}
	}
	l.c.x, l.c.time = w.x, w.time
	w.loop = l
	return nil
}

// stride is the distance between the places of a rotating buffer of so many
// bytes: other pages, and other sets of the cache.
func stride(bytes int64) int64 { return (bytes+4095)/4096*4096 + 64 }

// span is what a buffer of so many bytes takes in all its places: with "rotate"
// twice the cache more, and at least a second place.
func (l *loop) span(bytes int64) int64 {
	if l.cache != "rotate" || bytes == 0 {
		return bytes
	}
	return bytes + max(2*l.bytes, stride(bytes))
}

// extra is the memory that the treatment of the caches needs beside the
// buffers, in bytes.
func (l *loop) extra() int64 {
	if l.cache == "cold" {
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

// place lets the buffers of a case, of so many bytes at the rank that needs
// most, rotate; their data are copied to every place.
func (w *world) place(send, recv int64) {
	l := w.loop
	rotation := func(base unsafe.Pointer, bytes int64) C.pg_rotation {
		step, places := stride(bytes), int64(1)
		if l.cache == "rotate" && bytes > 0 {
			places += (l.span(bytes) - bytes) / step
		}
		for k := int64(1); k < places; k++ {
			copy(unsafe.Slice((*byte)(unsafe.Add(base, k*step)), bytes), unsafe.Slice((*byte)(base), bytes))
		}
		return C.pg_rotation{base: (*C.char)(base), stride: C.int64_t(step), positions: C.int64_t(places)}
	}
	l.c.send, l.c.recv = rotation(w.x.send, send), rotation(w.x.recv, recv)
}

// home puts the buffers back to their first place.
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
	start := time.Now()
	rc := C.pg_measure(f, sync, l.c, C.int64_t(n))
	l.took += time.Since(start)
	if err := mpiError(C.GoString(f.id), rc); err != nil {
		return nil, 0, err
	}
	done := int(l.c.n)
	// The maximum over ranks would hide it.
	for i, start := range unsafe.Slice(l.c.start, done) {
		if end := unsafe.Slice(l.c.end, done)[i]; end < start {
			return nil, done, fmt.Errorf("the clock of rank %d went back by %v", w.rank, time.Duration(start-end))
		}
	}
	global := C.int(0)
	if l.sample == "global" {
		global = 1
	}
	var ns *C.int64_t
	var flags *C.uchar
	if w.rank == 0 {
		ns, flags = l.ns, l.flags
	}
	if err := mpiError("MPI_Reduce of the samples", C.pg_collect(l.c, sync, global, ns, flags)); err != nil || w.rank != 0 {
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
	ns := make([]int64, n)
	for i, d := range unsafe.Slice(w.loop.ns, n) {
		ns[i] = int64(d)
	}
	slices.Sort(ns)
	return &protocol.Bound{N: n, MinNS: ns[0], MedianNS: ns[(n-1)/2]}, nil
}

// chooseSync resolves sync = "auto" by where the ranks are.
func (w *world) chooseSync(clockSync string) (name, why string, err error) {
	var nodes, crowded C.int
	if err := mpiError("the topology", C.pg_topology(w.x, &nodes, &crowded)); err != nil {
		return "", "", err
	}
	switch {
	case crowded > 0:
		return "barrier", fmt.Sprintf("%d processes share cores: waiting for a start time would hold up those that are late", crowded), nil
	case nodes == 1:
		return "round_time", "all processes are on one node, so one clock tells each of them when to start", nil
	case clockSync == "shared":
		return "dissemination", fmt.Sprintf("the clocks of the %d nodes are not synchronised (clock_sync = \"shared\"); this barrier is the same with every library", nodes), nil
	}
	return "round_time", fmt.Sprintf("the clocks of the %d nodes are synchronised by %s", nodes, clockSync), nil
}
