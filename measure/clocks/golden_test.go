package clocks

import (
	"math"
	"testing"

	"pgmpi/testkit/golden"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type goldenLine struct{ Slope, Intercept float64 } // intercept in seconds

func (l goldenLine) model() Model {
	return Model{Slope: l.Slope, Intercept: l.Intercept * 1e9}
}

type goldenFile struct {
	Merge []struct {
		ID       string
		LM1, LM2 goldenLine
		Expect   struct {
			goldenLine
			TLocal     []float64 `json:"t_local"`
			TReference []float64 `json:"t_reference"`
		}
		Eq1 float64 `json:"eq1_intercept_wrong_here"`
	}
	Cases []struct {
		ID     string
		T0     int64   `json:"t0_ns"`
		X      []int64 `json:"x_local_ns"`
		Y      []int64 `json:"y_diff_ns"`
		Expect struct {
			Slope      float64
			InterceptS float64 `json:"intercept_s"`
		}
	}
}

func loadGolden(t *testing.T) goldenFile {
	t.Helper()
	g := golden.Load[goldenFile](t, "clock.json", "clock_linear_model")
	must.Hold(t, len(g.Merge) != 0, "no merges")
	return g
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	should.Hold(t, math.Abs(got-want) <= tolerance, "%s is %.17g, want %.17g (to %g)", what, got, want, tolerance)
}

func TestFitMatchesExactArithmetic(t *testing.T) {
	for _, c := range loadGolden(t).Cases {
		points := make([]Point, len(c.X))
		for i := range c.X {
			points[i] = Point{At: c.X[i], Ahead: c.Y[i]}
		}
		m, err := Fit(points, c.T0)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		near(t, c.ID+" slope", m.Slope, c.Expect.Slope, 1e-13)
		near(t, c.ID+" intercept", m.Ahead(c.T0)/1e9, c.Expect.InterceptS, 1e-11)
	}
}

func TestMergeIsTheCompositionOfModelsOfTheLocalClock(t *testing.T) {
	for _, c := range loadGolden(t).Merge {
		m := Merge(c.LM1.model(), c.LM2.model())
		near(t, c.ID+" slope", m.Slope, c.Expect.Slope, 1e-12)
		near(t, c.ID+" intercept", m.Ahead(0)/1e9, c.Expect.Intercept, 1e-12)
		for i, at := range c.Expect.TLocal {
			local := int64(math.Round(at * 1e9))
			near(t, c.ID+" global time", float64(m.Global(local))/1e9, c.Expect.TReference[i], 1e-9)
			near(t, c.ID+" reference", (float64(local)-m.Ahead(local))/1e9, c.Expect.TReference[i], 1e-12*max(1, math.Abs(c.Expect.TReference[i])))
		}
		should.Hold(t, c.Eq1 == c.Expect.Intercept || math.Abs(m.Ahead(0)/1e9-c.Eq1) >= 1e-12,
			"%s: the intercept is as in Equation 1, which is for models of the reference's clock", c.ID)
	}
}
