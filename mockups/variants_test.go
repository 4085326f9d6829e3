package mockups

import (
	"maps"
	"testing"

	"pgmpi/testkit/should"
)

func TestEveryCallIsOneOfACollectiveWithItsResult(t *testing.T) {
	count := map[Call]int{}
	for _, f := range Variants() {
		count[f.Call]++
		of, ok := Get(f.Of)
		got, known := Get(f.ID)
		should.Hold(t, ok && known && got.Call == f.Call && Collective(f.ID) == f.Of && Variant(f.ID) == string(f.Call), "%s is not found as a call of %s", f.ID, f.Of)
		should.Hold(t, f.ID == CallOf(f.Of, f.Call) && f.Reduces == of.Reduces && (f.Result != nil) == of.HasData() && f.Formula != "" && f.What != "",
			"%s: %+v", f.ID, f)
		should.Equal(t, f.Consumes, f.Call == InPlace || f.Call == Copied, "%s consumes its input", f.ID)
	}
	// MPI_Barrier moves nothing, and MPI_Bcast has nothing to be in place of. Five collectives have
	// counts that can differ, five have no operator, two have a form for neighbors.
	want := map[Call]int{Nonblocking: 16, Persistent: 15, InPlace: 14, Copied: 14, NonblockingTimes: 15, PersistentTimes: 15, PersistentOnce: 15,
		Contiguous: 5, Neighborhood: 2, ByMessages: 2, LargeCount: 15, Sliced: 9}
	for _, r := range Rules {
		if r != Equal { // Reduce_scatter's mock-ups with equal parts are of the usual kind
			want[Call(r)], want[Counted(r, ByAllreduce)], want[Counted(r, ByReduce)] = 5, 1, 1
		}
		for _, c := range []Call{Wide, ByGatherv, ByAlltoallv, ByAllgatherv, ByBcast, ToAll} {
			want[Counted(r, c)] = 1
		}
	}
	want[ToAll] = 3 // of Alltoall and Sendrecv, too
	for _, c := range messageCalls() {
		want[c] = 1
	}
	for _, r := range []Rule{Equal, Linear, OneEmpty, Lopsided} {
		want[Counted(r, Padded)] = 4
	}
	for _, d := range []Derived{Vector, Indexed} {
		want[Call(d)], want[PackedCall(d)] = 5, 5
	}
	should.Hold(t, maps.Equal(count, want) && len(want) == len(Calls), "calls: %v, want %v", count, want)
}

func TestNamesOfCallsAreThoseOfMPI(t *testing.T) {
	for id, want := range map[string]string{
		CallOf("MPI_Reduce_scatter_block", Nonblocking):        "MPI_Ireduce_scatter_block",
		CallOf("MPI_Reduce", Persistent):                       "MPI_Reduce_init",
		CallOf("MPI_Reduce", InPlace):                          "MPI_Reduce/in_place",
		CallOf("MPI_Reduce", PersistentTimes):                  "MPI_Reduce_init/10",
		CallOf("MPI_Gatherv", Call(Linear)):                    "MPI_Gatherv/linear",
		CallOf("MPI_Alltoallv", Wide):                          "MPI_Alltoallw",
		CallOf("MPI_Alltoallv", Counted(Random, Wide)):         "MPI_Alltoallw/random",
		CallOf("MPI_Allgatherv", Counted(OneEmpty, ByGatherv)): "MPI_Allgatherv/one_empty/gatherv+bcast",
		CallOf("MPI_Bcast", Call(Vector)):                      "MPI_Bcast/vector",
		CallOf("MPI_Bcast", PackedCall(Vector)):                "MPI_Bcast/vector/packed",
		CallOf("MPI_Alltoall", Neighborhood):                   "MPI_Neighbor_alltoall",
		CallOf("MPI_Alltoall", ByMessages):                     "MPI_Neighbor_alltoall/isend+irecv",
		CallOf("MPI_Reduce", LargeCount):                       "MPI_Reduce_c",
		CallOf("MPI_Reduce", ""):                               "MPI_Reduce",
		CallOf("MPI_Send", Synchronous):                        "MPI_Ssend",
		CallOf("MPI_Send", Immediate):                          "MPI_Isend",
		CallOf("MPI_Send", Started):                            "MPI_Send_init",
		CallOf("MPI_Sendrecv", ToAll):                          "MPI_Sendrecv/isend+irecv",
	} {
		should.Equal(t, id, want)
	}
	_, ok := Get("MPI_Ireduce@binomial")
	should.Hold(t, !ok, "an algorithm of a nonblocking call is known")
}
