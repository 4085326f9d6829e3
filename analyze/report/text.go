package report

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

var textFormat = Format{Name: "table", ext: "txt", from: sections, Write: writeText}

// width is the most columns that a line may take.
const width = 100

// writeText writes sections for a terminal.
func writeText(w io.Writer, d *Document) error {
	p := &page{column: factColumn(d)}
	for _, s := range d.Sections {
		if err := p.section(s); err != nil {
			return err
		}
	}
	_, err := w.Write(p.Bytes())
	return err
}

// page is a text that is being written.
type page struct {
	bytes.Buffer
	column int // that facts begin at
}

// factColumn has room for the names of facts, unless they are very long.
func factColumn(d *Document) int {
	const least, most = 9, 18
	column := least
	for _, s := range d.Sections {
		for _, t := range s.Text {
			column = max(column, s.margin()+cellWidth(t.Name)+2)
		}
	}
	return min(column, most)
}

// margin is what facts below a title are indented by.
func (s *Section) margin() int {
	if s.Title == "" {
		return 0
	}
	return 2
}

func (p *page) section(s Section) error {
	if s.Title != "" {
		if p.Len() > 0 {
			p.line("")
		}
		p.paragraph("", s.Title)
	}
	for _, t := range s.Text {
		switch {
		case t.Style == Paragraph:
			p.paragraph("", t.Text)
		case t.Style == Item:
			p.paragraph("- ", t.Text)
		case t.Style == Fact:
			p.fact(s.margin(), t.Name, wrap(t.Text, width-p.column, ""))
		case t.Name != "":
			p.fact(s.margin(), t.Name, strings.Split(t.Text, "\n"))
		default:
			for line := range strings.SplitSeq(t.Text, "\n") {
				p.line("   " + line)
			}
		}
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

// line writes a line without blanks at its end.
func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) paragraph(mark, text string) {
	for _, line := range wrap(mark+text, width, "  ") {
		p.line(line)
	}
}

// fact writes lines beside their name, or below it where it is long.
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

// table draws a table without vertical lines.
func (p *page) table(t *Table) error {
	gap, rows := t.squeeze()
	padding := tw.CellPadding{Global: tw.Padding{Left: tw.Empty, Right: strings.Repeat(" ", gap), Overwrite: true}}
	var out bytes.Buffer
	if err := t.draw(&out, t.Head, rows, padding, tablewriter.WithTrimSpace(tw.Off), tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
		Symbols: tw.NewSymbols(tw.StyleLight),
		Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.On},
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.On},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	}))); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		p.line(strings.TrimSuffix(line, "\n"))
	}
	return nil
}

// draw draws head and rows, as they are, aligned as t.Align says.
func (t *Table) draw(out io.Writer, head []string, rows [][]string, padding tw.CellPadding, options ...tablewriter.Option) error {
	aligns := make([]tw.Align, len(t.Align))
	for i, a := range t.Align {
		aligns[i] = tw.AlignLeft
		if a == 'r' {
			aligns[i] = tw.AlignRight
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: aligns},
		Padding:    padding,
	}
	w := tablewriter.NewTable(out, slices.Concat([]tablewriter.Option{
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithEastAsian(tw.Off),
	}, options)...)
	w.Header(head)
	if err := w.Bulk(rows); err != nil {
		return err
	}
	return w.Render()
}

// squeeze narrows the gaps of a table that is too wide, then breaks the cells of its flexible column.
func (t *Table) squeeze() (gap int, rows [][]string) {
	gap = 2
	if t.Narrow || t.total(gap) > width {
		gap = 1
	}
	over := t.total(gap) - width
	if over <= 0 {
		return gap, t.Rows
	}
	allowed := max(t.columnWidth(t.Flex)-over, 1)
	for _, row := range t.Rows {
		row = slices.Clone(row)
		if cellWidth(row[t.Flex]) > allowed {
			row[t.Flex] = strings.Join(wrap(row[t.Flex], allowed, ""), "\n")
		}
		rows = append(rows, row)
	}
	return gap, rows
}

func (t *Table) total(gap int) int {
	total := 0
	for i := range t.Head {
		total += t.columnWidth(i) + gap
	}
	return total
}

func (t *Table) columnWidth(i int) int {
	widest := cellWidth(t.Head[i])
	for _, row := range t.Rows {
		widest = max(widest, cellWidth(row[i]))
	}
	return widest
}

// cellWidth is the longest line of a cell, in characters.
func cellWidth(cell string) int {
	longest := 0
	for line := range strings.SplitSeq(cell, "\n") {
		longest = max(longest, utf8.RuneCountInString(line))
	}
	return longest
}

// wrap breaks text into lines of at most width characters: at blanks, and within longer words,
// at a joint of a name or path if there is one. Lines after the first are indented.
func wrap(text string, width int, indent string) []string {
	var lines []string
	line, begun := "", false
	for _, word := range strings.Fields(text) {
		if begun && cellWidth(line)+1+cellWidth(word) > width {
			lines, line, begun = append(lines, line), indent, false
		}
		if begun {
			line += " "
		}
		for n := width - cellWidth(line); cellWidth(word) > n; n = width - cellWidth(line) {
			head := string([]rune(word)[:n])
			if at := strings.LastIndexAny(head, "+_/,="); at > len(head)/2 {
				head = head[:at+1]
			}
			lines, line, word = append(lines, line+head), indent, word[len(head):]
		}
		line, begun = line+word, true
	}
	return append(lines, line)
}
