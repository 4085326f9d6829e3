//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import "pgmpi/measure/protocol"

// mostUsage is what the kernel has counted at the rank with most of it; nil but at
// rank 0.
func (w *world) mostUsage(mine C.pg_usage) (*protocol.Usage, error) {
	var m C.pg_most
	if err := mpiError("MPI_Reduce of page faults", C.pg_usage_most(w.x, mine, &m)); err != nil || w.rank != 0 {
		return nil, err
	}
	return &protocol.Usage{Faults: int64(m.most.faults), FaultsRank: int(m.faults_rank),
		Switches: int64(m.most.switches), SwitchesRank: int(m.switches_rank)}, nil
}
