package document

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"pgmpi/internal/picture"
)

// Page is what a text is written on; the zero value is a file.
type Page struct {
	Width  int // columns that a line may take at most; 0: usualWidth
	Colour bool
	ASCII  bool // nothing but ASCII can be shown
}

// The widths of pages, in columns: tables are made for the least.
const (
	LeastWidth = 80
	UsualWidth = 100
	MostWidth  = 160 // of a terminal; longer lines are hard to read
)

func (p Page) width() int { return cmp.Or(p.Width, UsualWidth) }

func (d *Document) sections() []Section {
	if !d.Page.ASCII {
		return d.Sections
	}
	out := slices.Clone(d.Sections)
	for i := range out {
		out[i].Rewrite(ascii, ascii, ascii)
	}
	return out
}

// inASCII has a spelling for every character that documents use.
var inASCII = strings.NewReplacer("−", "-", "–", "-", "×", "x", "µ", "u", "●", "*", "≤", "<=", "≥", ">=", "→", "->", "…", "...", "─", "-", "┼", "+",
	"·", ".", "±", "+/-", "√", "root of ", "▁", ".", "▂", ".", "▃", ":", "▄", ":", "▅", "+", "▆", "+", "▇", "#", "█", "#", "░", ".", "▒", ":", "▓", "+")

// ascii spells a text in ASCII; of what has no spelling, such as a name in another script, a ? is left.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && r != glue {
			return '?'
		}
		return r
	}, inASCII.Replace(text))
}

// colours are the codes of ECMA-48.
var colours = map[picture.Tone]string{picture.Slow: "31", picture.Possible: "32", picture.Open: "33"}

// toned is a text, without blanks at its ends, in the colour of its tone.
func (p Page) toned(text string, tone picture.Tone) string {
	code := colours[tone]
	if !p.Colour || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
