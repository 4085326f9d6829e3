// Package work defines what driver and ranks exchange about conformance calls: the job and the answer.
// It neither makes nor judges calls.
package work

import (
	"errors"
	"fmt"

	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
)

// Job asks for conformance calls: calls that MPI allows and that are easy to get wrong.
type Job struct {
	// Msizes are bytes of a block, multiples of 16; communicators other than the world
	// are called on with the first two.
	Msizes []int64 `json:"msizes"`
	// More sizes are called on every communicator of their number of processes.
	More      []Sizes  `json:"more,omitempty"`
	Functions []string `json:"functions,omitempty"` // the only ones that are called, or empty for all
	Skip      []string `json:"skip,omitempty"`      // the kinds of calls that are not made
	// PauseNS separates the name of a call from the call, from call PauseFrom (from 0) on. It is for
	// launchers that drop what they have not read when a rank aborts, and for ranks that are ahead of
	// rank 0.
	PauseNS   int64 `json:"pause_ns,omitempty"`
	PauseFrom int   `json:"pause_from,omitempty"`
}

// Work has no cases, and its answer is every call that was made.
var Work = &protocol.Work[Job, []Call]{Name: "conformance", Check: func(made *[]Call) error {
	if len(*made) > most {
		return errors.New("too many conformance calls")
	}
	return nil
}}

type Sizes struct {
	Function string  `json:"function"`
	NP       int     `json:"np"`
	Msizes   []int64 `json:"msizes"`
}

type Call struct {
	Function string `json:"function"`
	NP       int    `json:"np"`
	Msize    int64  `json:"msize"`
	Comm     string `json:"comm"` // on which
	What     string `json:"what"` // what is special about its arguments
	Wrong    string `json:"wrong,omitempty"`
}

func (c Call) Name() string {
	size := ""
	if c.Msize > 0 {
		size = " of " + conf.HumanSize(c.Msize)
	}
	return fmt.Sprintf("%s%s on %s: %s", c.Function, size, c.Comm, c.What)
}

// Kind names a call of any size on any communicator.
func (c Call) Kind() string { return c.Function + ": " + c.What }

// ErrorText begins what a rank says of a call that gave an MPI error.
const ErrorText = "an MPI error of a conformance call, "

const most = 10000
