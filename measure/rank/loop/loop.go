//go:build cgo

package loop

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../native -I${SRCDIR}/../../../mockups/c
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"
	"unsafe"

	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/call"
	"pgmpi/measure/rank/clock"
	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/native"
)

// Loop holds the timed loop, and what surrounds a repetition.
type Loop struct {
	*call.Caller
	Sample     string // what a sample is, of protocol.Samples; never "auto"
	Cache      string // what is done to the caches before a repetition
	CacheBytes int64  // of the cache, where that counts
	Room       int    // repetitions that a batch may have
	Took       time.Duration
	Keep       bool // the local durations
	Called     bool // set by each batch that calls
	Alone      bool // batches with counters come without a batch that has none
	Half       bool // a sample of the function in hand is half the time of a call

	Global, Windows, Grows, Slices bool // what the synchronisation does; see pg_sync

	clock    *clock.Clock
	x        *C.pg_ctx
	c        *C.pg_loop
	sync     *C.pg_sync // of the samples
	cache    *C.pg_cache
	ns       *C.int64_t // the samples of a batch, at rank 0
	flags    *C.uchar
	counters *counters // nil if none are wanted
	other    bool      // likewise, of the function of every second repetition
}

// Batch holds the results of a batch of repetitions. All ranks agree on N.
type Batch struct {
	N       int
	Samples []protocol.Sample // at rank 0
	Local   []int64           // durations of this rank, ns, where they are kept
	Usage   Usage             // of this rank
}

// These are the tables of C by the names of gl.toml.
var (
	syncs  = named(func(i C.int) *C.pg_sync { return C.pg_sync_at(i) }, func(s *C.pg_sync) *C.char { return s.name })
	caches = named(func(i C.int) *C.pg_cache { return C.pg_cache_at(i) }, func(c *C.pg_cache) *C.char { return c.name })
)

func named[T any](at func(C.int) *T, name func(*T) *C.char) map[string]*T {
	rows := map[string]*T{}
	for i := C.int(0); at(i) != nil; i++ {
		rows[C.GoString(name(at(i)))] = at(i)
	}
	return rows
}

// New chooses what surrounds a repetition by the names in gl.toml; auto
// is resolved already for sync.
func New(caller *call.Caller, clock *clock.Clock, sync, sample, cache string) (*Loop, error) {
	l := &Loop{Caller: caller, clock: clock, x: (*C.pg_ctx)(unsafe.Pointer(caller.Context)), c: (*C.pg_loop)(C.calloc(1, C.sizeof_pg_loop)),
		sync: syncs[sync], Cache: cmp.Or(cache, protocol.CacheWarm), Sample: cmp.Or(sample, protocol.Auto)}
	if l.sync == nil {
		return nil, fmt.Errorf("this rank program has no synchronisation %q", sync)
	}
	if l.cache = caches[l.Cache]; l.cache == nil {
		return nil, fmt.Errorf("this rank program has no treatment of caches %q", cache)
	}
	l.Global, l.Windows, l.Grows, l.Slices = l.sync.global != 0, l.sync.windows != 0, l.sync.grows != 0, l.sync.slices != 0
	if l.Sample == protocol.Auto {
		l.Sample = protocol.SampleLocal
		if l.Global {
			l.Sample = protocol.SampleGlobal
		}
	}
	if !slices.Contains(protocol.Samples, l.Sample) {
		return nil, fmt.Errorf("this rank program has no kind of sample %q", l.Sample)
	}
	if l.cache.overwrites != 0 || l.Rotates() {
		// Rank 0's, so that all ranks agree on what fits into memory.
		var err error
		if l.CacheBytes, err = l.FromRoot(host.PrivateCache(os.DirFS("/"))); err != nil {
			return nil, err
		}
	}
	l.c.x, l.c.time, l.c.touch = l.x, l.time(), l.cache.touch
	return l, nil
}

func (l *Loop) time() *C.pg_timing { return (*C.pg_timing)(unsafe.Pointer(l.clock.Timing)) }

func (l *Loop) NeedsClock() bool { return l.Global || l.Sample == protocol.SampleGlobal }

func (l *Loop) Rotates() bool { return l.cache.rotates != 0 }

// Turn returns the number of the next repetition, by which buffers rotate.
func (l *Loop) Turn() int64 { return int64(l.c.turn) }

// SetTurn goes on where a case had come to.
func (l *Loop) SetTurn(n int64) { l.c.turn = C.int64_t(n) }

// stride returns the distance between the positions of a rotating buffer, in bytes: other pages, and
// other sets of the cache.
func stride(bytes int64) int64 { return (bytes+4095)/4096*4096 + 64 }

