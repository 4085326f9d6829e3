package untimed

import (
	"testing"

	"pgmpi/analyze/report"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// Where an algorithm sends what the default sends, neither can be told from the other; that
// something else is sent there can.
func TestOtherMessagesThanThoseOfTheAlgorithmAreNotInForce(t *testing.T) {
	const f, own = "MPI_Bcast", "binomial"
	sent := func(function string, counts ...int64) counts {
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
		want report.ForceState
	}{
		{[]int64{3, 6}, report.InForce},
		{[]int64{3, 4}, report.NotInForce},
		{[]int64{9, 6}, report.NotInForce},
	} {
		x := &report.Force{Entry: tuning.Entry{Choice: tuning.Choice{Function: f, NP: 2, Kind: tuning.OwnAlgorithm, Algorithm: own,
			Sizes: []int64{8, 16}, Measured: []int64{8, 16}}}, State: report.CannotTell}
		if compareCounts(x, []*report.Force{x}, without, sent(f, c.now...)); x.State != c.want {
			t.Errorf("%v messages: %s (%s), want %s", c.now, x.State, x.Text, c.want)
		}
	}
}

func TestComponentIsInForceWhereTheLibraryHasItsValue(t *testing.T) {
	const variable = "OMPI_MCA_coll_sm_priority"
	for _, c := range []struct {
		seen []protocol.Variable
		want report.ForceState
	}{
		{[]protocol.Variable{{Name: "coll_sm_priority", Value: "100", Known: true}}, report.InForce},
		{[]protocol.Variable{{Name: "coll_sm_priority", Value: "0", Known: true}}, report.NotInForce},
		{[]protocol.Variable{{Name: "coll_sm_priority"}}, report.NotInForce}, // built without it
	} {
		f := &report.Force{Entry: tuning.Entry{Variable: variable, Value: "100", Proof: tuning.ByValue}, State: report.CannotTell}
		if (&readings{variables: c.seen}).judge(f); f.State != c.want {
			t.Errorf("%+v: %s (%s), want %s", c.seen, f.State, f.Text, c.want)
		}
	}
}
