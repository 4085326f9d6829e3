//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import (
	"unsafe"

	"pgmpi/measure/protocol"
)

// gathered is how many durations of all ranks together rank 0 holds at a time: what it
// gathers is sent at once, so that its memory does not grow with their number.
const gathered = 1 << 16

// sendRanks sends the local durations that every rank has of case i, where the job asks
// for them.
func (b *bench) sendRanks(i int, local []int64) error {
	if !b.loop.keep {
		return nil
	}
	chunk := max(1, gathered/b.size)
	all := make([]int64, 1)
	if b.rank == 0 {
		all = make([]int64, chunk*b.size)
	}
	for first := 0; first < len(local); first += chunk {
		part := local[first:min(len(local), first+chunk)]
		n := len(part)
		rc := C.pg_gather_durations(b.x, (*C.int64_t)(unsafe.Pointer(&part[0])), C.int(n), (*C.int64_t)(unsafe.Pointer(&all[0])))
		if err := mpiError("MPI_Gather of durations", rc); err != nil {
			return err
		}
		if b.rank != 0 {
			continue
		}
		b.mu.Lock()
		for rank := range b.size {
			b.w.Rank(i, rank, first, all[rank*n:(rank+1)*n])
		}
		b.mu.Unlock()
	}
	return nil
}

// keepRanks has every rank keep its durations, if the job asks for them.
func (b *bench) keepRanks(w *protocol.OutputWriter) {
	b.w, b.loop.keep = w, b.job.Measure != nil && b.job.Measure.PerRank
}
