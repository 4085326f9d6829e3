//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import "pgmpi/measure/protocol"

// messageCalls is how many calls of a case are counted: a library may do more in one
// of them than in the others.
const messageCalls = 10

// openMessages tells, at all ranks, whether the library counts at all of them.
func (w *world) openMessages() (counts bool, err error) {
	least, err := w.allMin(int64(C.pg_messages_open(w.x)))
	return least == 1, err
}

// countMessages makes a case's calls, untimed, and counts what all ranks send in them.
func (b *bench) countMessages(r *protocol.CaseResult, row *function) error {
	if !b.counts {
		return nil
	}
	before := C.pg_messages_now()
	if err := b.call(row, messageCalls); err != nil {
		return err
	}
	after := C.pg_messages_now()
	mine := C.pg_sent{messages: after.messages - before.messages, bytes: after.bytes - before.bytes}
	var all C.pg_sent
	if err := mpiError("MPI_Reduce of message counts", C.pg_messages_sum(b.x, mine, &all)); err != nil || b.rank != 0 {
		return err
	}
	r.Messages = &protocol.Messages{Calls: messageCalls, Count: int64(all.messages), Bytes: int64(all.bytes)}
	return nil
}
