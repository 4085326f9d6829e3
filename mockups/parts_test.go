package mockups

import (
	"fmt"
	"testing"

	"pgmpi/testkit/should"
)

// The sizes are of S-PGMPI, Appendix A: all calls of a mock-up move the data of the collective.
func TestTheCallsOfAMockupMoveTheSameData(t *testing.T) {
	for id, want := range map[string]string{
		"gather_as_allgather":                         "[{MPI_Allgather 16}]",
		"gather_as_reduce":                            "[{MPI_Reduce 64}]",
		"allgather_as_alltoall":                       "[{MPI_Alltoall 16}]",
		"allgather_as_allreduce":                      "[{MPI_Allreduce 64}]",
		"scatter_as_bcast":                            "[{MPI_Bcast 64}]",
		"reduce_as_allreduce":                         "[{MPI_Allreduce 16}]",
		"bcast_as_scatter+allgather":                  "[{MPI_Scatter 4} {MPI_Allgather 4}]",
		"allgather_as_gather+bcast":                   "[{MPI_Gather 16} {MPI_Bcast 64}]",
		"allreduce_as_reduce_scatter_block+allgather": "[{MPI_Reduce_scatter_block 4} {MPI_Allgather 4}]",
		"reduce_scatter_as_reduce+scatterv":           "[{MPI_Reduce 64} {MPI_Scatterv 16}]",
		"scan_as_exscan+reduce_local":                 "[]", // Reduce_local is no collective
		"bcast_as_allgatherv":                         "[]", // parts that are not equal
		"barrier_as_allreduce":                        "[]",
		"MPI_Bcast@binomial":                          "[]",
	} {
		f, _ := Get(id)
		should.Equal(t, fmt.Sprint(f.Parts(16, 4)), want, "%s", id)
	}
	f, _ := Get("bcast_as_scatter+allgather")
	should.Equal(t, len(f.Parts(18, 4)), 0, "4 processes do not divide 18 B")
	g, _ := Get("gather_as_reduce")
	should.Equal(t, len(g.Parts(1<<62, 4)), 0, "more bytes than there are numbers")
}
