package glfile

import (
	"fmt"
	"strings"
)

// Error is an error in a file.
type Error struct {
	File string
	position
	Msg string
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

// Errors are all errors of a file, in the order of their places.
type Errors []Error

// mostErrors are shown of a file: with more it is another kind of file.
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
