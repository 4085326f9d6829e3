package selftest

import (
	"strings"
	"testing"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/should"
)

func TestSelftestShowsWhatItPlantedAndFound(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		// Where other programs want the cores too, it may honestly fail, or not tell.
		s := b.Pgmpi("selftest", "--rank", b.Rank, "--shape", "1x2", "--mpiruns", "7", "--quiet").Exits(t, 0, 1, 4)
		should.Contain(t, s.Stdout, "(a) A/A: 33 tests", "MPI_Allgather is", "GL1 monotony", "GL2 split", "GL11 pattern", "planted 6, found ", "planted 25 % into each other collective at 1 KiB: found ", "planted 10 % into each other collective at 16 KiB: found ")
		should.Equal(t, strings.Contains(s.Stdout, "has passed"), s.Code == 0, "exit status %d with: %s", s.Code, s.Stdout)
	})
}
