package work

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestCallsAreNamed(t *testing.T) {
	c := Call{Function: "MPI_Bcast", Msize: 64, Comm: "world", What: "no data"}
	should.Equal(t, c.Name(), "MPI_Bcast of 64 B on world: no data")
	should.Equal(t, c.Kind(), "MPI_Bcast: no data")
	c.Msize = 0
	should.Equal(t, c.Name(), "MPI_Bcast on world: no data")
	c.Msize = 1
	should.Equal(t, c.Name(), "MPI_Bcast of 1 B on world: no data")
}

func TestAnAnswerHasNoMoreCallsThanThereAre(t *testing.T) {
	for n, ok := range map[int]bool{10000: true, 10001: false} {
		calls := make([]Call, n)
		should.Equal(t, Work.Check(&calls) == nil, ok, "%d calls", n)
	}
}