// Span returns the size of a buffer in all its positions, in bytes: where it rotates twice the cache
// more, and at least a second position.
func (l *Loop) Span(bytes int64) int64 {
	if !l.Rotates() || bytes == 0 {
		return bytes
	}
	return bytes + max(2*l.CacheBytes, stride(bytes))
}

// Extra returns the memory that the treatment of the caches needs besides the buffers, in bytes.
func (l *Loop) Extra() int64 {
	if l.cache.overwrites != 0 {
		return l.CacheBytes
	}
	return 0
}

func (l *Loop) Allocate(n int) error {
	l.c.cold_bytes = C.int64_t(l.Extra())
	l.c.cold = C.pg_alloc(l.c.cold_bytes)
	start, end, ns := C.pg_alloc(C.int64_t(8*n)), C.pg_alloc(C.int64_t(8*n)), C.pg_alloc(C.int64_t(8*n))
	own, all := C.pg_alloc(C.int64_t(n)), C.pg_alloc(C.int64_t(n))
	if l.c.cold == nil || start == nil || end == nil || ns == nil || own == nil || all == nil {
		return fmt.Errorf("no memory for %d repetitions", n)
	}
	l.c.start, l.c.end, l.ns = (*C.int64_t)(unsafe.Pointer(start)), (*C.int64_t)(unsafe.Pointer(end)), (*C.int64_t)(unsafe.Pointer(ns))
	l.c.flags_of, l.flags = (*C.uchar)(unsafe.Pointer(own)), (*C.uchar)(unsafe.Pointer(all))
	l.Room = n
	return nil
}

// Rotate lets the buffers of a case rotate. They have this many bytes at the rank that needs most.
func (l *Loop) Rotate(send, recv int64) {
	rotation := func(base unsafe.Pointer, bytes int64) C.pg_rotation {
		step, positions := stride(bytes), int64(1)
		if bytes > 0 {
			positions += (l.Span(bytes) - bytes) / step
		}
		return C.pg_rotation{base: (*C.char)(base), stride: C.int64_t(step), positions: C.int64_t(positions)}
	}
	l.c.send, l.c.recv = rotation(l.x.send, send), rotation(l.x.recv, recv)
}

