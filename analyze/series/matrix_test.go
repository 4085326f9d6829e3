package series

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/testkit/should"
)

// Two folders, the first with two shapes: a column for each; a row for each guideline about a function, patterns first.
func TestAMatrixHasARowForEachGuidelineAndAColumnForEachShape(t *testing.T) {
	test := func(id string, kind guidelines.Type, function, mockup string, msize, other int64, shape string, verdict judge.Verdict, ratio *float64) analyze.Verdict {
		return analyze.Verdict{Guideline: id, Type: kind, Function: function, Mockup: mockup, Msize: msize, MsizeOther: other, Shape: shape,
			Verdict: verdict, Tested: analyze.Tested{Effect: analyze.Effect{Ratio: ratio}}}
	}
	x := analyze.Number
	const pattern, monotony, split = guidelines.Pattern, guidelines.Monotony, guidelines.Split
	a := &analyze.Side{Name: "a", Report: &analyze.Report{Version: "1", R: 10, Shapes: []analyze.Shape{{Name: "p2"}, {Name: "p4"}, {Name: "p8"}}, Verdicts: []analyze.Verdict{
		test("GL2", split, "MPI_Bcast", "", 64, 8, "p2", judge.Suspected, x(2)),
		test("GL1", monotony, "MPI_Bcast", "", 8, 128, "p2", judge.Violated, x(3)),
		test("GL8", pattern, "MPI_Reduce", "m", 64, 64, "p2", judge.Violated, x(1.5)),
		test("GL8", pattern, "MPI_Reduce", "m", 16, 16, "p2", judge.Violated, x(2.5)),
		test("GL8", pattern, "MPI_Reduce", "m", 16, 16, "p2", judge.SeenOnce, x(2)),
		test("GL8", pattern, "MPI_Reduce", "m", 32, 32, "p2", judge.Violated, nil),
		test("GL8", pattern, "MPI_Reduce", "m", 8, 8, "p2", judge.Kept, x(9)),
		test("GL8", pattern, "MPI_Reduce", "other", 8, 8, "p4", judge.Kept, x(1)),
		test("GL8", pattern, "MPI_Scan", "m", 8, 8, "p4", judge.Kept, x(1)),
		test("GL9", pattern, "MPI_Scan", "m", 8, 8, "p16", judge.Violated, x(1)), // of a shape that is not in the folder
	}}}
	b := &analyze.Side{Name: "b", Report: &analyze.Report{Version: "2", R: 12, Shapes: []analyze.Shape{{Name: "p2"}}, Verdicts: []analyze.Verdict{
		test("GL8", pattern, "MPI_Reduce", "m", 8, 8, "p2", judge.Violated, x(4)),
		test("GL8", monotony, "MPI_Reduce", "m", 8, 16, "p2", judge.Kept, x(1)), // of the same name and of another type
	}}}
	m := NewMatrix([]*analyze.Side{a, b})
	var columns, rows []string
	for _, c := range m.Columns {
		columns = append(columns, fmt.Sprintf("%s %s %d: %d..%d", c.Folder, c.Shape, c.R, c.LeastMsize, c.LargestMsize))
	}
	should.Equal(t, strings.Join(columns, "; "), "a p2 10: 8..128; a p4 10: 8..8; a p8 10: 0..0; b p2 12: 8..16")
	for _, r := range m.Rows {
		row := fmt.Sprintf("%s %s %s %s:", r.Guideline, r.Type, r.Function, r.Mockup)
		for _, c := range r.Cells {
			if c == nil {
				row += " -"
				continue
			}
			row += fmt.Sprintf(" %d %v %v", c.Planned(), c.Violated, analyze.Or(c.Ratio, 0))
		}
		rows = append(rows, row)
	}
	should.Equal(t, rows, []string{
		"GL8 pattern MPI_Reduce m: 5 [16 32 64] 2.5 - - 1 [8] 4",
		"GL8 pattern MPI_Reduce other: - 1 [] 0 - -",
		"GL8 pattern MPI_Scan m: - 1 [] 0 - -",
		"GL1 monotony MPI_Bcast : 1 [8] 3 - - -",
		"GL8 monotony MPI_Reduce m: - - - 1 [] 0",
		"GL2 split MPI_Bcast : 1 [] 0 - - -",
	})
	should.Equal(t, m.Version, "2")
}

func TestAMatrixTellsGuidelinesApartAndShowsWhatWasSeenOnce(t *testing.T) {
	v := asked(judge.SeenOnce, 2)
	one := &analyze.Side{Name: "a", Report: &analyze.Report{Shapes: []analyze.Shape{{Name: "p2"}}, Verdicts: []analyze.Verdict{v}}}
	m := NewMatrix([]*analyze.Side{one})
	c := m.Rows[0].Cells[0]
	should.Hold(t, m.Columns[0].LeastMsize == 8 && len(c.Violated) == 1 && *c.Ratio == 2, "%+v, %+v", m.Columns[0], c)
	other := v
	other.Guideline = "GL9"
	one.Report.Verdicts = append(one.Report.Verdicts, other)
	should.Equal(t, len(NewMatrix([]*analyze.Side{one}).Rows), 2)
}

func TestPointsThatNoCheckWritesAreRefused(t *testing.T) {
	x := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		change func(*Point)
		ok     bool
	}{
		"as it is":             {func(*Point) {}, true},
		"a ratio of 0":         {func(p *Point) { p.Ratio = x(0) }, false},
		"a small ratio":        {func(p *Point) { p.Ratio = x(.1) }, true},
		"the largest":          {func(p *Point) { p.RatioHi95 = x(1e9) }, true},
		"beyond":               {func(p *Point) { p.MedianS = x(1e9 + .5) }, false},
		"a size of nothing":    {func(p *Point) { p.Msize = 0 }, true},
		"a size below":         {func(p *Point) { p.Msize = -1 }, false},
		"an interval":          {func(p *Point) { p.RatioLo95, p.RatioHi95 = x(1), x(1) }, true},
		"its ends exchanged":   {func(p *Point) { p.RatioLo95, p.RatioHi95 = x(2), x(1) }, false},
		"one end of it":        {func(p *Point) { p.RatioLo95 = x(2) }, true},
		"the other end":        {func(p *Point) { p.RatioHi95 = x(2) }, true},
		"as many states":       {func(p *Point) { p.ByState = make(analyze.InStates, mostListed) }, true},
		"one state too many":   {func(p *Point) { p.ByState = make(analyze.InStates, mostListed+1) }, false},
		"a time that is large": {func(p *Point) { p.OtherMedianS = x(1e10) }, false},
	} {
		p := Point{Asked: Asked{Msize: 8}, Answer: Answer{Verdict: judge.Kept}}
		c.change(&p)
		should.Equal(t, p.validate() == nil, c.ok, "%s: %v", name, p.validate())
	}
}
