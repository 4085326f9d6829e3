package mockups

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestACallOnFewerProcessesIsMeasuredOnceForEachNumber(t *testing.T) {
	const less, power = "bcast_as_fewer@p-1", "bcast_as_fewer@power_of_two"
	for p, want := range map[int][]string{1: nil, 2: {less}, 3: {less}, 4: {less, power}, 5: {less}, 6: {less, power}, 9: {less}} {
		should.Equal(t, Fewer("MPI_Bcast", p), want, "p = %d", p)
	}
	should.Equal(t, len(Fewer("MPI_Scan", 4)), 0, "of MPI_Scan")
}

func TestACallOnFewerProcessesIsAMockupOfItsCollective(t *testing.T) {
	f, ok := Get("allreduce_as_fewer@power_of_two")
	should.Hold(t, ok && f.Of == "MPI_Allreduce" && f.Fewer == powerOfTwo && f.Commuting && f.Algorithm == "" && f.Textbook == "", "%+v", f)
	should.Equal(t, f.Formula, "Allreduce on the largest power of two below p", "formula")
	should.Equal(t, f.Lacks(), f.ID+" needs two processes, and an operator that commutes if it reduces", "reason")
	should.Hold(t, Applies(f.ID), "pgmpi apply keeps its communicator")
}
