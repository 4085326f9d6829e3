package document

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pgmpi/internal/picture"
)

var textFormat = Format{Name: "table", ext: "txt", from: sections, Write: writeText}

func writeText(w io.Writer, d *Document) error {
	sections := d.sections()
	p := &page{Page: d.Page, column: factColumn(sections)}
	for _, s := range sections {
		if err := p.section(s); err != nil {
			return err
		}
	}
	_, err := w.Write(p.Bytes())
	return err
}

type page struct {
	bytes.Buffer
	Page
	column int  // at which facts begin
	dense  bool // whether the section is
}

// factColumn leaves room for the names of facts, unless they are very long.
func factColumn(sections []Section) int {
	const least, most = 9, 18
	column := least
	for _, s := range sections {
		for _, t := range s.Text {
			column = max(column, s.margin()+cellWidth(t.Name)+2)
		}
	}
	return min(column, most)
}

func (s *Section) margin() int {
	if s.Title == "" {
		return 0
	}
	return 2
}

func (p *page) section(s Section) error {
	p.dense = s.Dense && s.Table != nil && len(s.Text) == 0
	if s.Title != "" && p.Len() > 0 {
		p.line("")
	}
	switch {
	case p.dense:
		table := *s.Table
		table.Head = append([]string{s.Title}, table.Head[1:]...)
		s.Table = &table
	case s.Title != "":
		for _, line := range Wrap(s.Title, p.width(), "  ") {
			p.line(p.toned(line, s.Tone))
		}
	}
	for _, t := range s.Text {
		p.text(t, s.margin())
	}
	if s.Table != nil {
		if err := p.table(s.Table); err != nil {
			return err
		}
	}
	for _, n := range s.Notes {
		p.paragraph("", n)
	}
	return nil
}

func (p *page) text(t Text, margin int) {
	var lines []string
	switch t.Style {
	case Paragraph:
		p.paragraph("", t.Text)
		return
	case Item:
		p.paragraph("- ", t.Text)
		return
	case Fact:
		p.fact(margin, t.Name, Wrap(t.Text, p.width()-p.column, ""))
		return
	case Command:
		p.fact(margin, t.Name, continued(t.Words, p.width()-p.column))
		return
	case Verbatim:
		lines = strings.Split(t.Text, "\n")
	case Drawing:
		lines = t.Draw(p.width())
	}
	if t.Name != "" {
		p.fact(margin, t.Name, lines)
		return
	}
	for _, line := range lines {
		p.line("   " + line)
	}
}

func continued(words []string, width int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case cellWidth(line)+1+cellWidth(word)+len(` \`) > width:
			lines, line = append(lines, line+` \`), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

func (p *page) line(text string) {
	p.WriteString(strings.ReplaceAll(strings.TrimRight(text, " "), string(glue), " ") + "\n")
}

func (p *page) paragraph(mark, text string) {
	for _, line := range Wrap(mark+text, p.width(), "  ") {
		p.line(line)
	}
}

// fact writes lines next to their name, or below it if it is long.
func (p *page) fact(margin int, name string, lines []string) {
	name = strings.Repeat(" ", margin) + name
	if cellWidth(name) > p.column-2 {
		p.line(name)
		name = ""
	}
	for _, line := range lines {
		p.line(name + strings.Repeat(" ", p.column-cellWidth(name)) + line)
		name = ""
	}
}

// cellWidth returns the longest line of a cell, in characters.
func cellWidth(cell string) int {
	longest := 0
	for line := range strings.SplitSeq(cell, "\n") {
		longest = max(longest, utf8.RuneCountInString(line))
	}
	return longest
}

// glue is a blank at which no line ends.
const glue = '\u00a0'

// Whole returns a text that is not broken at its blanks.
func Whole(text string) string { return strings.ReplaceAll(text, " ", string(glue)) }

// together matches blanks within an interval, and between a number and its unit.
var together = regexp.MustCompile(`(\[[-\d.]+,) ([\d.]+\])|(\d) ((?:[KMGT]iB|B|[nµm]?s|min|h|%)(?:[^\pL\pN]|$))`)

// words splits a text where a line may end.
func words(text string) []string {
	text = together.ReplaceAllString(text, "$1$3"+string(glue)+"$2$4")
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != glue })
}

// joints lists where a long word is broken; spaced puts a blank after each.
const joints = "+/,="

var spaced = strings.NewReplacer("+", "+ ", "/", "/ ", ",", ", ", "=", "= ")

func longer(word string, n int) bool { return len(word) > len(firstRunes(word, n)) }

func firstRunes(word string, n int) string {
	for i := range word {
		if n--; n < 0 {
			return word[:i]
		}
	}
	return word
}

// Wrap breaks text into lines of at most width characters: at blanks, and longer words at a joint,
// within a name if there is none. Lines after the first are indented.
func Wrap(text string, width int, indent string) []string {
	var lines []string
	line, begun := "", false
	for _, word := range words(text) {
		if begun && longer(word, width-1-cellWidth(line)) {
			lines, line, begun = append(lines, line), indent, false
		}
		if begun {
			line += " "
		}
		for n := width - cellWidth(line); longer(word, n); n = width - cellWidth(line) {
			head := firstRunes(word, n)
			if at := strings.LastIndexAny(head, joints); at > 0 {
				head = head[:at+1]
			} else if at := strings.LastIndex(head, "_"); at > len(head)/2 {
				head = head[:at+1]
			}
			lines, line, word = append(lines, line+head), indent, word[len(head):]
		}
		line, begun = line+word, true
	}
	return append(lines, line)
}

// Page describes what a text is written on; the zero value is a file.
type Page struct {
	Width  int // columns that a line may take at most; 0 means usualWidth
	Colour bool
	ASCII  bool // only ASCII can be shown
}

// Widths of pages, in columns: tables are made for the least.
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

// inASCII spells every character that documents use.
var inASCII = strings.NewReplacer("−", "-", "–", "-", "×", "x", "µ", "u", "●", "*", "≤", "<=", "≥", ">=", "→", "->", "…", "...", "─", "-", "┼", "+",
	"·", ".", "■", "#", "±", "+/-", "√", "root of ", "▁", ".", "▂", ".", "▃", ":", "▄", ":", "▅", "+", "▆", "+", "▇", "#", "█", "#", "▌", "[", "▐", "]", "░", ".", "▒", ":", "▓", "+")

// ascii spells a text in ASCII. It leaves a ? for what has no spelling, such as a name in another
// script.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && r != glue {
			return '?'
		}
		return r
	}, inASCII.Replace(text))
}

// colours holds the codes of ECMA-48.
var colours = map[picture.Tone]string{picture.Slow: "31", picture.Possible: "32", picture.Open: "33"}

// toned returns a text, without blanks at its ends, in the colour of its tone.
func (p Page) toned(text string, tone picture.Tone) string {
	code := colours[tone]
	if !p.Colour || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
