package fail

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrFound is the end of a command that has shown what it is asked to find, such as a
// violation.
var ErrFound = errors.New("violated")

// Setup is why nothing was measured: the configuration, the folder, or a
// launcher that has never worked.
type Setup struct{ Err error }

func (e *Setup) Error() string { return e.Err.Error() }
func (e *Setup) Unwrap() error { return e.Err }

// AsSetup leaves nil as it is.
func AsSetup(err error) error {
	if err == nil {
		return nil
	}
	return &Setup{err}
}

func Setupf(format string, args ...any) error { return AsSetup(fmt.Errorf(format, args...)) }

// Refused is why no result could be significant.
type Refused struct{ Reason string }

func (e *Refused) Error() string { return e.Reason }

// NotJudged is the answer where nothing could be judged.
func NotJudged(why string) string { return "NOT JUDGED: " + why }

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

// Is tells whether an error is or wraps one of a type.
func Is[T error](err error) bool {
	var of T
	return errors.As(err, &of)
}

// Remedy names what to do about an error of the system; "": nothing helps that we know.
func Remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room there"
	case errors.Is(err, syscall.EIO):
		return "the disk or file system there is at fault (dmesg says more): use another"
	case errors.Is(err, syscall.EMFILE):
		return "raise the limit of open files (ulimit -n)"
	case errors.Is(err, syscall.ENFILE):
		return "this machine has too many files open: end what has them"
	}
	return ""
}
