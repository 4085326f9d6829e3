package tuning

import (
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A tree with every kind of condition that MPICH 4.0.2's has for calls within one communicator.
const chosenTree = `{"collective=bcast": {"comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote": {}}, "comm_type=intra": {
 "comm_size<8": {"comm_hierarchy=parent": {"algorithm=MPIR_Bcast_intra_smp": {}}, "avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}}},
 "comm_size=pow2": {"avg_msg_size<524288": {"algorithm=MPIR_Bcast_intra_scatter_recursive_doubling_allgather": {}}},
 "comm_size=any": {"avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}}},
"collective=allgather": {"total_msg_size<81920": {"algorithm=MPIR_Allgather_intra_brucks": {}}, "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}},
"collective=allreduce": {"is_commutative=no": {"algorithm=MPIR_Allreduce_intra_wrong": {}}, "is_op_built_in=yes": {"count<pow2": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}, "count=any": {"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather": {}}}},
"collective=gather": {"avg_msg_size<4": {"algorithm=MPIR_Gather_intra_binomial": {}}, "avg_msg_size=any": {"algorithm=MPIR_Gather_allcomm_linear": {}}},
"collective=alltoall": {"is_sendbuf_inplace=no": {"comm_size<8": {"algorithm=MPIR_Alltoall_intra_scattered": {}}, "comm_size=any": {"algorithm=MPIR_Alltoall_intra_brucks": {}}}},
"collective=scan": {"moon=full": {"algorithm=MPIR_Scan_intra_smp": {}}},
"collective=exscan": {"comm_size<2": {"algorithm=MPIR_Exscan_intra_smp": {}}}}`

func TestTheTreeChoosesAsMPICHReadsIt(t *testing.T) {
	chosen := must.Get((&Tree{Text: []byte(chosenTree)}).Chooser())(t)
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{Function: "MPI_Alltoall", NP: 8, Block: 8, Elements: 1}, "scattered"}, // not less than 8, and yet
		{Call{Function: "MPI_Alltoall", NP: 9, Block: 8, Elements: 1}, "brucks"},
		{Call{Function: "MPI_Bcast", NP: 7, Block: 12288, Elements: 1536}, "binomial"},
		{Call{Function: "MPI_Bcast", NP: 7, Block: 12289, Elements: 1536}, "scatter_ring_allgather"}, // back out of comm_size<8
		{Call{Function: "MPI_Bcast", NP: 4, Block: 12289, Elements: 1536}, "scatter_recursive_doubling_allgather"},
		{Call{Function: "MPI_Bcast", NP: 8, Block: 524287, Elements: 1}, "scatter_recursive_doubling_allgather"},
		{Call{Function: "MPI_Bcast", NP: 8, Block: 524288, Elements: 1}, "scatter_ring_allgather"},
		{Call{Function: "MPI_Bcast", NP: 9, Block: 8, Elements: 1}, "scatter_ring_allgather"},
		{Call{Function: "MPI_Allgather", NP: 10, Block: 8191, Elements: 1}, "brucks"},
		{Call{Function: "MPI_Allgather", NP: 10, Block: 8192, Elements: 1}, "ring"},
		{Call{Function: "MPI_Allreduce", NP: 7, Block: 24, Elements: 3}, "recursive_doubling"},
		{Call{Function: "MPI_Allreduce", NP: 7, Block: 32, Elements: 4}, "reduce_scatter_allgather"},
		{Call{Function: "MPI_Gather", NP: 2, Block: 24, Elements: 3}, "binomial"}, // in elements
		{Call{Function: "MPI_Gather", NP: 2, Block: 32, Elements: 4}, "linear"},
	} {
		got, err := chosen(c.call)
		should.Hold(t, err == nil && got == c.want, "%+v: %q, %v; want %q", c.call, got, err, c.want)
	}
	for function, why := range map[string]string{"MPI_Scan": "moon=full", "MPI_Exscan": "no algorithm", "MPI_Barrier": "has no MPI_Barrier"} {
		_, err := chosen(Call{Function: function, NP: 4, Block: 8, Elements: 1})
		should.Hold(t, err != nil && strings.Contains(err.Error(), why), "%s: %v", function, err)
	}
}
