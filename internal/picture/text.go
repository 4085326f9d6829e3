package picture

import (
	"math"
	"slices"
	"strings"

	"pgmpi/internal/phrase"
)

var blocks = []rune(" ▁▂▃▄▅▆▇█")

// axis maps times in ns to the cells of a line; logarithmic if they span more than a factor of four.
type TextAxis struct {
	lo, hi      float64
	Logarithmic bool
	Cells       int // columns
}

func NewTextAxis(times []float64, cells int) TextAxis {
	a := TextAxis{lo: slices.Min(times), hi: slices.Max(times), Cells: cells}
	a.Logarithmic = a.hi > 4*a.lo
	if a.hi == a.lo {
		a.lo, a.hi = 0.99*a.lo, 1.01*a.hi
	}
	return a
}

// Cell is where a time lies, from 0 to a.cells−1.
func (a TextAxis) Cell(t float64) int {
	share := (t - a.lo) / (a.hi - a.lo)
	if a.Logarithmic {
		share = math.Log(t/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(max(int(share*float64(a.Cells)), 0), a.Cells-1)
}

func (a TextAxis) At(share float64) float64 {
	if a.Logarithmic {
		return a.lo * math.Pow(a.hi/a.lo, share)
	}
	return a.lo + share*(a.hi-a.lo)
}

// Histogram draws how many of the times are in each cell, `rows` lines high; a cell with any time always shows.
func (a TextAxis) Histogram(times []float64, rows int) []string {
	counts := make([]int, a.Cells)
	for _, t := range times {
		counts[a.Cell(t)]++
	}
	most := slices.Max(counts)
	lines := make([]string, rows)
	for r := range lines {
		line := make([]rune, a.Cells)
		for i, n := range counts {
			level := 0
			if n > 0 {
				level = max(1, n*8*rows/most)
			}
			line[i] = blocks[min(max(level-8*(rows-1-r), 0), 8)]
		}
		lines[r] = strings.TrimRight(string(line), " ")
	}
	return lines
}

// Ruler draws the axis and five times below it.
func (a TextAxis) Ruler() (line, labels string) {
	const steps = 4
	rule := []rune(strings.Repeat("─", a.Cells))
	text := []rune(strings.Repeat(" ", a.Cells))
	for i := range steps + 1 {
		share := float64(i) / steps
		pos := min(int(share*float64(a.Cells)), a.Cells-1)
		rule[pos] = '┼'
		label := []rune(phrase.Nanoseconds(a.At(share)))
		copy(text[min(max(pos-len(label)/2, 0), a.Cells-len(label)):], label)
	}
	return string(rule), strings.TrimRight(string(text), " ")
}

// Bar draws the size of an autocorrelation, after a minus if it is negative.
func Bar(r float64) string {
	level := min(int(math.Round(math.Abs(r)*8)), 8)
	if level == 0 {
		return "·"
	}
	return phrase.When(r < 0, "-") + string(blocks[level])
}

// Box draws Tukey's box plot of ascending times: the median in a box of the quartiles, lines to the
// last times within 1.5 of its lengths, and points beyond.
func (a TextAxis) Box(ascending []float64) string {
	n := len(ascending)
	at := func(share float64) float64 { return ascending[int(share*float64(n-1)+.5)] }
	q1, q3 := at(.25), at(.75)
	line := []rune(strings.Repeat(" ", a.Cells))
	lo, hi := q1, q3
	for _, t := range ascending {
		if t < q1-1.5*(q3-q1) || t > q3+1.5*(q3-q1) {
			line[a.Cell(t)] = '·'
		} else {
			lo, hi = min(lo, t), max(hi, t)
		}
	}
	fill := func(from, to float64, r rune) {
		for i := a.Cell(from); i <= a.Cell(to); i++ {
			line[i] = r
		}
	}
	fill(lo, hi, '─')
	fill(q1, q3, '▄')
	line[a.Cell(at(.5))] = '█'
	return strings.TrimRight(string(line), " ")
}

// Ecdf draws what share of ascending times is not longer than each cell.
func (a TextAxis) Ecdf(ascending []float64, rows int) []string {
	counts := make([]int, a.Cells)
	for _, t := range ascending {
		counts[a.Cell(t)]++
	}
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	lines := make([]string, rows)
	for r := range lines {
		line := make([]rune, a.Cells)
		for i, n := range counts {
			line[i] = blocks[min(max(n*8*rows/len(ascending)-8*(rows-1-r), 0), 8)]
		}
		lines[r] = strings.TrimRight(string(line), " ")
	}
	return lines
}
