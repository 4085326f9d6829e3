package table

import (
	"math"
	"slices"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// sideOf is a folder whose cases take the given ns, in each of some mpiruns.
func sideOf(plan *guidelines.Plan, mpiruns int, ns func(k guidelines.Case, run int) float64) *analyze.Side {
	s := &analyze.Side{Name: "x", Manifest: &results.Manifest{Plan: *plan, Rank: protocol.RankInfo{LibVersion: "Open MPI v4.1.4, package: x"}},
		Set: &medians.Set{Cases: make([]medians.Case, len(plan.Cases))}, Report: &analyze.Report{Verdicts: make([]analyze.Verdict, len(plan.Tests))}}
	for i, k := range plan.Cases {
		s.Set.Cases[i].Status = protocol.StatusOK
		for run := range mpiruns {
			s.Set.Cases[i].Medians = append(s.Set.Cases[i].Medians, ns(k, run))
		}
	}
	for i, t := range plan.Tests {
		s.Report.Verdicts[i].Ratio = analyze.Number(s.Set.Cases[t.Case].Medians[0] / s.Set.Cases[t.Others[0]].Medians[0])
	}
	return s
}

func near(t *testing.T, got, want float64, what string) {
	t.Helper()
	should.Hold(t, math.Abs(got/want-1) < 1e-6, "%s: got %g, want %g", what, got, want)
}

func bcasts(t *testing.T, sizes ...string) *guidelines.Plan {
	return planOf(t, []string{"GL1:MPI_Bcast"}, 8, sizes...)
}

func TestALineIsFoundWithItsInterval(t *testing.T) {
	plan := bcasts(t, "8", "64", "512", "4Ki", "32Ki")
	f := FitLines(sideOf(plan, 8, func(k guidelines.Case, run int) float64 {
		return (1 + .01*float64(run-4)) * (2000 + .5*float64(k.Msize))
	})).Lines[0]
	near(t, f.Alpha.Value, 1990e-9, "alpha") // the median of eight
	near(t, f.Beta.Value, .4975e-9, "beta")
	near(t, *f.Alpha.Lo, 1920e-9, "alpha's lower end")
	near(t, *f.Alpha.Hi, 2060e-9, "alpha's upper end")
	should.Equal(t, [3]int{f.Mpiruns, len(f.Off), int(f.Break)}, [3]int{8, 0, 0})
	few := FitLines(sideOf(plan, 5, func(k guidelines.Case, _ int) float64 { return 2000 + float64(k.Msize) })).Lines[0]
	should.Hold(t, few.Alpha.Lo == nil && few.Beta.Hi == nil, "five mpiruns have an interval")
}

func TestAStepIsFound(t *testing.T) {
	plan := bcasts(t, "8", "64", "512", "4Ki", "32Ki", "256Ki", "1Mi")
	f := FitLines(sideOf(plan, 6, func(k guidelines.Case, _ int) float64 {
		if k.Msize >= 4096 {
			return 20000 + .1*float64(k.Msize)
		}
		return 2000 + .5*float64(k.Msize)
	})).Lines[0]
	should.Hold(t, len(f.Off) > 0 && f.Break == 4096, "off at %d, break at %d", f.Off, f.Break)
}

// What differs between mpiruns is no fault of the model.
func TestNoiseIsNoStep(t *testing.T) {
	plan := bcasts(t, "8", "64", "512", "4Ki", "32Ki")
	f := FitLines(sideOf(plan, 8, func(k guidelines.Case, run int) float64 {
		factor := 1.0
		if k.Msize == 512 && run%2 == 0 {
			factor = 2.2
		}
		return factor * (2000 + float64(k.Msize))
	})).Lines[0]
	should.Equal(t, f.Off, []int64{})
}

func TestWrongDataHaveNoLine(t *testing.T) {
	side := sideOf(bcasts(t, "8", "64", "512", "4Ki"), 8, func(guidelines.Case, int) float64 { return 1 })
	side.Set.Cases[0].Status = protocol.StatusWrong
	should.Equal(t, len(FitLines(side).Lines), 0)
}

func TestThreeSizesAreTooFewForALine(t *testing.T) {
	f := FitLines(sideOf(bcasts(t, "8", "64", "512"), 8, func(guidelines.Case, int) float64 { return 1 }))
	should.Equal(t, f.Few, []string{"MPI_Bcast on p8"})
	should.Equal(t, len(f.Lines), 0)
}

func TestPricesAreFoundFromTimesThatFollowThem(t *testing.T) {
	plan := planOf(t, []string{"GL3..GL15"}, 48, "64", "4Ki", "64Ki", "1Mi")
	c := costs{OpenMPI(), prices, plan}
	side := sideOf(plan, 1, func(k guidelines.Case, _ int) float64 {
		s, err := c.seconds(k.Function, k.Msize, 48)
		if err != nil {
			return math.NaN()
		}
		return s * 1e9
	})
	m, calls := FitModel([]*analyze.Side{side}, Of)
	should.Hold(t, calls > 20, "%d calls", calls)
	for _, p := range [][2]float64{{m.Alpha, prices.Alpha}, {m.Gap, prices.Gap}, {m.Beta, prices.Beta}, {m.Gamma, prices.Gamma}, {m.Copy, prices.Copy}} {
		near(t, p[0], p[1], "a price")
	}
	_, calls = FitModel([]*analyze.Side{side}, func(*analyze.Side) *Table { return nil })
	should.Equal(t, calls, 0)
}

func TestNoPriceIsNegative(t *testing.T) {
	x, _ := nonNegative([][]float64{{1, 1}, {1, 2}, {1, 3}, {.2, 10}})
	should.Hold(t, slices.Min(x) >= 0, "%v", x)
}

// GL8 at 1 MiB is suspected and slow, at 256 KiB suspected only, at 8 bytes slow only, and at 64 neither.
func TestHitsMissesAndFalseOnesAreCounted(t *testing.T) {
	plan := planOf(t, []string{"GL8"}, 64, "8", "64", "256Ki", "1Mi")
	side := sideOf(plan, 1, func(k guidelines.Case, _ int) float64 {
		if k.Function == "MPI_Reduce" && (k.Msize == 8 || k.Msize == 1<<20) {
			return 1.3
		}
		return 1
	})
	a := NewAgainst(prices)
	a.Add(Of(side), side)
	a.Add(nil, &analyze.Side{Name: "other"})
	should.Equal(t, a.Counts, []Counted{{"GL8", 1, 1, 1, 1}})
	should.Equal(t, [2]float64{a.Sum(true).Precision(), a.Sum(false).Recall()}, [2]float64{.5, .5})
	should.Equal(t, [2][]string{a.Folders, a.Unknown}, [2][]string{{"x"}, {"other"}})
	should.Equal(t, len(a.Tests), 3)
}

// At 1 MiB the cheapest by the table is not faster, though another is; at 8 bytes nothing is suspected, and one is faster.
func TestOfOwnAlgorithmsTheCheapestCounts(t *testing.T) {
	user := func(id, algorithm string) guidelines.User {
		return guidelines.User{ID: id, Pattern: &guidelines.UserPattern{Function: "MPI_Reduce", Mockup: "MPI_Reduce@" + algorithm}}
	}
	plan := must.Get(guidelines.Build(guidelines.Settings{Users: []guidelines.User{user("own-a", "rabenseifner"), user("own-b", "linear")}, Check: guidelines.Config{Guidelines: []string{"own-a", "own-b"}},
		Msizes: []string{"8", "1Mi"}, Datatype: "int", Op: "sum", Shapes: []guidelines.Shape{{NP: 64}}}))(t)
	side := sideOf(plan, 1, func(k guidelines.Case, _ int) float64 {
		if k.Function == "MPI_Reduce@linear" {
			return .5
		}
		return 1
	})
	a := NewAgainst(prices)
	a.Add(OpenMPI(), side)
	should.Equal(t, a.Counts, []Counted{{Own, 0, 1, 1, 0}})
}

func TestTheTableOfAFolderIsThatOfItsLibrary(t *testing.T) {
	side := sideOf(bcasts(t, "8", "64"), 1, func(guidelines.Case, int) float64 { return 1 })
	for version, known := range map[string]bool{"OMPI 4.1.6": true, "Open MPI v5.0.7, package": true, "Open MPI v4.0.3": false, "CRAY_MPICH 8.1.29": false, "MPICH Version: 4.1.2": false} {
		side.Manifest.Rank.LibVersion = version
		should.Equal(t, Of(side) != nil, known, "%s", version)
	}
	side.Report.Which = &analyze.Which{}
	should.Equal(t, Of(side).Name, "x")
}
