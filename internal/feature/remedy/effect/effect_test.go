package effect

import (
	"testing"

	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// Where an algorithm sends what the default sends, neither can be told from the other; that
// something else is sent there can.
func TestOtherMessagesThanThoseOfTheAlgorithmAreNotInForce(t *testing.T) {
	const f, own = "MPI_Bcast", "binomial"
	sent := func(function string, counts ...int64) untimed.Counts {
		out := map[protocol.JobCase]protocol.Messages{}
		for i, n := range counts {
			out[protocol.JobCase{Function: function, Msize: int64(8 << i)}] = protocol.Messages{Count: n}
		}
		return out
	}
	without := sent(mockups.AlgorithmID(f, mockups.DefaultAlgorithm), 3, 4)
	for c, m := range sent(mockups.AlgorithmID(f, own), 3, 6) { // at 8 B as the default
		without[c] = m
	}
	for _, c := range []struct {
		now  []int64
		want State
	}{
		{[]int64{3, 6}, InEffect},
		{[]int64{3, 4}, NotInEffect},
		{[]int64{9, 6}, NotInEffect},
	} {
		x := &Effect{Entry: tuning.Entry{Choice: tuning.Choice{Function: f, NP: 2, Kind: tuning.OwnAlgorithm, Algorithm: own,
			Sizes: []int64{8, 16}, Measured: []int64{8, 16}}}, State: CannotTell}
		if compareCounts(x, []*Effect{x}, []int64{8, 16}, without, sent(f, c.now...)); x.State != c.want {
			t.Errorf("%v messages: %s (%s), want %s", c.now, x.State, x.Text, c.want)
		}
	}
}

func TestComponentIsInForceWhereTheLibraryHasItsValue(t *testing.T) {
	const variable = "OMPI_MCA_coll_sm_priority"
	for _, c := range []struct {
		seen []protocol.Variable
		want State
	}{
		{[]protocol.Variable{{Name: "coll_sm_priority", Value: "100", Known: true}}, InEffect},
		{[]protocol.Variable{{Name: "coll_sm_priority", Value: "0", Known: true}}, NotInEffect},
		{[]protocol.Variable{{Name: "coll_sm_priority"}}, NotInEffect}, // built without it
	} {
		f := &Effect{Entry: tuning.Entry{Variable: variable, Value: "100", Proof: tuning.ByValue}, State: CannotTell}
		if judgeEffect(untimed.Readings{AlgorithmsEnd: &protocol.AlgorithmsEnd{Variables: c.seen}}, f); f.State != c.want {
			t.Errorf("%+v: %s (%s), want %s", c.seen, f.State, f.Text, c.want)
		}
	}
}
