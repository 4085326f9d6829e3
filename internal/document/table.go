package document

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

func (p *page) table(t *Table) error {
	for _, part := range t.parts(p.width()) {
		if err := p.tablePart(part); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) tablePart(t *Table) error {
	shown, gap := t.fitted(p.width())
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		for _, c := range shown.columns {
			// tablewriter leaves empty lines out, and grouped counts lines.
			lines := slices.DeleteFunc(strings.Split(shown.cell(row[c], c), "\n"), func(line string) bool { return line == "" })
			if t.Tone != nil {
				for j := range lines {
					lines[j] = p.toned(lines[j], t.Tone(row, c))
				}
			}
			rows[i] = append(rows[i], strings.Join(lines, "\n"))
		}
	}
	padding := tw.CellPadding{Global: tw.Padding{Left: tw.Empty, Right: strings.Repeat(" ", gap), Overwrite: true}}
	var out bytes.Buffer
	drawn := Table{Align: t.aligns(shown.columns)}
	if err := drawn.draw(&out, pick(t.Head, shown.columns), rows, padding, tablewriter.WithTrimSpace(tw.Off), tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
		Symbols: tw.NewSymbols(tw.StyleLight),
		Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.On},
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.On},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	}))); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if p.dense {
		lines = lines[:len(lines)-1]
	}
	if p.ASCII {
		for i := range lines {
			lines[i] = inASCII.Replace(lines[i]) // the rules
		}
	}
	if t.Grouped {
		lines = grouped(lines, t.Rows, rows)
	}
	for _, line := range lines {
		p.line(line)
	}
	return nil
}

// grouped puts the first column of a table above the rows that share it.
func grouped(lines []string, all, shown [][]string) []string {
	const head, margin = 2, "  "
	out := []string{margin + lines[0], strings.Repeat(string([]rune(lines[1])[:1]), len(margin)) + lines[1]}
	at := head
	for i, row := range shown {
		if i == 0 || all[i][0] != all[i-1][0] {
			out = append(out, all[i][0])
		}
		height := 1
		for _, cell := range row {
			height = max(height, 1+strings.Count(cell, "\n"))
		}
		out = append(out, lists.Map(lines[at:at+height], func(line string) string { return margin + line })...)
		at += height
	}
	return append(out, out[1])
}

// draw draws head and rows as they are, aligned as t.Align says.
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

const leastGap = 1 // between columns

// parts returns the table, or tables with its key and some of its other columns. Each has as many
// as fit.
func (t *Table) parts(width int) []*Table {
	if t.Key == 0 || t.Width() <= width {
		return []*Table{t}
	}
	var out []*Table
	for rest := t.Key; rest < len(t.Head); {
		var columns []int
		used := 0
		for c := range t.Key {
			columns = append(columns, c)
			used += t.columnWidth(c) + leastGap
		}
		for first := rest; rest < len(t.Head) && (rest == first || used+t.columnWidth(rest)+leastGap <= width); rest++ {
			columns = append(columns, rest)
			used += t.columnWidth(rest) + leastGap
		}
		part := *t
		part.Head, part.Rows, part.Align = pick(t.Head, columns), nil, t.aligns(columns)
		part.Rows = lists.Map(t.Rows, func(row []string) []string { return pick(row, columns) })
		out = append(out, &part)
	}
	return out
}

func pick(cells []string, columns []int) []string {
	return lists.Map(columns, func(c int) string { return cells[c] })
}

func (t *Table) aligns(columns []int) string {
	out := ""
	for _, c := range columns {
		out += t.Align[c : c+1]
	}
	return out
}

type fitting struct {
	*Table
	columns []int       // in order
	broken  map[int]int // columns whose cells are broken, and their widths
}

func (f *fitting) cell(text string, column int) string {
	if most := f.broken[column]; most > 0 && cellWidth(text) > most {
		return strings.Join(Wrap(text, most, ""), "\n")
	}
	return text
}

// fitted narrows the gaps of a table that is too wide. Then it leaves out spare columns, and then
// it breaks the cells of the column Yields, if there is one, and of the flexible one: words only
// there, and only if nothing else helps.
func (t *Table) fitted(width int) (*fitting, int) {
	f := &fitting{Table: t, broken: map[int]int{}}
	if t.Grouped {
		width -= 2
	}
	for c := range t.Head {
		if c > 0 || !t.Grouped {
			f.columns = append(f.columns, c)
		}
	}
	gap := 2
	if t.Narrow || f.total(gap) > width {
		gap = leastGap
	}
	over := func() int { return f.total(gap) - width }
	first := 0
	for _, c := range t.Yields {
		first += t.slack(c)
	}
	breaks := t.slack(t.Flex)
	if t.Whole {
		breaks = 0
	}
	for _, c := range t.Spare {
		if over() <= first+breaks {
			break
		}
		f.columns = slices.DeleteFunc(f.columns, func(column int) bool { return column == c })
	}
	n := over()
	for _, c := range t.Yields {
		if by := min(t.slack(c), n); by > 0 {
			f.broken[c] = t.columnWidth(c) - by
			n -= by
		}
	}
	if n > 0 {
		f.broken[t.Flex] = max(t.columnWidth(t.Flex)-n, 1)
	}
	return f, gap
}

// slack is by how much a column can be narrowed between words.
func (t *Table) slack(column int) int { return t.columnWidth(column) - t.wordWidth(column) }

func (f *fitting) total(gap int) int {
	total := 0
	for _, c := range f.columns {
		total += f.columnWidth(c) + gap
	}
	return total
}

// Width returns the least width of the table, in columns of a page.
func (t *Table) Width() int {
	total := 0
	for c := range t.Head {
		total += t.columnWidth(c) + leastGap
	}
	return total
}

func (t *Table) columnWidth(i int) int {
	return t.widest(i, func(cell string) string { return cell })
}

// wordWidth returns the width of a column whose cells are broken at every joint.
func (t *Table) wordWidth(i int) int {
	return t.widest(i, func(cell string) string {
		list := words(spaced.Replace(cell))
		if slices.Contains(t.Yields, i) {
			for at, word := range list {
				if end := strings.LastIndex(word, "_"); end > len(word)/2 { // as Wrap breaks it
					list[at] = word[:end+1] + "\n" + word[end+1:]
				}
			}
		}
		return strings.Join(list, "\n")
	})
}

func (t *Table) widest(column int, broken func(cell string) string) int {
	widest := cellWidth(t.Head[column])
	for _, row := range t.Rows {
		widest = max(widest, cellWidth(broken(row[column])))
	}
	return widest
}

// Tabled returns a section with a table and a note, if the table has rows.
func Tabled(t *Table, note, title string, args ...any) []Section {
	if len(t.Rows) == 0 {
		return nil
	}
	s := Titled(title, args...)
	s.Table = t
	if note != "" {
		s.Notes = []string{note}
	}
	return []Section{s}
}

// Listed returns a section with the first items of a list; more says how many others there are.
func Listed[T any](title string, list []T, most int, more string, item func(T) string) []Section {
	if len(list) == 0 {
		return nil
	}
	s := Titled("%s", title)
	shown, rest := phrase.First(list, most, more)
	for _, x := range shown {
		s.Item("%s", item(x))
	}
	if rest != "" {
		s.Item("%s", rest)
	}
	return []Section{s}
}
