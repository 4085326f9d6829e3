package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

// A figure in characters has this size.
const (
	textRows   = 12
	textLeft   = 10 // for the labels of the y axis
	textIndent = 3  // of all lines on a page
)

// marks tells the series of a figure in characters apart, by their looks.
var marks = []rune("●×+o#%")

// canvas holds the characters of a figure, with its axis and labels below the frame.
type canvas struct {
	Box
	cells [][]rune
}

// Lines paints the figure in characters, on a page of this width.
func (f *Figure) Lines(width int) []string {
	d, ok := f.Draw()
	if !ok {
		return nil
	}
	rows := textRows
	if f.Y.Scale == Named {
		rows = len(f.Y.Names)
	}
	c := canvas{Box: d.Frame, cells: make([][]rune, rows+2)}
	for i := range c.cells {
		c.cells[i] = []rune(strings.Repeat(" ", width-textIndent))
	}
	c.axes(d.Labels)
	var names []string
	for _, s := range d.Series {
		mark := marks[min(s.Look, len(marks)-1)]
		names = append(names, string(mark)+" "+s.Name)
		c.series(&s, mark)
	}
	lines := []string{f.Title, fmt.Sprintf("across: %s; up: %s", f.X.Title, f.Y.Title), strings.Join(names, "   ")}
	for i := range lines {
		lines[i] = phrase.Fit(lines[i], width-textIndent-len("..")) // in ASCII … is three characters
	}
	lines = append(lines, lists.Map(c.cells, func(row []rune) string { return strings.TrimRight(string(row), " ") })...)
	return lines
}

func (c *canvas) at(x, y float64) (row, column int) {
	last := len(c.cells) - 3 // of the frame
	row = int(math.Round((y - c.Top) / (c.Bottom - c.Top) * float64(last)))
	column = textLeft + int(math.Round((x-c.Left)/(c.Right-c.Left)*float64(len(c.cells[0])-1-textLeft)))
	return min(max(row, 0), last), min(max(column, textLeft), len(c.cells[0])-1)
}

func (c *canvas) axes(labels []Label) {
	rule, below := c.cells[len(c.cells)-2], c.cells[len(c.cells)-1]
	copy(rule[textLeft:], slices.Repeat([]rune{'─'}, len(rule)))
	for _, l := range labels {
		text := []rune(phrase.Fit(l.Text, textLeft-2))
		row, column := c.at(l.X, l.Y-letterSize/3)
		switch {
		case l.Role != "tick":
		case l.Anchor == "end":
			copy(c.cells[row][textLeft-2-len(text):], text)
		default:
			rule[column] = '┼'
			copy(below[min(column-len(text)/2, len(below)-len(text)):], text)
		}
	}
}

// series paints intervals first, and points over them.
func (c *canvas) series(s *Drawn, mark rune) {
	for i, p := range s.Points {
		c.line(p.X, p.Lo, p.X, p.Hi, '|')
		for _, y := range p.Each {
			c.line(p.X, y, p.X, y, '·')
		}
		if s.Form == Line && i > 0 {
			c.line(s.Points[i-1].X, s.Points[i-1].Y, p.X, p.Y, mark)
		}
	}
	for _, p := range s.Points {
		c.line(p.X, p.Y, p.X, p.Y, mark)
	}
}

// line joins two places, unless one is nowhere.
func (c *canvas) line(x, y, toX, toY float64, mark rune) {
	if nowhere(x + y + toX + toY) {
		return
	}
	row, column := c.at(x, y)
	toRow, toColumn := c.at(toX, toY)
	steps := max(toRow-row, row-toRow, toColumn-column, column-toColumn, 1)
	for i := range steps + 1 {
		share := float64(i) / float64(steps)
		r, k := c.at(x+share*(toX-x), y+share*(toY-y))
		c.cells[r][k] = mark
	}
}

var blocks = []rune(" ▁▂▃▄▅▆▇█")

// Bar draws the size of an autocorrelation, after a minus if it is negative.
func Bar(r float64) string {
	level := min(int(math.Round(math.Abs(r)*8)), 8)
	return cmp.Or(phrase.When(level > 0, "%s%c", phrase.When(r < 0, "-"), blocks[level]), "·")
}
