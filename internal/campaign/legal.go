package campaign

import (
	"context"
	"errors"

	"pgmpi/internal/conf/glfile"
)

// Outcome is what became of a legal call.
type Outcome struct {
	Call     string       `json:"call"` // what was called, and what is special about its arguments
	Function string       `json:"function"`
	NP       int          `json:"np"`      // processes of the communicator
	Msize    int64        `json:"msize"`   // bytes of one block
	State    OutcomeState `json:"state"`   //
	Message  string       `json:"message"` // what was wrong; "" when right
	// Cause is the place in a file of the environment that explains it ("rules:7: …"); or "".
	Cause string `json:"cause,omitempty"`
}

// OutcomeState is how a legal call ended.
type OutcomeState string

const (
	CallRight   OutcomeState = "right"
	CallWrong   OutcomeState = "wrong"   // other data than MPI defines
	CallError   OutcomeState = "error"   // an error code
	CallAborted OutcomeState = "aborted" // the mpirun ended in it
	CallHangs   OutcomeState = "hangs"   // it did not return within measure.stall
)

// Legal makes calls that MPI allows and that are easy to get wrong, of every collective,
// on the world of the configured number of processes and on parts of it, under an
// environment (beyond mpi.env), and returns what became of each. A call that ends the
// mpirun is left out of the next. It is an error only if nothing could be called.
func Legal(ctx context.Context, config *glfile.File, env map[string]string) ([]Outcome, error) {
	return nil, errors.New("not built yet")
}

// NewlyBad are the outcomes of calls that are not right, and were under the settings
// before: what a library does wrong by itself is no setting's fault.
func NewlyBad(before, after []Outcome) (out []Outcome) {
	was := map[string]OutcomeState{}
	for _, o := range before {
		was[o.Call] = o.State
	}
	for _, o := range after {
		if old, known := was[o.Call]; o.State != CallRight && (!known || old == CallRight) {
			out = append(out, o)
		}
	}
	return out
}
