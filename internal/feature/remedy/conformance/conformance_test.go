package conformance

import (
	"testing"

	"pgmpi/internal/feature/remedy/work"
	"pgmpi/measure"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// What became of a call that ended its mpirun is read from what the mpirun said.
func TestHowAConformanceCallEndedItsMpirunIsTold(t *testing.T) {
	call := work.Call{Function: "MPI_Bcast", Comm: "world", What: "in place", NP: 2, Msize: 64}
	for _, c := range []struct {
		failed  measure.Error
		state   State
		message string
	}{
		{measure.Error{What: work.ErrorText + call.Name() + ": MPI_ERR_COUNT"}, Error, "MPI_ERR_COUNT"},
		{measure.Error{What: "nothing within measure.stall; the one running is MPI_Bcast"}, Hangs, "nothing within measure.stall"},
		{measure.Error{What: "killed; the last case that was reported finished: x", Stderr: "a\nlast"}, Aborted, "killed: last"},
		{measure.Error{What: "killed"}, Aborted, "killed"},
	} {
		x := ended(fixture.P2, call, &c.failed)
		want := Outcome{Call: call.Name(), Function: "MPI_Bcast", Shape: "p2", NP: 2, Msize: 64, State: c.state, Message: c.message}
		should.Equal(t, x, want)
	}
}

func TestDataThatDifferMakeACallWrong(t *testing.T) {
	out := outcomes(fixture.P2, []work.Call{{Function: "MPI_Bcast"}, {Function: "MPI_Scan", Wrong: "at 3"}})
	must.Hold(t, len(out) == 2, "%+v", out)
	should.Equal(t, out[0].State, Right)
	should.Hold(t, out[1].State == Wrong && out[1].Message == "at 3", "%+v", out[1])
}

// A setting is not blamed for what the library does without it.
func TestOnlyWhatWasRightIsNewlyBad(t *testing.T) {
	of := func(call, shape string, state State) Outcome {
		return Outcome{Call: call, Shape: shape, State: state}
	}
	before := []Outcome{of("a", "p2", Right), of("b", "p2", Wrong), of("c", "p2", Right), of("a", "p4", Hangs)}
	bad := []Outcome{of("a", "p2", Hangs), of("d", "p2", Error)}
	after := append([]Outcome{of("b", "p2", Hangs), of("c", "p2", Right), of("a", "p4", Hangs)}, bad...)
	should.Equal(t, NewlyBad(before, after), bad)
}
