package mockups

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestOwnAlgorithmIsItsCollectiveInAllButItsName(t *testing.T) {
	f, ok := Get("MPI_Alltoall@pairwise")
	of, _ := Get("MPI_Alltoall")
	should.Hold(t, ok && f.Of == "MPI_Alltoall" && f.Algorithm == "pairwise" && f.Row() == "MPI_Alltoall" && f.Formula == "Alltoall@pairwise(n)", "%+v", f)
	should.Hold(t, f.Memory(8, 4, 3) == of.Memory(8, 4, 3) && f.MaxCount(1<<30, 1, 4) == of.MaxCount(1<<30, 1, 4),
		"it takes other memory or other counts than its collective")
	for _, id := range []string{"MPI_Alltoall@", "@pairwise", "MPI_Foo@x", "gather_as_allgather@x", "MPI_Bcast@a b", "MPI_Bcast@a@b", "identity:MPI_Bcast@x"} {
		f, ok := Get(id)
		should.Hold(t, !ok, "%q is %+v", id, f)
	}
}

func TestUsersOwnMockupIsOneOfItsCollective(t *testing.T) {
	f, ok := Get("reduce_scatter_block_as_my-ring.2")
	of, _ := Get("MPI_Reduce_scatter_block")
	should.Hold(t, ok && f.User && f.Of == of.ID && f.Formula == "my-ring.2(n)" && f.Row() == f.ID && !f.Regular && f.MayEnd() && !of.MayEnd(), "%+v", f)
	should.Hold(t, f.Memory(8, 4, 3) == of.Memory(8, 4, 3), "it takes other buffers than its collective")
	for _, id := range []string{"scan_as_", "_as_mine", "Scan_as_mine", "MPI_Scan_as_mine", "scam_as_mine", "scan_as_a b", "scan_as_-x"} {
		f, ok := Get(id)
		should.Hold(t, !ok, "%q is %+v", id, f)
	}
	f, ok = Get("scan_as_exscan+reduce_local")
	should.Hold(t, ok && !f.User, "a mock-up of pgmpi's is taken for a user's")
}

func TestSegmentAndFanOutAreBehindTheNameOfAnAlgorithm(t *testing.T) {
	for text, want := range map[string]struct {
		name    string
		segment int64
		fanout  int
	}{"pipeline+32Ki": {"pipeline", 32 << 10, 0}, "pipeline": {"pipeline", 0, 0}, "a+b": {"a+b", 0, 0}, "a+-1": {"a+-1", 0, 0}, "a+": {"a+", 0, 0}, "a\n": {"a\n", 0, 0}, "a\n+fan2": {"a\n", 0, 2}, "": {"", 0, 0},
		"chain+fan2": {"chain", 0, 2}, "chain+4Ki+fan8": {"chain", 4096, 8}, "chain+fan": {"chain+fan", 0, 0}, "chain+fan0": {"chain+fan0", 0, 0}} {
		name, segment, fanout := Parameters(text)
		should.Hold(t, name == want.name && segment == want.segment && fanout == want.fanout, "%s: %s, %d, %d", text, name, segment, fanout)
	}
	f, ok := Get("MPI_Bcast@pipeline+32Ki")
	should.Hold(t, ok && f.Algorithm == "pipeline+32Ki" && Collective(f.ID) == "MPI_Bcast", "%+v", f)
}
