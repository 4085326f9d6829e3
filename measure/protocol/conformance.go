package protocol

import (
	"errors"
	"fmt"

	"pgmpi/internal/conf"
)

// ConformanceJob makes conformance calls: calls that MPI allows and that are easy to get wrong.
type ConformanceJob struct {
	// Msizes are bytes of a block, multiples of 16; communicators other than the world
	// are called on with the first two.
	Msizes []int64 `json:"msizes"`
	// More sizes are called on every communicator of their number of processes.
	More      []ConformanceSizes `json:"more,omitempty"`
	Functions []string           `json:"functions,omitempty"` // the only ones that are called; none: all
	Skip      []string           `json:"skip,omitempty"`      // the kinds of calls that are not made
	// PauseNS is between the name of a call and the call, from call PauseFrom (from 0) on, for launchers
	// that drop what they have not read when a rank aborts, and for ranks that are ahead of rank 0.
	PauseNS   int64 `json:"pause_ns,omitempty"`
	PauseFrom int   `json:"pause_from,omitempty"`
}

// CallConformance is work without cases, whose answer is every call that was made.
var CallConformance = &Work[ConformanceJob, []ConformanceCall]{Name: "conformance", Check: func(made *[]ConformanceCall) error {
	if len(*made) > mostConformance {
		return errors.New("too many conformance calls")
	}
	return nil
}}

type ConformanceSizes struct {
	Function string  `json:"function"`
	NP       int     `json:"np"`
	Msizes   []int64 `json:"msizes"`
}

type ConformanceCall struct {
	Function string `json:"function"`
	NP       int    `json:"np"`
	Msize    int64  `json:"msize"`
	Comm     string `json:"comm"` // on which
	What     string `json:"what"` // is special about its arguments
	Wrong    string `json:"wrong,omitempty"`
}

func (c ConformanceCall) Name() string {
	size := ""
	if c.Msize > 0 {
		size = " of " + conf.HumanSize(c.Msize)
	}
	return fmt.Sprintf("%s%s on %s: %s", c.Function, size, c.Comm, c.What)
}

// Kind names a call of any size on any communicator.
func (c ConformanceCall) Kind() string { return c.Function + ": " + c.What }

// ConformanceError begins what a rank says of a call that gave an MPI error.
const ConformanceError = "an MPI error of a conformance call, "

const mostConformance = 10000
