package check

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/testkit/should"
)

func TestThePairsOfRanksAreToldWithTheirDistance(t *testing.T) {
	of := func(functions ...string) string {
		r := &analyze.Report{Measured: analyze.Measured{Factors: twoNodes}}
		for _, f := range functions {
			r.Verdicts = append(r.Verdicts, analyze.Verdict{Function: f, Shape: "p4"})
		}
		return pairs(r)
	}
	should.Equal(t, of("MPI_Send", "MPI_Send/1-2", "MPI_Sendrecv/1-2"), "between ranks 0 and 1, same socket; ranks 1 and 2, other node")
	should.Equal(t, of("MPI_Send", "MPI_Sendrecv", "MPI_Bcast"), "", "one pair")
	should.Equal(t, of("MPI_Send/1-3", "MPI_Send"), "between ranks 1 and 3, how far is not known; ranks 0 and 1, same socket")
}
