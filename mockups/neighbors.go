package mockups

import "strings"

// The calls on a periodic ring of all processes (MPI 4.0, 8.6), in which each process exchanges
// data with its two neighbors only.
const (
	Neighborhood Call = "neighborhood"             // MPI_Neighbor_alltoall
	ByMessages   Call = "neighborhood/isend+irecv" // MPI_Neighbor_alltoall/isend+irecv: what it is compared with
)

var (
	pair = Buffer{Blocks: Pair}

	// Block 0 comes from below, block 1 from above.
	neighbor = func(rank, p, block int) int { return (rank + 2*block - 1 + p) % p }

	fromNeighbors Result = func(rank, p, root, block int) Source {
		of := neighbor(rank, p, block)
		return Source{of, of, 0}
	}
	// The block from below was sent upwards, even if both neighbors are the same process.
	withNeighbors Result = func(rank, p, root, block int) Source {
		of := neighbor(rank, p, block)
		return Source{of, of, 1 - block}
	}
)

func makeNeighbors(f *Function) bool {
	if f.Call != Neighborhood && f.Call != ByMessages {
		return false
	}
	name := strings.TrimPrefix(CallOf(f.Of, Neighborhood), "MPI_") + "(n)"
	f.Formula, f.What = name, "with the two neighbors on a periodic ring"
	if f.Call == ByMessages {
		f.Formula, f.What = "2·Isend(n) + 2·Irecv(n) + Waitall", "Isend to the two neighbors on a ring, Irecv from them, Waitall"
	}
	f.Recv, f.Exchange = pair, false
	switch f.Of {
	case "MPI_Allgather":
		f.Result = fromNeighbors
	case "MPI_Alltoall":
		f.Send, f.Result = pair, withNeighbors
	default:
		return false
	}
	return true
}
