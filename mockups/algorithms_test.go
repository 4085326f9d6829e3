package mockups

import "testing"

func TestOwnAlgorithmIsItsCollectiveInAllButItsName(t *testing.T) {
	f, ok := Get("MPI_Alltoall@pairwise")
	of, _ := Get("MPI_Alltoall")
	if !ok || f.Of != "MPI_Alltoall" || f.Algorithm != "pairwise" || f.Row() != "MPI_Alltoall" || f.Formula != "Alltoall@pairwise(n)" {
		t.Errorf("%+v", f)
	}
	if f.Memory(8, 4, 3) != of.Memory(8, 4, 3) || f.MaxCount(1<<30, 1, 4) != of.MaxCount(1<<30, 1, 4) {
		t.Error("it takes other memory or other counts than its collective")
	}
	for _, id := range []string{"MPI_Alltoall@", "@pairwise", "MPI_Foo@x", "gather_as_allgather@x", "MPI_Bcast@a b", "MPI_Bcast@a@b", "identity:MPI_Bcast@x"} {
		if f, ok := Get(id); ok {
			t.Errorf("%q is %+v", id, f)
		}
	}
}
