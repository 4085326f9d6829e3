package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Kind is a sort of document about a T.
type Kind[T any] struct {
	Name     string              // of its files, without the ending
	Sections func(*T) []Section  // for people
	Rows     func(*T) [][]string // for spreadsheets, the head first; nil: it has none
	JSON     bool                // whether the T itself, as JSON, is for programs
}

// Document is what one command has to say, in every form that it has.
type Document struct {
	Name     string
	Sections []Section
	Rows     [][]string
	Value    any
}

// Section is a part of a document. One without a title continues the one before it.
type Section struct {
	Title string
	Text  []Text
	Table *Table
	Notes []string // paragraphs below the table
}

// Text is a part of a section's text.
type Text struct {
	Style Style
	Name  string // of a Fact; of Verbatim too where it has one
	Text  string
}

// Style says how a Text is laid out.
type Style int

const (
	Paragraph Style = iota
	Item            // of a list
	Fact            // beside its name; without one it belongs to the fact before it
	Verbatim        // lines as they are
)

// Table has cells for people; programs read the Rows or the Value of the document.
type Table struct {
	Head  []string
	Rows  [][]string
	Align string // a letter per column: l or r
	// Flex is the column whose cells are broken where the table is too wide.
	Flex   int
	Narrow bool // many small columns
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// drop leaves a column out.
func (t *Table) drop(column int) {
	t.Head, t.Align = slices.Delete(t.Head, column, column+1), t.Align[:column]+t.Align[column+1:]
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], column, column+1)
	}
}

// Titled makes a section.
func Titled(format string, args ...any) Section { return Section{Title: fmt.Sprintf(format, args...)} }

// note adds a paragraph below the table.
func (s *Section) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// Say adds a paragraph.
func (s *Section) Say(format string, args ...any) {
	s.Text = append(s.Text, Text{Text: fmt.Sprintf(format, args...)})
}

// Item adds an item of a list.
func (s *Section) Item(format string, args ...any) {
	s.Text = append(s.Text, Text{Style: Item, Text: fmt.Sprintf(format, args...)})
}

// Fact adds a paragraph beside its name.
func (s *Section) Fact(name, format string, args ...any) {
	s.Text = append(s.Text, Text{Style: Fact, Name: name, Text: fmt.Sprintf(format, args...)})
}

// facts adds paragraphs beside one name.
func (s *Section) facts(name string, texts []string) {
	for _, text := range texts {
		s.Fact(name, "%s", text)
		name = ""
	}
}

// Lines adds lines that stay as they are.
func (s *Section) Lines(lines ...string) {
	s.Text = append(s.Text, Text{Style: Verbatim, Text: strings.Join(lines, "\n")})
}

// Command adds a command line to copy: words stay whole, and a line that continues ends in a backslash.
func (s *Section) Command(name string, words []string) {
	const most = 80
	text, column := "", 0
	for i, word := range words {
		switch {
		case i > 0 && column+len(word) > most:
			text += " \\\n"
			column = 0
		case i > 0:
			text += " "
		}
		text += word
		column += 1 + len(word)
	}
	s.Text = append(s.Text, Text{Style: Verbatim, Name: name, Text: text})
}

// Document makes the document about a T.
func (k Kind[T]) Document(t *T) *Document {
	d := &Document{Name: k.Name, Sections: k.Sections(t)}
	for i := range d.Sections {
		d.Sections[i].clean()
	}
	if k.Rows != nil {
		d.Rows = k.Rows(t)
	}
	if k.JSON {
		d.Value = t
	}
	return d
}

// clean makes control characters visible, so that no terminal obeys those in the name of a library, a host or a folder.
func (s *Section) clean() {
	visible := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.C, r) && r != '\n' && r != '\t' {
				return unicode.ReplacementChar
			}
			return r
		}, text)
	}
	s.Title = visible(s.Title)
	for i := range s.Text {
		s.Text[i].Name, s.Text[i].Text = visible(s.Text[i].Name), visible(s.Text[i].Text)
	}
	if s.Table != nil {
		for _, row := range s.Table.Rows {
			for i := range row {
				row[i] = visible(row[i])
			}
		}
	}
	for i := range s.Notes {
		s.Notes[i] = visible(s.Notes[i])
	}
}
