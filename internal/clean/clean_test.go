package clean

import (
	"strings"
	"testing"
	"unicode/utf8"
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
		if got := Line(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if got := Text(text); got != want {
			t.Errorf("%q as a text: %s, want %s", text, got, want)
		}
	}
	if got := Line("a\n\tb"); got != `a\n\tb` {
		t.Errorf("on one line: %s", got)
	}
	if got := Text("a\n\tb\x1b"); got != "a\n\tb\\x1b" {
		t.Errorf("as a text: %q", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("\x1b[2J\u202e\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := Line(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, Hidden) {
			t.Errorf("%q became %q", text, got)
		}
		if Line(got) != got {
			t.Errorf("%q changes when it is shown again", got)
		}
	})
}
