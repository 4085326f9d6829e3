//go:build cgo

package rank

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../../../../measure/rank/native -I${SRCDIR}/../../../../mockups/c
#include <stdlib.h>
#include "overlap.h"
*/
import "C"

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"pgmpi/internal/feature/overlap/work"
	"pgmpi/internal/stats"
	"pgmpi/measure/rank/loop"
	"pgmpi/measure/rank/mpi"
)

const (
	workProbe   = time.Millisecond // of the loop of work, by which its steps are calibrated
	workMost    = 100              // times that the steps grow by a hundredth
	workRepeats = 7                // of which the least is taken: nothing else was done meanwhile
)

// overlapped are calls of a function with something to do between post and Wait.
type overlapped struct {
	*loop.Loop
	c    *C.pg_overlap
	loop *C.pg_loop
	sync *C.pg_sync
	f    string
}

// newOverlapped overlaps the calls of a function with computing for ns nanoseconds. free gives
// its memory back.
func newOverlapped(l *loop.Loop, f string, ns int64) (*overlapped, error) {
	id := C.CString(f)
	defer C.free(unsafe.Pointer(id))
	post := C.pg_post_of(id)
	if post == nil {
		return nil, fmt.Errorf("%s cannot be posted alone", f)
	}
	of, sync := l.Native()
	o := &overlapped{Loop: l, f: f, c: (*C.pg_overlap)(C.calloc(1, C.sizeof_pg_overlap)),
		loop: (*C.pg_loop)(unsafe.Pointer(of)), sync: (*C.pg_sync)(unsafe.Pointer(sync))}
	o.c.post, o.c.ns = post.run, C.int64_t(ns)
	for i := range o.c.part {
		if o.c.part[i] = (*C.int64_t)(C.calloc(C.size_t(l.Room), 8)); o.c.part[i] == nil {
			return nil, fmt.Errorf("no memory for %d repetitions", l.Room)
		}
	}
	return o, nil
}

func (o *overlapped) free() {
	for _, p := range o.c.part {
		C.free(unsafe.Pointer(p))
	}
	C.free(unsafe.Pointer(o.c))
}

// steps has steps of a loop computed instead of a time: as many as take it at the slowest rank
// (S-NETGAUGE §4.1), so that all do the same work. alone is the time that they take here, ns.
func (o *overlapped) steps() (steps, alone int64, err error) {
	ns := int64(o.c.ns)
	steps = 1000
	for o.takes(steps) < int64(workProbe) && steps < 1<<40 {
		steps *= 2
	}
	steps = max(1, int64(float64(steps)*float64(ns)/float64(max(1, o.takes(steps)))))
	for i := 0; i < workMost && o.takes(steps) < ns; i++ {
		steps += max(1, steps/100)
	}
	least, err := o.AllMin(-steps)
	if err != nil {
		return 0, 0, err
	}
	alone = o.takes(-least)
	o.c.steps, o.c.alone = C.int64_t(-least), C.int64_t(alone)
	return -least, alone, nil
}

// takes returns how long steps of work take here, ns.
func (o *overlapped) takes(steps int64) int64 {
	least := int64(math.MaxInt64)
	for range workRepeats {
		least = min(least, int64(C.pg_work(o.loop, C.int64_t(steps))))
	}
	return least
}

// beside tells what is done between the post of a call and its end.
type beside int

const (
	computing beside = C.PG_COMPUTING // with progress tests, then Wait
	waiting   beside = C.PG_WAITING   // nothing but Wait
	testing   beside = C.PG_TESTING   // nothing but tests, until one finds the call done
)

func (o *overlapped) do(what beside, tests int64) {
	o.c.beside, o.c.tests = C.int(what), C.int64_t(tests)
}

// once makes one repetition that is not measured.
func (o *overlapped) once() error {
	return mpi.Error(o.f, C.pg_overlap_once(o.c, o.loop))
}

// parts holds the times of overlapped calls, ns, of the largest of all ranks', by valid repetition.
type parts struct{ of [C.PG_PARTS][]float64 }

func (p *parts) medians(t work.Try) work.Side {
	median := func(i int) float64 {
		if len(p.of[i]) == 0 {
			return 0
		}
		return stats.MedianFinite(p.of[i])
	}
	return work.Side{Interval: t.Interval, Tests: t.Tests, N: len(p.of[0]), PostNS: median(C.PG_POST), TestsNS: median(C.PG_TESTS),
		WaitNS: median(C.PG_WAIT), OverheadNS: median(C.PG_OVERHEAD), OverallNS: median(C.PG_OVERALL), ExcessNS: median(C.PG_EXCESS)}
}

// batch makes at most n repetitions, and adds the parts of the valid ones at rank 0.
func (o *overlapped) batch(p *parts, n int) (done, invalid int, err error) {
	start, first := time.Now(), o.Turn()
	rc := C.pg_measure_overlap(o.c, o.sync, o.loop, C.int64_t(n))
	done = o.Made(start, first)
	if err := mpi.Error(o.f, rc); err != nil {
		return 0, 0, err
	}
	flags := o.Flags()
	rc = C.pg_collect_overlap(o.c, o.loop, o.sync, (*C.uchar)(&flags[0]))
	if err := mpi.Error("messages of what was overlapped", rc); err != nil {
		return 0, 0, err
	}
	for i := range done {
		if o.Rank != 0 {
			break
		}
		if flags[i] != 0 {
			invalid++
			continue
		}
		for k := range p.of {
			p.of[k] = append(p.of[k], float64(unsafe.Slice(o.c.part[k], done)[i]))
		}
	}
	flagged, err := o.FromRoot(int64(invalid))
	return done, int(flagged), err
}
