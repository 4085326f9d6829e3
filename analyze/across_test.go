package analyze

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

var p4, p8 = guidelines.Shape{NP: 4}, guidelines.Shape{NP: 8}

// onShapes plans twelve mpiruns of MPI_Reduce at 8 and 64 B, with its mock-up, on these shapes.
func onShapes(shapes ...guidelines.Shape) *results.Manifest {
	return fixture.Planned(fixture.R, shapes, []int64{8, 64}, fixture.GL8)
}

// acrossOf judges mpiruns in which a case takes these nanoseconds.
func acrossOf(t *testing.T, m *results.Manifest, ns func(c guidelines.Case, run int) int64) []Across {
	t.Helper()
	runs := fixture.Runs(m, func(plan, run int) []protocol.Sample { return fixture.Samples(ns(m.Plan.Cases[plan], run)) })
	return must.Get(Analyze(m, runs, judge.Default()))(t).Report.Across
}

func TestACallThatIsSlowerOnFewerProcessesIsNamed(t *testing.T) {
	slowAt := func(np int, msize, by int64) func(guidelines.Case, int) int64 {
		return func(c guidelines.Case, run int) int64 {
			ns := 10000 + 1000*int64(c.Shape.NP) + c.Msize + 10*int64(run)
			if c.Function == "MPI_Reduce" && c.Shape.NP == np && c.Msize == msize {
				ns *= by
			}
			return ns
		}
	}
	found := acrossOf(t, onShapes(fixture.P2, p4, p8), slowAt(4, 64, 3))
	must.Hold(t, len(found) == 1, "%+v", found)
	x := found[0]
	should.Hold(t, x.Function == "MPI_Reduce" && x.Msize == 64 && x.Shape == "p4" && x.More == "p8" && *x.Ratio > 2 && *x.RatioLo95 > 2 && *x.PAdjusted < .01, "%+v", x)
	should.Equal(t, len(acrossOf(t, onShapes(fixture.P2, p4, p8), slowAt(8, 64, 3))), 0, "slower on most processes")
	should.Equal(t, len(acrossOf(t, onShapes(fixture.P2), slowAt(2, 64, 3))), 0, "on two processes alone")
	imported := onShapes(fixture.P2, p4, p8)
	imported.Imported = &results.ImportedFrom{}
	should.Equal(t, len(acrossOf(t, imported, slowAt(4, 64, 3))), 0, "of another program, which may have averages")
}

// Of 60 checks of calls that take as long on four processes as on two, at most 5 % name any: 8 are three standard
// deviations above.
func TestEqualCallsAreSeldomSlowerOnFewerProcesses(t *testing.T) {
	rng, wrong := rand.New(rand.NewPCG(1, 2)), 0
	for range 60 {
		if len(acrossOf(t, onShapes(fixture.P2, p4), func(guidelines.Case, int) int64 { return int64(1e6 * math.Exp(.1*rng.NormFloat64())) })) > 0 {
			wrong++
		}
	}
	should.Hold(t, wrong <= 8, "%d of 60 checks", wrong)
}
