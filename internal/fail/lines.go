package fail

import "strings"

// Lines returns an error's lines. It breaks only where we meant to: at lines from Also, between joined errors, and
// between lines that an error lists by a method Lines. A newline in any other text stays in its line, since the text
// may be somebody's.
func Lines(err error) []string {
	var parts []error
	switch e := err.(type) {
	case interface{ Lines() []string }:
		return e.Lines()
	case interface{ Unwrap() error }:
		parts = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		parts = e.Unwrap()
	}
	text, out := err.Error(), []string{""}
	for _, part := range parts {
		if part == nil {
			continue
		}
		before, after, found := strings.Cut(text, part.Error())
		if !found {
			continue
		}
		if before == "\n" { // the mark of errors.Join
			out, before = append(out, ""), ""
		}
		lines := Lines(part)
		out[len(out)-1] += before + lines[0]
		out, text = append(out, lines[1:]...), after
	}
	out[len(out)-1] += text
	return out
}

// Also adds lines to an error, each indented below it.
func Also(err error, lines ...string) error { return &also{err: err, more: lines} }

// Above adds lines to an error that leads to them: a colon stands between.
func Above(err error, lines ...string) error { return &also{err, lines, ":"} }

type also struct {
	err  error
	more []string
	mark string // after the error
}

func (e *also) Error() string { return strings.Join(e.Lines(), "\n") }
func (e *also) Unwrap() error { return e.err }

func (e *also) Lines() []string {
	out := Lines(e.err)
	out[len(out)-1] += e.mark
	for _, line := range e.more {
		out = append(out, "  "+line)
	}
	return out
}
