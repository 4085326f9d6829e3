package mockups

import (
	"math"
	"strings"
)

// Part is one of the calls that a mock-up consists of, on blocks of Msize bytes.
type Part struct {
	Collective string
	Msize      int64
}

// uneven mock-ups call a collective with a part for the root alone.
var uneven = map[string]bool{"bcast_as_allgatherv": true, "reduce_as_reduce_scatter": true}

// Parts returns the calls of a mock-up of this table for blocks of msize bytes on p processes: each moves all data of
// the collective, so a block of it has n, n·p or n/p bytes. It returns nil where a mock-up calls more than collectives
// with equal blocks, or p does not divide them.
func (f Function) Parts(msize int64, p int) (parts []Part) {
	_, by, ok := strings.Cut(f.ID, "_as_")
	if !ok || f.User || f.Over != "" || f.Call != "" || f.Algorithm != "" || !f.HasData() || uneven[f.ID] {
		return nil
	}
	if p < 1 || msize > math.MaxInt64/f.blocks(p) {
		return nil
	}
	whole := msize * f.blocks(p)
	for _, name := range strings.Split(by, "+") {
		c, ok := Get("MPI_" + capital(name))
		if !ok || whole%c.blocks(p) != 0 {
			return nil
		}
		parts = append(parts, Part{c.ID, whole / c.blocks(p)})
	}
	return parts
}

func (f Function) blocks(p int) int64 {
	if f.Send.Blocks == PerRank || f.Recv.Blocks == PerRank {
		return int64(p)
	}
	return 1
}
