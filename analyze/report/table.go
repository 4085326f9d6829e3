package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"pgmpi/analyze"
)

var _ = register(Format{Name: "table", File: "report.txt", Write: writeTable})

// width is the most columns that a line may take.
const width = 100

// writeTable writes the tables for people: what the verdicts rest on, the
// summary, the patterns, the matrix, the violations.
func writeTable(w io.Writer, r *analyze.Report) error {
	p := &page{}
	p.header(r)
	p.summary(r)
	p.patterns(r)
	p.matrix(r)
	p.violations(r)
	p.suspected(r)
	p.undecided(r)
	p.outOfSync(r)
	p.bounds(r)
	p.remarks(r)
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

// page collects the text; the first error sticks.
type page struct {
	out bytes.Buffer
	err error
}

// say writes a paragraph, wrapped.
func (p *page) say(format string, args ...any) {
	p.out.WriteString(wrap(fmt.Sprintf(format, args...), width, "  ") + "\n")
}

// fact writes a paragraph beside its name.
func (p *page) fact(name, format string, args ...any) {
	const indent = 9
	text := wrap(fmt.Sprintf(format, args...), width-indent, "")
	text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent))
	fmt.Fprintf(&p.out, "%-*s%s\n", indent, name, text)
}

// title starts a section.
func (p *page) title(format string, args ...any) {
	p.out.WriteString("\n")
	p.say(format, args...)
}

// grid writes a table without vertical lines. Cells of the column flex are
// cut where the table would be wider than the page; right lists what is
// aligned to the right by a letter per column: "lrr".
type grid struct {
	head  []string
	rows  [][]string
	align string
	flex  int
	gap   int // blanks between columns
}

func (p *page) grid(g grid) {
	if p.err != nil {
		return
	}
	g.squeeze()
	aligns := make([]tw.Align, len(g.head))
	for i := range aligns {
		aligns[i] = tw.AlignLeft
		if i < len(g.align) && g.align[i] == 'r' {
			aligns[i] = tw.AlignRight
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: aligns},
		Padding:    tw.CellPadding{Global: tw.Padding{Left: tw.Empty, Right: strings.Repeat(" ", g.gap), Overwrite: true}},
	}
	var out bytes.Buffer
	t := tablewriter.NewTable(&out,
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Symbols: tw.NewSymbols(tw.StyleLight),
			Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.On},
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.On},
				Lines:      tw.Lines{ShowHeaderLine: tw.On},
			},
		})))
	t.Header(g.head)
	for _, row := range g.rows {
		if p.err = t.Append(row); p.err != nil {
			return
		}
	}
	p.err = t.Render()
	for line := range strings.Lines(out.String()) {
		p.out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// squeeze narrows the gaps of a table that is too wide, then cuts the cells of
// the flexible column.
func (g *grid) squeeze() {
	total, flex := g.total()
	if total > width && g.gap > 1 {
		g.gap = 1
		total, flex = g.total()
	}
	allowed := flex - max(total-width, 0)
	for _, row := range g.rows {
		row[g.flex] = fit(row[g.flex], allowed)
	}
}

// total is the width of the table, and that of its flexible column.
func (g *grid) total() (total, flex int) {
	for i := range g.head {
		widest := cellWidth(g.head[i])
		for _, row := range g.rows {
			widest = max(widest, cellWidth(row[i]))
		}
		total += widest + g.gap
		if i == g.flex {
			flex = widest
		}
	}
	return total, flex
}

// cellWidth is the longest line of a cell, in characters.
func cellWidth(cell string) int {
	longest := 0
	for line := range strings.Lines(cell) {
		longest = max(longest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return longest
}
