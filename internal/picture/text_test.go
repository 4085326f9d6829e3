package picture

import (
	"math"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestAFigureIsPaintedInCharacters(t *testing.T) {
	f := Figure{Title: "two sides", X: Axis{Title: "run-time"}, Y: Axis{Title: "side", Scale: Named, Names: []string{"instead", "call"}},
		Series: []Series{{Name: "A", Role: Call, Form: Dots, Points: []Point{Bare(1, 1), Bare(3, 1), Bare(math.NaN(), 1)}},
			{Name: "B", Role: Instead, Form: Dots, Points: []Point{Bare(2, 0)}}}}
	lines := f.Lines(43)
	should.Equal(t, lines[:3], []string{"two sides", "across: run-time; up: side", "● A   × B"}, "head")
	should.Equal(t, lines[3:5], []string{"    call   ●" + strings.Repeat(" ", 26) + "●", " instead" + strings.Repeat(" ", 17) + "×"}, "sides")
	should.Hold(t, len(lines) == 7 && strings.Count(lines[5], "┼") >= 2 && strings.Contains(lines[6], "2"), "%q", lines)
}

func TestIntervalsAndLinesInCharactersHaveNoGaps(t *testing.T) {
	f := Figure{Series: []Series{{Points: []Point{{X: 0, Y: 0, Lo: 0, Hi: 10}, Bare(10, 10)}}}}
	lines := f.Lines(80)
	for i, line := range lines[3 : 3+textRows] {
		should.Hold(t, strings.ContainsAny(line, "|●"), "row %d: %q", i, line)
	}
	should.Hold(t, strings.Count(strings.Join(lines, ""), "●") > 40, "%q", lines)
}

func TestAnEmptyFigureHasNoCharacters(t *testing.T) {
	should.Equal(t, (&Figure{}).Lines(80), nil, "lines")
}
