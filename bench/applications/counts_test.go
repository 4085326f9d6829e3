package applications

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestOnlyWhatIsNotCountedByDesignMayDiffer(t *testing.T) {
	made := map[string]int64{"MPI_Send": 4, "MPI_Bcast": 2, "MPI_Iprobe": 9, "MPI_Comm_rank": 7, "MPI_Comm_split": 1, "MPI_Win_get_attr": 1}
	equal, calls, differ, polled, left := agree(made, map[string]int64{"MPI_Send": 4, "MPI_Bcast": 3, "MPI_Iprobe": 8, "MPI_Put": 1}, "")
	should.Hold(t, equal == 1 && calls == 4, "%d functions, %d calls", equal, calls)
	should.Equal(t, differ, []string{"Bcast 2 and 3", "Comm_split 1 and 0", "Put 0 and 1"})
	should.Equal(t, polled, []string{"Iprobe 9 and 8"})
	should.Equal(t, left, []string{"Comm_rank", "Win_get_attr"})
	_, _, differ, polled, _ = agree(map[string]int64{"MPI_Waitall": 2, "MPI_Wait": 1}, nil, "Waitall|Put")
	should.Hold(t, len(differ) == 1 && len(polled) == 1, "%v, %v", differ, polled)
}

func TestAGridJoinsNeighbors(t *testing.T) {
	should.Equal(t, string(grid(2)), "0\n4 8\n0 000\n2 1 2\n2 0 3\n2 3 0\n2 2 1\n")
}
