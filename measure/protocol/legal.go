package protocol

import (
	"errors"
	"fmt"

	"pgmpi/internal/conf"
)

// LegalJob asks for calls that MPI allows and that are easy to get wrong, with ModeLegal.
type LegalJob struct {
	// Msizes are bytes of a block, multiples of 16; communicators other than the world
	// are called on with the first two.
	Msizes []int64 `json:"msizes"`
	// Functions are the only ones that are called; none: all.
	Functions []string `json:"functions,omitempty"`
	// Skip are the kinds of calls that are not made.
	Skip []string `json:"skip,omitempty"`
	// PauseNS is between the name of a call and the call, for launchers that drop what they
	// have not read when a rank aborts.
	PauseNS int64 `json:"pause_ns,omitempty"`
}

// LegalCall is one of these calls, and what was wrong with its results.
type LegalCall struct {
	Function string `json:"function"`
	NP       int    `json:"np"`
	Msize    int64  `json:"msize"`
	Comm     string `json:"comm"` // on which
	What     string `json:"what"` // is special about its arguments
	Wrong    string `json:"wrong,omitempty"`
}

// Name is what the call is called.
func (c LegalCall) Name() string {
	size := ""
	if c.Msize > 0 {
		size = " of " + conf.HumanSize(c.Msize)
	}
	return fmt.Sprintf("%s%s on %s: %s", c.Function, size, c.Comm, c.What)
}

// Kind is the same for a call of any size on any communicator.
func (c LegalCall) Kind() string { return c.Function + ": " + c.What }

// LegalError begins what a rank says of a call that gave an MPI error.
const LegalError = "an MPI error of a legal call, "

// mostLegal calls are more than any rank program has.
const mostLegal = 10000

func checkLegal(all []LegalCall) error {
	if len(all) > mostLegal {
		return errors.New("too many legal calls")
	}
	return nil
}
