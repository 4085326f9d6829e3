package glfile

import (
	"fmt"
	"strings"
)

type Error struct {
	File     string
	position // not of errors that are not shown
	Msg      string
	at       int // offset in the text; -1 if not there
}

func (e Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	case e.File != "":
		return e.File + ": " + e.Msg
	}
	return e.Msg
}

// Errors has all errors of a file, in the order of their places.
type Errors []Error

// A file with more than mostErrors is probably of another kind: only these are shown.
const mostErrors = 20

func (es Errors) Error() string {
	lines := make([]string, min(len(es), mostErrors))
	for i := range lines {
		lines[i] = es[i].Error()
	}
	if more := len(es) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d errors more", more))
	}
	return strings.Join(lines, "\n")
}
