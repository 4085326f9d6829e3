package fail

import (
	"errors"
	"fmt"
)

// Found is the end of a command that has shown what it is asked to find, such as a
// violation.
var Found = errors.New("violated")

// Setup is why nothing was measured: the configuration, the folder, or a
// launcher that has never worked.
type Setup struct{ Err error }

func (e *Setup) Error() string { return e.Err.Error() }
func (e *Setup) Unwrap() error { return e.Err }

func AsSetup(err error) error { return &Setup{err} }

func Setupf(format string, args ...any) error { return AsSetup(fmt.Errorf(format, args...)) }

// Refused is why no result could be significant.
type Refused struct{ Reason string }

func (e *Refused) Error() string { return e.Reason }

// Interrupted is the end of the context, or of the batch job. Finished mpiruns are
// kept.
type Interrupted struct {
	Why string // ""; a signal
}

func (e *Interrupted) Error() string {
	if e.Why == "" {
		return "interrupted"
	}
	return "interrupted: " + e.Why
}

// Failed is what ended a measurement that had begun. Finished mpiruns are kept.
type Failed struct {
	Err   error
	Twice bool // an mpirun and its repetition
}

func (e *Failed) Error() string {
	if e.Twice {
		return "an mpirun failed twice: " + e.Err.Error()
	}
	return e.Err.Error()
}

func (e *Failed) Unwrap() error { return e.Err }
