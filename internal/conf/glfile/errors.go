package glfile

import (
	"fmt"
	"strings"
)

// Error is one thing that is wrong with a file.
type Error struct {
	File string
	position
	Msg string
}

// Error writes "gl.toml:14:9: message".
func (e Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	case e.File != "":
		return e.File + ": " + e.Msg
	}
	return e.Msg
}

// Errors is everything that is wrong with a file, in the file's order.
type Errors []Error

// mostErrors are shown of a file: more of them say that it is another kind of file.
const mostErrors = 20

// Error has one line for each, up to mostErrors.
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
