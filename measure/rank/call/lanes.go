//go:build cgo

package call

/*
#include <stdlib.h>
#include "rank.h"
#include "lanes.h"
*/
import "C"

import (
	"fmt"

	"pgmpi/measure/rank/mpi"
)

// Lanes finds the nodes that the ranks are on, all ranks together and once, and says why
// mock-ups that divide their work among nodes cannot be called there; "": they can.
func (c *Caller) Lanes() (why string, err error) {
	if c.x.lanes == nil {
		l := (*C.pg_lanes)(C.calloc(1, C.sizeof_pg_lanes))
		if err := mpi.Error("the nodes of the ranks", C.pg_find_lanes(c.x.comm, l)); err != nil {
			return "", err
		}
		c.x.lanes = l
	}
	switch l := c.x.lanes; {
	case l.nodes == 1:
		return fmt.Sprintf("the library has all %d ranks on one node: it needs several", c.Size), nil
	case l.most == 1:
		return fmt.Sprintf("the library has one rank on each of %d nodes: it needs several on each", l.nodes), nil
	case l.fewest < l.most:
		return fmt.Sprintf("the library has %d to %d ranks on a node: it needs as many on each", l.fewest, l.most), nil
	case l.in_order == 0:
		return "the ranks of a node do not have numbers in a row, as in 0, 1 and 2, 3: have a node filled before the next one (mpirun --map-by core, srun --distribution=block)", nil
	}
	return "", nil
}
