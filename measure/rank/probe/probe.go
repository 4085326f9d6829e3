//go:build cgo

package probe

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../native -I${SRCDIR}/../../../mockups/c
#include "rank.h"
#include "probes.h"
*/
import "C"

import (
	"time"
	"unsafe"

	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/clock"
	"pgmpi/measure/rank/mpi"
)

// between counts the readings between the first case and the last. One more comes before, and one after
// all cases.
const between = 3

// Reader reads the reference probes, all ranks together.
type Reader struct {
	w     *mpi.World
	time  *C.pg_timing
	c     *C.pg_probes
	start time.Time
	cases int
	All   []protocol.Probes // at rank 0, in the order of time
}

func New(clock *clock.Clock, cases int) (*Reader, error) {
	r := &Reader{w: clock.World, time: (*C.pg_timing)(unsafe.Pointer(clock.Timing)), cases: cases}
	if err := mpi.Error("the reference probes", C.pg_probes_open((*C.pg_ctx)(unsafe.Pointer(r.w.Context)), &r.c)); err != nil {
		return nil, err
	}
	// The first reading meets cold caches and pages, and connections to be made.
	if _, err := r.read(); err != nil {
		return nil, err
	}
	r.start = time.Now()
	return r, nil
}

// Again begins anew, for another number of cases.
func (r *Reader) Again(cases int) { r.start, r.cases, r.All = time.Now(), cases, nil }

// Due tells whether there is a reading when this number of the cases is done:
// readings are spread evenly, and coincide where cases are few.
func (r *Reader) Due(done int) bool {
	for k := range between + 2 {
		if k*r.cases/(between+1) == done {
			return true
		}
	}
	return false
}

func (r *Reader) Read() error {
	at := time.Since(r.start)
	v, err := r.read()
	if err == nil && r.w.Rank == 0 {
		r.All = append(r.All, protocol.Probes{AtS: at.Seconds(),
			LineNS: float64(v[C.PG_LINE]), MemcpyNS: float64(v[C.PG_MEMCPY]), ReduceLocalNS: float64(v[C.PG_REDUCE_LOCAL]),
			PingPong8NS: float64(v[C.PG_PINGPONG_8]), PingPong64KNS: float64(v[C.PG_PINGPONG_64K])})
	}
	return err
}

func (r *Reader) read() (v [C.PG_PROBES]C.double, err error) {
	err = mpi.Error("the reference probes", C.pg_probes_read((*C.pg_ctx)(unsafe.Pointer(r.w.Context)), r.c, r.time.now, &v[0]))
	return v, err
}