// Spread copies the data of a case, with guards, to every position of its buffers. It copies nothing of
// a buffer of 0 bytes.
func (l *Loop) Spread(send, recv int64) {
	for _, b := range []struct {
		of    C.pg_rotation
		bytes int64
	}{{l.c.send, send}, {l.c.recv, recv}} {
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

func (l *Loop) Home() {
	l.x.send, l.x.recv = unsafe.Pointer(l.c.send.base), unsafe.Pointer(l.c.recv.base)
}

// With lets every second repetition call f with a context that was put away. half is as Half, of f.
func (l *Loop) With(p call.Prepared, f *native.Function, half bool) {
	l.other = half
	if l.c.other_x == nil {
		l.c.other_x = (*C.pg_ctx)(C.calloc(1, C.sizeof_pg_ctx))
	}
	*(*call.Prepared)(unsafe.Pointer(l.c.other_x)), l.c.other = p, (*C.pg_function)(unsafe.Pointer(f))
}

// Without ends With, and returns the context as the calls have left it.
func (l *Loop) Without() call.Prepared {
	l.c.other = nil
	return *(*call.Prepared)(unsafe.Pointer(l.c.other_x))
}

// Set says what the next batch is like: the length of a window, the time slice,
// and how many valid repetitions are enough.
func (l *Loop) Set(window, slice time.Duration, want int) {
	l.c.window, l.c.slice, l.c.want = C.int64_t(window), C.int64_t(slice), C.int64_t(want)
}

// Native returns the loop for a feature's own code in C. That code makes repetitions of another kind,
// instead of pg_measure; it tells Made before anything else is done.
func (l *Loop) Native() (*native.Loop, *native.Sync) {
	return (*native.Loop)(unsafe.Pointer(l.c)), (*native.Sync)(unsafe.Pointer(l.sync))
}

// Flags has room for the flags of all repetitions of a batch, at rank 0.
func (l *Loop) Flags() []byte { return unsafe.Slice((*byte)(l.flags), l.Room) }

// Made notes a batch that C has made since start. Its first repetition is number `first` for the
// caches.
func (l *Loop) Made(start time.Time, first int64) int {
	l.Took += time.Since(start)
	n := int(l.c.n)
	if n > 0 {
		// A repetition that the synchronisation did not begin has had its place: the buffers
		// stay where the last one had them.
		l.Called = true
		at := func(r C.pg_rotation) unsafe.Pointer {
			return unsafe.Add(unsafe.Pointer(r.base), (C.int64_t(first)+l.c.n-1)%r.positions*r.stride)
		}
		l.x.send, l.x.recv = at(l.c.send), at(l.c.recv)
	}
	return n
}

// Unsynchronised tells, at any rank, of a barrier that let a rank go too early. The barrier is before
// repetitions, or around them where run-times are bounded. It returns "" where the barrier holds, or
// ranks wait for the clock.
func (l *Loop) Unsynchronised(bounds bool) (fault string, err error) {
	meet := l.sync.meet
	if bounds {
		meet = C.pg_sync_barrier.meet
	}
	if meet == nil {
		return "", nil
	}
	for _, late := range []int{0, l.Size - 1} {
		found, err := l.Late((*native.Function)(unsafe.Pointer(meet)), late)
		if err != nil {
			return "", err
		}
		if found, err = l.FirstOf(found); err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}

// Plain times a function at most n times, without counters.
func (l *Loop) Plain(f *native.Function, n int) (Batch, error) { return l.batch(f, l.sync, n) }

// Pilot is Plain with another synchronisation.
func (l *Loop) Pilot(f *native.Function, sync string, n int) (Batch, error) {
	return l.batch(f, syncs[sync], n)
}

func (l *Loop) batch(f *native.Function, sync *C.pg_sync, n int) (b Batch, err error) {
	start, first := time.Now(), l.Turn()
	rc := C.pg_measure((*C.pg_function)(unsafe.Pointer(f)), sync, l.c, C.int64_t(n))
	b.N = l.Made(start, first)
	if err := mpi.Error(call.Name(f), rc); err != nil {
		return Batch{}, err
	}
	begin, end := unsafe.Slice(l.c.start, b.N), unsafe.Slice(l.c.end, b.N)
	for i, at := range begin {
		if end[i] < at { // the maximum over ranks would hide it
			return b, fmt.Errorf("the clock of rank %d went back by %v", l.Rank, time.Duration(at-end[i]))
		}
		if l.Keep {
			b.Local = append(b.Local, int64(end[i]-at)/l.parts(i))
		}
	}
	b.Usage = Usage{int64(l.c.usage.faults), int64(l.c.usage.switches)}
	global := C.int(0)
	if l.Sample == protocol.SampleGlobal {
		global = 1
	}
	if err := mpi.Error("messages of the samples", C.pg_collect(l.c, sync, global, l.ns, l.flags)); err != nil || l.Rank != 0 {
		return b, err
	}
	b.Samples = make([]protocol.Sample, b.N)
	for i, d := range unsafe.Slice(l.ns, b.N) {
		b.Samples[i] = protocol.Sample{NS: int64(d) / l.parts(i), Flags: int(unsafe.Slice(l.flags, b.N)[i])}
	}
	return b, nil
}

// parts returns by how much the time of repetition i of a batch is divided.
func (l *Loop) parts(i int) int64 {
	half := l.Half
	if l.c.other != nil && i%2 == 1 {
		half = l.other
	}
	if half {
		return 2
	}
	return 1
}

// Ends returns when this rank left the n calls of the last batch; on the global clock where
// samples are global.
func (l *Loop) Ends(n int) []int64 { return unsafe.Slice((*int64)(unsafe.Pointer(l.c.end)), n) }

// Provable measures n upper bounds of a function's run-time and sums them up at rank 0.
func (l *Loop) Provable(f *native.Function, n int) (*protocol.Bound, error) {
	rc := C.pg_provable((*C.pg_function)(unsafe.Pointer(f)), l.c, C.int64_t(n), l.ns)
	if err := mpi.Error(call.Name(f), rc); err != nil || l.Rank != 0 {
		return nil, err
	}
	ns := unsafe.Slice(l.ns, n)
	slices.Sort(ns)
	return &protocol.Bound{N: n, MinNS: int64(ns[0]) / l.parts(0), MedianNS: int64(ns[(n-1)/2]) / l.parts(0)}, nil
}

type Usage struct{ Faults, Switches int64 }

func (u *Usage) Add(more Usage) {
	u.Faults, u.Switches = u.Faults+more.Faults, u.Switches+more.Switches
}

// MostUsage returns the kernel's counts at the rank with the most, at rank 0, and nil elsewhere.
func (l *Loop) MostUsage(mine Usage) (*protocol.Usage, error) {
	var m C.pg_most
	own := C.pg_usage{faults: C.int64_t(mine.Faults), switches: C.int64_t(mine.Switches)}
	if err := mpi.Error("messages of page faults", C.pg_usage_most(l.x, own, &m)); err != nil || l.Rank != 0 {
		return nil, err
	}
	return &protocol.Usage{Faults: int64(m.most.faults), FaultsRank: int(m.faults_rank),
		Switches: int64(m.most.switches), SwitchesRank: int(m.switches_rank)}, nil
}
