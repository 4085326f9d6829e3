package mockups

import (
	"slices"
	"testing"

	"pgmpi/testkit/should"
)

func TestMessagesAreNoCollectives(t *testing.T) {
	should.Equal(t, Messages(), []string{"MPI_Send", "MPI_Sendrecv"}, "messages")
	for _, id := range Messages() {
		collective := slices.Contains(Collectives(), id) || slices.Contains(Identities(), id)
		should.Hold(t, !collective && slices.Contains(Functions(), id), "%s is among the collectives, or no function", id)
		_, ok := Get(AlgorithmID(id, "linear"))
		should.Hold(t, !ok, "%s has an algorithm", id)
	}
}

// Ranks 0 and 1 get each other's block; the others get nothing.
func TestMessagesAreBetweenTheFirstTwoRanks(t *testing.T) {
	for _, f := range slices.Concat(All(), Variants()) {
		if !f.Message {
			continue
		}
		for rank := range 4 {
			want := undefined
			if rank < 2 {
				want = Source{1 - rank, 1 - rank, 0}
			}
			if streams(f) && rank == 0 {
				want = undefined
			}
			should.Equal(t, f.Result(rank, 4, 0, 0), want, "%s at rank %d", f.ID, rank)
		}
		should.Equal(t, f.Result(0, 1, 0, 0), undefined, "%s on one process", f.ID)
	}
}

func streams(f Function) bool { return f.Call == Streamed || f.Call == OneByOne }

// Guidelines compare half a ping-pong with half a ping-pong, and an exchange with an exchange. Streams are whole.
func TestBothSidesOfAComparisonOfMessagesAreHalves(t *testing.T) {
	for _, f := range slices.Concat(All(), Variants()) {
		should.Equal(t, f.Half, (f.ID == "MPI_Send" || f.Of == "MPI_Send") && !streams(f), "%s: half", f.ID)
	}
}
