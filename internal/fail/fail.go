package fail

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrFound ends a command that has shown what it was asked to find, such as a violation.
var ErrFound = errors.New("violated")

// Setup says why nothing was measured: the configuration, the folder, or a launcher that has never worked.
type Setup struct{ Err error }

func (e *Setup) Error() string { return e.Err.Error() }
func (e *Setup) Unwrap() error { return e.Err }

// AsSetup makes a Setup of an error, and leaves nil as it is.
func AsSetup(err error) error {
	if err == nil {
		return nil
	}
	return &Setup{err}
}

func Setupf(format string, args ...any) error { return AsSetup(fmt.Errorf(format, args...)) }

// Refused says why no result could be significant.
type Refused struct{ Reason string }

func (e *Refused) Error() string { return e.Reason }

// NotJudged writes the answer where nothing could be judged.
func NotJudged(why string) string { return "NOT JUDGED: " + why }

// Interrupted ends a measurement with its context or its batch job. Finished mpiruns are kept.
type Interrupted struct {
	Why string // a signal, or ""
}

func (e *Interrupted) Error() string {
	if e.Why == "" {
		return "interrupted"
	}
	return "interrupted: " + e.Why
}

// Failed says what ended a measurement that had begun. Finished mpiruns are kept.
type Failed struct {
	Err   error
	Twice bool // an mpirun failed, and its repetition too
}

func (e *Failed) Error() string {
	if e.Twice {
		return "an mpirun failed twice: " + e.Err.Error()
	}
	return e.Err.Error()
}

func (e *Failed) Unwrap() error { return e.Err }

// Is tells whether an error is of a type, or wraps one.
func Is[T error](err error) bool {
	var of T
	return errors.As(err, &of)
}

// Remedy names what to do about an error of the system. It returns "" if we know of nothing that helps.
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
