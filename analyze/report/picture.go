package report

import (
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

var blocks = []rune(" ▁▂▃▄▅▆▇█")

// axis maps times in ns to the cells of a line; logarithmic if they span more than a factor of four.
type axis struct {
	lo, hi      float64
	logarithmic bool
	cells       int // columns
}

func newAxis(times []float64, cells int) axis {
	a := axis{lo: slices.Min(times), hi: slices.Max(times), cells: cells}
	a.logarithmic = a.hi > 4*a.lo
	if a.hi == a.lo {
		a.lo, a.hi = 0.99*a.lo, 1.01*a.hi
	}
	return a
}

// cell is where a time lies, from 0 to a.cells−1.
func (a axis) cell(t float64) int {
	share := (t - a.lo) / (a.hi - a.lo)
	if a.logarithmic {
		share = math.Log(t/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(max(int(share*float64(a.cells)), 0), a.cells-1)
}

// at is the time at a share of the axis.
func (a axis) at(share float64) float64 {
	if a.logarithmic {
		return a.lo * math.Pow(a.hi/a.lo, share)
	}
	return a.lo + share*(a.hi-a.lo)
}

// histogram draws how many of the times are in each cell, `rows` lines high; a cell with any time always shows.
func (a axis) histogram(times []float64, rows int) []string {
	counts := make([]int, a.cells)
	for _, t := range times {
		counts[a.cell(t)]++
	}
	most := slices.Max(counts)
	lines := make([]string, rows)
	for r := range lines {
		line := make([]rune, a.cells)
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

// ruler draws the axis and five times below it.
func (a axis) ruler() (line, labels string) {
	const steps = 4
	rule := []rune(strings.Repeat("─", a.cells))
	text := []rune(strings.Repeat(" ", a.cells))
	for i := range steps + 1 {
		share := float64(i) / steps
		pos := min(int(share*float64(a.cells)), a.cells-1)
		rule[pos] = '┼'
		label := []rune(phrase.Nanoseconds(a.at(share)))
		copy(text[min(max(pos-len(label)/2, 0), a.cells-len(label)):], label)
	}
	return string(rule), strings.TrimRight(string(text), " ")
}

// pictures draws the run medians and the samples of both sides on one axis.
// For split the other side is all k calls together.
func pictures(e *analyze.Explanation) []document.Section {
	if e.Other == nil {
		return nil
	}
	medians, samples := [2][]float64{}, [2][]float64{}
	for i, s := range []*analyze.SideSamples{&e.Call, e.Other} {
		for _, r := range s.Runs {
			for _, t := range r.Kept {
				samples[i] = append(samples[i], t*float64(s.Calls))
			}
			if !math.IsNaN(r.RunMedian) {
				medians[i] = append(medians[i], r.RunMedian*float64(s.Calls))
			}
		}
	}
	if len(medians[0]) == 0 || len(medians[1]) == 0 {
		return nil
	}
	// Lines are indented by 3, and labels want room at the end.
	axisOf := func(width int) axis {
		return newAxis(slices.Concat(medians[0], medians[1], samples[0], samples[1]), width-8)
	}
	names := [2]string{sideName(&e.Call), sideName(e.Other)}
	of := document.Titled("Run medians, one per mpirun; the test compares these%s", phrase.When(axisOf(document.UsualWidth).logarithmic, " (logarithmic axis)"))
	all := document.Titled("All samples after the outlier filter, %d and %d; the same axis, each side to its own height", len(samples[0]), len(samples[1]))
	draw(&of, axisOf, names, medians, 1)
	draw(&all, axisOf, names, samples, 3)
	return []document.Section{of, all}
}

func draw(s *document.Section, axisOf func(width int) axis, names [2]string, times [2][]float64, rows int) {
	s.Say("%s", names[0])
	s.Drawing(func(width int) []string { return axisOf(width).histogram(times[0], rows) })
	s.Say("%s", names[1])
	s.Drawing(func(width int) []string {
		a := axisOf(width)
		rule, labels := a.ruler()
		return append(a.histogram(times[1], rows), rule, labels)
	})
}

// bar draws the size of an autocorrelation, after a minus if it is negative.
func bar(r float64) string {
	level := min(int(math.Round(math.Abs(r)*8)), 8)
	if level == 0 {
		return "·"
	}
	return phrase.When(r < 0, "-") + string(blocks[level])
}
