package remedy

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

func TestViolatedCellsAreFirmOnesFirstThenByRatio(t *testing.T) {
	violated := func(guideline, function string, ratio float64, change func(*analyze.Verdict)) analyze.Verdict {
		v := analyze.Verdict{Guideline: guideline, Function: function, Msize: 8, Shape: "p4", NP: 4, Verdict: judge.Violated}
		v.Ratio = analyze.Number(ratio)
		if change != nil {
			change(&v)
		}
		return v
	}
	by := func(mockup string) func(*analyze.Verdict) { return func(v *analyze.Verdict) { v.Mockup = mockup } }
	r := &analyze.Report{Verdicts: []analyze.Verdict{
		violated("GL1", "MPI_Bcast", 2, nil),
		violated("GL2", "MPI_Scan", 3, by("slow")),
		violated("GL3", "MPI_Scan", 4, func(v *analyze.Verdict) { v.Mockup, v.Firm = "fast", true }),
		violated("GL4", "MPI_Scan", 4, by("as fast")),
		violated("GL5", "MPI_Scan", 3, func(v *analyze.Verdict) { v.Type, v.MsizeOther = guidelines.Split, 2 }),
		violated("GL6", "MPI_Scan", 9, func(v *analyze.Verdict) { v.Ratio = nil }),
		violated("GL7", "MPI_Gather", 5, nil),
		violated("GL8", "MPI_Reduce", 9, func(v *analyze.Verdict) { v.Verdict = judge.Kept }),
		violated("GL9", "MPI_Exscan", 9, func(v *analyze.Verdict) { v.Ratio, v.Mockup = nil, "untimed" }),
	}}
	var got []string
	for _, c := range violatedCells(r) {
		got = append(got, fmt.Sprintf("%s %s firm %v %v×, of %d, %v× %s", c.Function, strings.Join(c.Guidelines, "+"), c.Firm, orZero(c.Ratio), c.SplitOf, c.MockupRatio, c.Mockup))
	}
	should.Equal(t, got, []string{
		"MPI_Scan GL2+GL3+GL4+GL5+GL6 firm true 4×, of 2, 4× as fast", "MPI_Gather GL7 firm false 5×, of 0, 0× ",
		"MPI_Bcast GL1 firm false 2×, of 0, 0× ", "MPI_Exscan GL9 firm false 0×, of 0, 0× untimed"})
}

func TestMallocIsChosenForLargeCellsAndThoseThatFault(t *testing.T) {
	faults := func(x float64) *float64 { return &x }
	cell := func(msize int64, np int, f *float64) Cell {
		return Cell{Cell: medians.Cell{Msize: msize}, NP: np, PageFaults: f}
	}
	for name, c := range map[string]struct {
		cells []Cell
		sizes []int64
		np    int
	}{
		"none":                     {nil, nil, 0},
		"from its size on":         {[]Cell{cell(tuning.MallocFrom, 4, nil)}, []int64{tuning.MallocFrom}, 4},
		"below":                    {[]Cell{cell(tuning.MallocFrom-1, 4, nil)}, nil, 0},
		"a small one that faults":  {[]Cell{cell(8, 4, faults(.5))}, []int64{8}, 4},
		"less often":               {[]Cell{cell(8, 4, faults(.49))}, nil, 0},
		"ascending, of the first":  {[]Cell{cell(2*tuning.MallocFrom, 4, nil), cell(tuning.MallocFrom, 2, nil)}, []int64{tuning.MallocFrom, 2 * tuning.MallocFrom}, 4},
		"twice the same is one":    {[]Cell{cell(tuning.MallocFrom, 4, nil), cell(tuning.MallocFrom, 4, nil)}, []int64{tuning.MallocFrom}, 4},
		"a large one that faults ": {[]Cell{cell(tuning.MallocFrom, 4, faults(0))}, []int64{tuning.MallocFrom}, 4},
	} {
		got, ok := environmentChoice(c.cells, []int64{8})
		should.Equal(t, got.Sizes, c.sizes, name)
		should.Hold(t, ok == (len(c.sizes) > 0) && got.NP == c.np && got.Kind == tuning.ByEnv, "%s: %v, %+v", name, ok, got)
	}
}

func TestSizesAreOfAFunctionAndANumberOfProcesses(t *testing.T) {
	k := func(function string, msize int64, np int) guidelines.Case {
		return guidelines.Case{Function: function, Msize: msize, Shape: guidelines.Shape{NP: np}}
	}
	p := &guidelines.Plan{Cases: []guidelines.Case{k("MPI_Scan", 64, 4), k("MPI_Scan", 8, 4), k("MPI_Scan", 16, 2), k("MPI_Bcast", 32, 4), k("MPI_Scan", 8, 1), k("MPI_Bcast", 8, 2)}}
	for _, c := range []struct {
		function string
		np       int
		want     []int64
	}{{"", 0, []int64{8, 16, 32, 64}}, {"MPI_Scan", 0, []int64{8, 16, 64}}, {"MPI_Scan", 4, []int64{8, 64}}, {"", 2, []int64{8, 16}}, {"MPI_Scan", 1, []int64{8}}} {
		should.Equal(t, reach.Sizes(p, c.function, c.np), c.want, "%q on %d", c.function, c.np)
	}
}

