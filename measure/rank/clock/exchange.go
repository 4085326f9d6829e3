//go:build cgo

package clock

/*
#include "rank.h"
*/
import "C"

import (
	"unsafe"

	"pgmpi/measure/clocks"
	"pgmpi/measure/rank/mpi"
)

// peers are the other ranks, reached by MPI.
type peers struct{ *Clock }

// turn is a message without a content.
type turn byte

func give[T turn | clocks.Model](c *Clock, to int, data T) error {
	return mpi.Error("MPI_Send", C.pg_give(c.x, C.int(to), unsafe.Pointer(&data), C.int(unsafe.Sizeof(data))))
}

func take[T turn | clocks.Model](c *Clock, from int) (data T, err error) {
	rc := C.pg_take(c.x, C.int(from), unsafe.Pointer(&data), C.int(unsafe.Sizeof(data)))
	return data, mpi.Error("MPI_Recv", rc)
}

func (p peers) Turn(to int) error { return give(p.Clock, to, turn(1)) }

func (p peers) Await(from int) error {
	_, err := take[turn](p.Clock, from)
	return err
}

func (p peers) Give(to int, m clocks.Model) error { return give(p.Clock, to, m) }

func (p peers) Take(from int) (clocks.Model, error) { return take[clocks.Model](p.Clock, from) }

func (p peers) Ask(ref int, pings []clocks.Ping, patience int) (int, error) {
	var done C.int
	rc := C.pg_ask(p.x, p.time.now, C.int(ref), C.int(len(pings)), C.int(patience), (*C.pg_ping)(unsafe.Pointer(&pings[0])), &done)
	return int(done), mpi.Error("exchange with the reference clock", rc)
}

func (p peers) Answer(client int, m clocks.Model) error {
	c := cModel(m)
	return mpi.Error("exchange with a client", C.pg_answer(p.x, p.time.now, &c, C.int(client)))
}
