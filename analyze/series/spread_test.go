package series

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestASpreadIsOfTwoFoldersAndMore(t *testing.T) {
	of := func(name, cpu string) *analyze.Side {
		return side(t, name, fixture.Quiet, func(m *results.Manifest, _ []results.Run) { m.Factors.CPU = cpu })
	}
	s := must.Get(NewSpread([]*analyze.Side{of("a", "x"), of("b", "y")}, false))(t)
	should.Hold(t, len(s.Folders) == 2 && s.Folders[1].Folder == "b" && s.Cases[0].MedianS == s.Cases[0].Normalised[0]*s.Cases[0].MedianS, "%+v", s)
	should.Equal(t, s.Cases[0].MedianS, 10006.5/1e9, "of twelve mpiruns, each a nanosecond longer")
	s = must.Get(NewSpread([]*analyze.Side{of("a", "x"), of("b", "y"), of("c", "z")}, false))(t)
	must.Hold(t, len(s.Warnings) == 1, "a factor that differs is named once: %+v", s.Warnings)
	should.Contain(t, s.Warnings[0].Text, "cpu is x in folder 1 and y in folder 2: ")
	small := func(name string, sizes ...int64) *analyze.Side {
		m := fixture.Planned(fixture.R, []guidelines.Shape{fixture.P2}, sizes, fixture.GL8)
		return must.Get(analyze.Analyze(m, fixture.Measured(m, fixture.Quiet...), judge.Default()))(t).Side(name)
	}
	s = must.Get(NewSpread([]*analyze.Side{small("a", 8, 64), small("b", 8)}, false))(t)
	should.Hold(t, len(s.Cases) == 1 && s.left == 1 && len(s.Warnings) == 1, "one case in common: %+v", s)
	_, err := NewSpread([]*analyze.Side{small("a", 8), small("b", 64)}, false)
	should.Fail(t, err, "in common")
}

func TestAFunctionsSpreadIsItsWorstAndItsMedian(t *testing.T) {
	k := func(function, shape string, msize int64, worst, cv float64) CaseSpread {
		return CaseSpread{Cell: medians.Cell{Function: function, Shape: shape, Msize: msize}, MaxOverMin: worst, CV: cv}
	}
	s := &Spread{Cases: []CaseSpread{k("x", "p2", 8, 1.2, .1), k("y", "p2", 8, 2, .5), k("x", "p2", 16, 1.3, .3), k("x", "p2", 32, 1.3, .2), k("x", "p4", 8, 3, .6)}}
	s.sumUp()
	for i, want := range []FunctionSpread{{"x", "p2", 3, 1.3, 16, .2, nil}, {"y", "p2", 1, 2, 8, .5, nil}, {"x", "p4", 1, 3, 8, .6, nil}} {
		s.Functions[i].cvs = nil
		should.Equal(t, s.Functions[i], want)
	}
	should.Equal(t, len(s.Functions), 3)
}