func TestAnAlgorithmIsChosenForEachCellThatHasAFasterOne(t *testing.T) {
	cell := func(function string, msize int64, shape string) medians.Cell {
		return medians.Cell{Function: function, Msize: msize, Shape: shape}
	}
	found := func(c medians.Cell, np int, word explore.Advice) explore.Cell {
		return explore.Cell{Cell: c, NP: np, Word: word, Own: &explore.Candidate{Function: c.Function + "@linear"}}
	}
	all := []medians.Cell{cell("MPI_Bcast", 8, "p4"), cell("MPI_Bcast", 8, "2x2"), cell("MPI_Bcast", 8, "p2"), cell("MPI_Bcast", 16, "p4"), cell("MPI_Scan", 8, "p4"), cell("MPI_Gather", 8, "p4")}
	var cells []Cell
	e := &explore.Exploration{}
	for i, c := range all {
		np, word := 4, explore.OwnAlgorithm
		if i == 2 {
			np = 2
		}
		if i == 5 {
			word = explore.NothingSeen
		}
		cells = append(cells, Cell{Cell: c})
		e.Cells = append(e.Cells, found(c, np, word))
	}
	e.Cells = append(e.Cells, found(cell("MPI_Reduce", 8, "p4"), 4, explore.OwnAlgorithm)) // not violated
	list := []protocol.Algorithms{
		{Collective: "MPI_Scan", Names: []protocol.Algorithm{{Name: "linear", Value: 7}}},
		{Collective: "MPI_Bcast", Names: []protocol.Algorithm{{Name: "chain", Value: 1}, {Name: "linear", Value: 2}}},
	}
	var got []string
	for _, c := range algorithmChoices(e, cells, &guidelines.Plan{}, list, true) {
		got = append(got, fmt.Sprint(c.Function, c.Sizes, c.NP, c.Algorithm, c.Value))
	}
	should.Equal(t, got, []string{"MPI_Bcast[8] 4linear2", "MPI_Bcast[8] 2linear2", "MPI_Bcast[16] 4linear2", "MPI_Scan[8] 4linear7"})
	should.Hold(t, cells[0].Explored == string(explore.OwnAlgorithm) && cells[5].Explored == string(explore.NothingSeen), "%+v", cells)
	should.Equal(t, valueOf(list, "MPI_Bcast", "unknown"), 0)
}

func TestChoicesOfOneAlgorithmAreJoined(t *testing.T) {
	of := func(change func(*tuning.Choice), sizes ...int64) tuning.Choice {
		c := tuning.Choice{Kind: tuning.OwnAlgorithm, Function: "MPI_Bcast", NP: 4, Algorithm: "linear", Sizes: sizes}
		if change != nil {
			change(&c)
		}
		return c
	}
	for name, c := range map[string]struct {
		change func(*tuning.Choice)
		want   string
	}{
		"the same":                 {nil, "[8 16 64]"},
		"another collective":       {func(c *tuning.Choice) { c.Function = "MPI_Scan" }, "[16 64] [8 16]"},
		"other processes":          {func(c *tuning.Choice) { c.NP = 2 }, "[16 64] [8 16]"},
		"another algorithm":        {func(c *tuning.Choice) { c.Algorithm = "chain" }, "[16 64] [8 16]"},
		"another kind":             {func(c *tuning.Choice) { c.Kind = tuning.ByEnv }, "[16 64] [8 16]"},
		"of no collective by both": {func(c *tuning.Choice) { c.Kind, c.Function = tuning.ByEnv, "" }, "[16 64] [8 16]"},
	} {
		var got []string
		for _, j := range reach.Joined([]tuning.Choice{of(nil, 16, 64), of(c.change, 8, 16)}) {
			got = append(got, fmt.Sprint(j.Sizes))
		}
		should.Equal(t, strings.Join(got, " "), c.want, name)
	}
	env := of(func(c *tuning.Choice) { c.Kind = tuning.ByEnv }, 8)
	should.Equal(t, len(reach.Joined([]tuning.Choice{env, env})), 2, "settings of the whole library are not joined")
	third := reach.Joined([]tuning.Choice{of(func(c *tuning.Choice) { c.NP = 2 }, 8), of(nil, 8), of(nil, 16)})
	should.Hold(t, len(third) == 2 && len(third[1].Sizes) == 2, "%+v", third)
}
