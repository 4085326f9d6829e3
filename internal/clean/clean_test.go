package clean

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgmpi/testkit/should"
)

func TestWhatATerminalWouldObeyIsShown(t *testing.T) {
	for text, want := range map[string]string{
		"Open MPI 4.1.4 – 8 µs × 2 ≥ …": "Open MPI 4.1.4 – 8 µs × 2 ≥ …",
		"\x1b]0;title\x07":              `\x1b]0;title\x07`,
		"a\rb\x00\x7f":                  `a\x0db\x00\x7f`,
		"\u009b31m":                     `\x9b31m`, // CSI as one character
		"\x9b31m":                       `\x9b31m`, // and as one byte, which is no UTF-8
		"ab\u202egnp.exe\u2066":         `ab\u{202e}gnp.exe\u{2066}`,
		"soft\u00ad\u200b\ufeff":        `soft\xad\u{200b}\u{feff}`,
		"two\u2028lines":                `two\u{2028}lines`,
		"\U000e0041":                    `\u{e0041}`, // a tag character
	} {
		should.Equal(t, Line(text), want, "%q", text)
		should.Equal(t, Text(text), want, "%q as a text", text)
	}
	should.Equal(t, Line("a\n\tb"), `a\n\tb`, "on one line")
	should.Equal(t, Text("a\n\tb\x1b"), "a\n\tb\\x1b", "as a text")
}

func FuzzLine(f *testing.F) {
	f.Add("\x1b[2J\u202e\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := Line(text)
		should.Hold(t, utf8.ValidString(got) && !strings.ContainsFunc(got, Hidden), "%q became %q", text, got)
		should.Hold(t, Line(got) == got, "%q changes when it is shown again", got)
	})
}

func TestCellsThatASpreadsheetWouldCalculateAreTexts(t *testing.T) {
	for cell, want := range map[string]string{"=1+1": "'=1+1", "@x": "'@x", "-x": "'-x", "+Inf": "+Inf", "-1.5e-6": "-1.5e-6", "GL8": "GL8", "": ""} {
		should.Equal(t, Cell(cell), want, "%q became", cell)
	}
}
