package mockups

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestMessagesMayBeBetweenAnyTwoRanks(t *testing.T) {
	for _, of := range []string{"MPI_Send", "MPI_Ssend", "MPI_Send/stream", "MPI_Sendrecv/isend+irecv"} {
		id := Between(of, [2]int{2, 5})
		should.Equal(t, id, of+"/2-5")
		f, known := Get(id)
		usual, _ := Get(of)
		should.Hold(t, known && f.Message && f.Ranks == [2]int{2, 5} && f.Half == usual.Half && f.Formula == usual.Formula, "%s: %+v", id, f)
		should.Equal(t, AnyRanks(id), of, "%s", id)
		should.Equal(t, Collective(id), Collective(of), "%s", id)
		should.Hold(t, Variant(id) != "" && IsCallOf(id, Collective(of)), "%s is no way to call", id)
		for rank, role := range map[int]int{2: 0, 5: 1} {
			want := usual.Result(role, 8, 0, 0)
			if want.Last >= want.First {
				want.First, want.Last = f.Ranks[want.First], f.Ranks[want.Last]
			}
			should.Equal(t, f.Result(rank, 8, 0, 0), want, "%s at rank %d", id, rank)
		}
		should.Equal(t, f.Result(0, 8, 0, 0), undefined, "%s at a rank that takes no part", id)
		should.Equal(t, f.Lacks(), "there are no ranks 2 and 5")
	}
	should.Equal(t, Between("MPI_Send", firstTwo), "MPI_Send")
	for _, id := range []string{"MPI_Send/0-1", "MPI_Send/5-2", "MPI_Send/2-2", "MPI_Send/-1-2", "MPI_Send/02-5", "MPI_Send/2-5/3-4", "MPI_Send/2-99999999",
		"MPI_Send/2-99999999999999999999", "MPI_Bcast/2-5", "MPI_Send/2", "/2-5", "2-5", "scan_as_exscan+reduce_local/2-5"} {
		f, known := Get(id)
		should.Hold(t, !known, "%s is %+v", id, f)
		should.Equal(t, Collective(id), id)
	}
}
