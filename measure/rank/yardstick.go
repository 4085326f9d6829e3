//go:build cgo

package rank

/*
#include "rank.h"
#include "yardstick.h"
*/
import "C"

import (
	"time"

	"pgmpi/measure/protocol"
)

// between is how many readings of the yardstick are made between the first case
// and the last, beside one before and one after all cases.
const between = 3

// due tells whether there is a reading when so many of the cases are done:
// readings are spread evenly, and coincide where cases are few.
func due(done, cases int) bool {
	for k := range between + 2 {
		if k*cases/(between+1) == done {
			return true
		}
	}
	return false
}

// yardsticks returns what reads the yardstick, if a reading is due, when so many
// cases are done; in stage 1, and where nothing is timed, none ever is. All ranks call it.
func (b *bench) yardsticks() (look func(done int) error, err error) {
	if b.job.Predict != nil || b.job.Messages != nil {
		return func(int) error { return nil }, nil
	}
	b.setName("the yardstick")
	var c *C.pg_yardstick
	if err := mpiError("the yardstick", C.pg_yardstick_open(b.x, &c)); err != nil {
		return nil, err
	}
	// The first reading meets cold caches and pages, and connections to be made.
	var v [C.PG_YARDS]C.double
	read := func() error { return mpiError("the yardstick", C.pg_yardstick_read(b.x, c, b.time.now, &v[0])) }
	if err := read(); err != nil {
		return nil, err
	}
	start := time.Now()
	return func(done int) error {
		if !due(done, len(b.job.Order)) {
			return nil
		}
		b.setName("the yardstick")
		at := time.Since(start)
		err := read()
		if err == nil && b.rank == 0 {
			b.out.end.Yardstick = append(b.out.end.Yardstick, protocol.Yardstick{AtS: at.Seconds(),
				LineNS: float64(v[C.PG_LINE]), MemcpyNS: float64(v[C.PG_MEMCPY]), ReduceLocalNS: float64(v[C.PG_REDUCE_LOCAL]),
				PingPong8NS: float64(v[C.PG_PINGPONG_8]), PingPong64KNS: float64(v[C.PG_PINGPONG_64K])})
		}
		return err
	}, nil
}
