package analyze

import (
	"math"
	"math/rand/v2"
	"slices"
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
	return acrossBy(t, m, judge.Default(), ns)
}

func acrossBy(t *testing.T, m *results.Manifest, cfg judge.Config, ns func(c guidelines.Case, run int) int64) []Across {
	t.Helper()
	runs := fixture.Runs(m, func(plan, run int) []protocol.Sample { return fixture.Samples(ns(m.Plan.Cases[plan], run)) })
	return must.Get(Analyze(m, runs, cfg))(t).Report.Across
}

// Reduce is slow on four processes, and of one size it gives wrong data.
func TestACallThatIsWrongOnSomeProcessesIsComparedOnNone(t *testing.T) {
	for _, wrong := range []guidelines.Case{{Shape: p4, Msize: 8}, {Shape: p4, Msize: 64}, {Shape: p8, Msize: 8}, {Shape: p8, Msize: 64}} {
		m := onShapes(p4, p8)
		runs := fixture.Runs(m, func(plan, run int) []protocol.Sample {
			c, ns := m.Plan.Cases[plan], int64(10000+run)
			if c.Function == "MPI_Reduce" && c.Shape == p4 {
				ns *= 3
			}
			return fixture.Samples(ns)
		})
		is(runs, fixture.Case(m, "MPI_Reduce", wrong.Shape, wrong.Msize), protocol.StatusWrong)
		found := must.Get(Analyze(m, runs, judge.Default()))(t).Report.Across
		should.Hold(t, len(found) == 1 && found[0].Msize == 72-wrong.Msize, "%d B is wrong on %s: %+v", wrong.Msize, wrong.Shape, found)
	}
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
	should.Hold(t, *x.MedianS == *Seconds(3 * (14064 + 65)) && *x.MoreMedianS == *Seconds(18064 + 65), "medians of %g and %g s", *x.MedianS, *x.MoreMedianS)
	should.Hold(t, x.Function == "MPI_Reduce" && x.Msize == 64 && x.Shape == "p4" && x.More == "p8" && *x.Ratio > 2 && *x.RatioLo95 > 2 && *x.PAdjusted < .01, "%+v", x)
	should.Equal(t, len(acrossOf(t, onShapes(fixture.P2, p4, p8), slowAt(8, 64, 3))), 0, "slower on most processes")
	should.Equal(t, len(acrossOf(t, onShapes(fixture.P2), slowAt(2, 64, 3))), 0, "on two processes alone")
	both := acrossOf(t, onShapes(p4, p8), func(c guidelines.Case, run int) int64 {
		return 10000 + int64(run) + (c.Msize*1000+10000)*max(0, int64(6-c.Shape.NP))
	})
	should.Hold(t, len(both) == 2 && both[0].Msize == 64 && both[1].Msize == 8, "the slowest comes first: %+v", both)
	paper := judge.Default()
	paper.Method = judge.MethodPaper
	should.Equal(t, len(acrossBy(t, onShapes(p4, p8), paper, slowAt(4, 64, 3))), 0, "method paper asks for no slowdown")
	paper = judge.Default()
	paper.Test = judge.TestCappedRank
	should.Equal(t, len(acrossBy(t, onShapes(p4, p8), paper, slowAt(4, 64, 3))), 1, "whatever test compares the sides of a guideline")
	imported := onShapes(fixture.P2, p4, p8)
	imported.Imported = &results.ImportedFrom{}
	should.Equal(t, len(acrossOf(t, imported, slowAt(4, 64, 3))), 0, "of another program, which may have averages")
}

func TestACheckThatEndedBeforeItsFirstLookComparesWhatItHas(t *testing.T) {
	m := onShapes(p4, p8)
	m.Looks, m.LookWeights, m.Stopped = []int{10, 12}, []float64{.5, .5}, map[protocol.Mode]int{protocol.ModeMeasure: 9}
	runs := fixture.Runs(m, func(plan, run int) []protocol.Sample {
		return fixture.Samples(int64(10000+run) * int64(12-m.Plan.Cases[plan].Shape.NP))
	})
	runs = slices.DeleteFunc(runs, func(r results.Run) bool { return r.Run > 9 })
	found := must.Get(Analyze(m, runs, judge.Default()))(t).Report.Across
	should.Equal(t, len(found), 2, "%+v", found)
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
