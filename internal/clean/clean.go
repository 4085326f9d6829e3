// Package clean filters all text that others have written: names of libraries, hosts and functions, messages of
// ranks and launchers, what a results folder holds.
//
// A text goes in, and the same text comes out with every character visible that a terminal, an editor or a browser
// would obey instead of showing: control characters, those that change the direction of writing, those without
// width, and bytes that are no UTF-8. It must never lose or reorder anything.
package clean

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pgmpi/internal/lists"
)

// Line returns text on one line: its newlines and tabs are shown as \n and \t.
func Line(text string) string { return visible(text, "") }

// Text keeps newlines and tabs, and makes all else visible.
func Text(text string) string { return visible(text, "\n\t") }

// command matches what GitHub and Azure obey where a log's line begins.
var command = regexp.MustCompile(`(?m)^([ \t]*)(::|##)`)

// Log prepares text for a log that a CI service reads: a backslash precedes what the service would obey.
func Log(text string) string { return command.ReplaceAllString(Text(text), `${1}\${2}`) }

// Lines puts each text on a line of its own.
func Lines(lines []string) string { return strings.Join(lists.Map(lines, Line), "\n") }

// Cell prepares text for a spreadsheet: an apostrophe precedes what it would calculate.
func Cell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

// Hidden tells whether a character is obeyed or vanishes where it should be shown.
func Hidden(r rune) bool { return !unicode.IsGraphic(r) }

func visible(text, keep string) string {
	hidden := func(r rune) bool { return Hidden(r) && !strings.ContainsRune(keep, r) }
	if utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for i, width := 0, 0; i < len(text); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && width == 1: // no UTF-8
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !hidden(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= unicode.MaxLatin1:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// longestCell limits the bytes of a cell. Every other cell of its column is made as wide.
const longestCell = 1000

// TableCell keeps only the breaks that we make ourselves, after a plus.
func TableCell(cell string) string {
	parts := strings.Split(cell, "+\n")
	for i := range parts {
		parts[i] = Line(parts[i])
	}
	cell = strings.Join(parts, "+\n")
	if len(cell) > longestCell {
		cell = strings.ToValidUTF8(cell[:longestCell], "") + "…"
	}
	return cell
}
