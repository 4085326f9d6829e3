//go:build cgo

package mpit

/*
#include "messages.h"
*/
import "C"

import (
	"unsafe"

	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/mpi"
)

// messageCalls is how many calls of a case are counted: a library may do more in one
// of them than in the others.
const messageCalls = 10

// CountsMessages tells, at all ranks, whether the library counts at all of them.
func CountsMessages(w *mpi.World) (counts bool, err error) {
	least, err := w.AllMin(int64(C.pg_messages_open((*C.pg_ctx)(unsafe.Pointer(w.Context)))))
	return least == 1, err
}

// CountMessages has calls made, and returns at rank 0 what all ranks sent in them.
func CountMessages(w *mpi.World, call func(n int) error) (*protocol.Messages, error) {
	before := C.pg_messages_now()
	if err := call(messageCalls); err != nil {
		return nil, err
	}
	after := C.pg_messages_now()
	mine := C.pg_sent{messages: after.messages - before.messages, bytes: after.bytes - before.bytes}
	most, err := w.AllMin(-int64(mine.messages))
	if err != nil {
		return nil, err
	}
	var all C.pg_sent
	rc := C.pg_messages_sum((*C.pg_ctx)(unsafe.Pointer(w.Context)), mine, &all)
	if err := mpi.Error("MPI_Reduce of message counts", rc); err != nil || w.Rank != 0 {
		return nil, err
	}
	return &protocol.Messages{Calls: messageCalls, Count: int64(all.messages), Bytes: int64(all.bytes), Most: -most}, nil
}
