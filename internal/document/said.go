package document

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"pgmpi/internal/clean"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
)

// OwnLines holds lines that pgmpi itself broke, whatever texts of others they hold.
type OwnLines []string

// Prose breaks a text of ours into lines of a terminal. A command in backticks stays whole, to be copied. Where the
// width is not known, as in a log, the text is one line.
func (p Page) Prose(text string) OwnLines {
	if p.Width == 0 {
		return OwnLines{text}
	}
	text = quoted.ReplaceAllStringFunc(clean.Line(text), func(command string) string {
		if longer(command, p.Width-len(indent)) {
			return command
		}
		return Whole(command)
	})
	return lists.Map(Wrap(text, p.Width, indent), func(line string) string { return strings.ReplaceAll(line, string(glue), " ") })
}

// Complaint breaks the text of an error likewise. Lines that it has of its own, such as a command to run, stay whole.
func (p Page) Complaint(before string, err error) (lines OwnLines) {
	for i, line := range fail.Lines(err) {
		switch {
		case i == 0:
			lines = append(lines, p.Prose(before+line)...)
		case strings.HasPrefix(line, indent):
			lines = append(lines, line)
		default:
			lines = append(lines, p.Prose(line)...)
		}
	}
	return lines
}

// indent begins the second line of a text.
const indent = "  "

var quoted = regexp.MustCompile("`[^`]*`")

// Said returns a message for standard error. It breaks lines where the format does, between
// OwnLines, and between the lines of an error (fail.Lines). Any other text may come from others,
// and stays on its line.
func Said(format string, args ...any) string {
	args = slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case error:
			args[i] = clean.Lines(fail.Lines(a))
		case OwnLines:
			args[i] = clean.Lines(a)
		default:
			if kind := reflect.ValueOf(a).Kind(); kind < reflect.Bool || kind > reflect.Float64 { // no number
				args[i] = clean.Line(fmt.Sprint(a))
			}
		}
	}
	return clean.Log(fmt.Sprintf(format, args...))
}
