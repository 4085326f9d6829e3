package mockups

import "testing"

func TestEveryCallIsOneOfACollectiveWithItsResult(t *testing.T) {
	count := map[Call]int{}
	for _, f := range Variants() {
		count[f.Call]++
		of, ok := Get(f.Of)
		if got, known := Get(f.ID); !ok || !known || got.Call != f.Call || Collective(f.ID) != f.Of || Variant(f.ID) != string(f.Call) {
			t.Errorf("%s is not found as a call of %s", f.ID, f.Of)
		}
		if f.ID != CallOf(f.Of, f.Call) || f.Rooted != of.Rooted || f.Reduces != of.Reduces || f.Result == nil || f.Formula == "" || f.What == "" {
			t.Errorf("%s: %+v", f.ID, f)
		}
		if f.Consumes != (f.Call == InPlace || f.Call == Copied) {
			t.Errorf("%s consumes its input: %v", f.ID, f.Consumes)
		}
	}
	// MPI_Barrier moves nothing; the four with counts for each process are called once, not ten
	// times; and MPI_Bcast has nothing to be in place of.
	for call, want := range map[Call]int{Nonblocking: 15, Persistent: 15, InPlace: 10, Copied: 10, NonblockingTimes: 11, PersistentTimes: 11, PersistentOnce: 11} {
		if count[call] != want {
			t.Errorf("%d calls are %s, want %d", count[call], call, want)
		}
	}
}

func TestNamesOfCallsAreThoseOfMPI(t *testing.T) {
	for id, want := range map[string]string{
		CallOf("MPI_Reduce_scatter_block", Nonblocking): "MPI_Ireduce_scatter_block",
		CallOf("MPI_Reduce", Persistent):                "MPI_Reduce_init",
		CallOf("MPI_Reduce", InPlace):                   "MPI_Reduce/in_place",
		CallOf("MPI_Reduce", PersistentTimes):           "MPI_Reduce_init/10",
		CallOf("MPI_Reduce", ""):                        "MPI_Reduce",
	} {
		if id != want {
			t.Errorf("got %s, want %s", id, want)
		}
	}
	if _, ok := Get("MPI_Ireduce@binomial"); ok {
		t.Error("an algorithm of a nonblocking call is known")
	}
}
