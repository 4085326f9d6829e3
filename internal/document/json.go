package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	"pgmpi/internal/clean"
)

var JSON = Format{Name: "json", ext: "json", from: value, Write: writeJSON}

func writeJSON(w io.Writer, d *Document) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d.Value); err != nil {
		return err
	}
	_, err := w.Write(escapedHidden(text.Bytes()))
	return err
}

// escapedHidden escapes characters that encoding/json leaves as they are, and that a terminal may
// obey. Outside of strings JSON has no such characters.
func escapedHidden(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && clean.Hidden(r) }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			out = append(out, string(r)...)
		case r > 0xffff:
			a, b := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, a, b)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
