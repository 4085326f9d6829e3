package protocol

import (
	"errors"
	"fmt"
)

// AlgorithmsJob lists the library's own algorithms, and reads control variables.
type AlgorithmsJob struct {
	Variables []string `json:"variables,omitempty"` // environment variables begin with OfEnvironment
}

// ListAlgorithms is work without cases.
var ListAlgorithms = &Work[AlgorithmsJob, AlgorithmsEnd]{Name: "algorithms", Check: (*AlgorithmsEnd).check}

type AlgorithmsEnd struct {
	Collectives []Algorithms `json:"collectives"`
	LibraryFile string       `json:"library_file,omitempty"` // the shared object that MPI is in, at rank 0
	Variables   []Variable   `json:"variables,omitempty"`    // of the job
}

type Algorithms struct {
	Collective string      `json:"collective"`
	Variable   string      `json:"variable,omitempty"` // of the library, chooses one; or "" if MPI_T names none
	Now        int         `json:"now"`                // its value; 0, the default, unless an algorithm is forced
	Fixed      bool        `json:"fixed,omitempty"`    // it cannot be changed while the library runs
	Names      []Algorithm `json:"algorithms"`
}

// Unknown tells whether the library lets algorithms of the collective be chosen, and does not tell
// which in a way that is understood.
func (a Algorithms) Unknown() bool { return a.Variable != "" && len(a.Names) == 0 }

type Algorithm struct {
	Name  string `json:"name"`
	Value int    `json:"value"` // of the variable
}

// OfEnvironment begins the name of a variable of the ranks' environment.
const OfEnvironment = "$"

// Variable is a control variable of the library, or of the environment, as all ranks have it.
type Variable struct {
	Name  string `json:"name"`
	Known bool   `json:"known"` // the library, or the environment of rank 0, has it
	Value string `json:"value"`
	// Unread names the rank that has another value than rank 0. It also names one that cannot read the
	// variable's file, and why.
	Unread string `json:"unread,omitempty"`
}

// mostAlgorithms limits the algorithms of a collective, and the collectives: far above any library's
// numbers.
const mostAlgorithms = 100

func (e *AlgorithmsEnd) check() error {
	if len(e.Collectives) > mostAlgorithms {
		return errors.New("algorithms of too many collectives")
	}
	for _, a := range e.Collectives {
		if len(a.Names) > mostAlgorithms {
			return fmt.Errorf("%d algorithms of %.40q", len(a.Names), a.Collective)
		}
	}
	return nil
}
