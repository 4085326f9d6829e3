package stats

import (
	"errors"
	"math"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTukeyMatchesThePaperFilter(t *testing.T) {
	type testCase struct {
		ID     string
		X      values
		K      float64
		Expect struct {
			Q1, Q3, Lo, Hi float64
			Kept           []int
			NRemoved       int `json:"n_removed"`
			Median, Mean   float64
		}
	}
	g := load[testCase](t, "tukey.json", "tukey_filter")
	for _, c := range g.Cases {
		t.Run(c.ID, func(t *testing.T) {
			left, got := must.Two(Tukey(c.X, c.K))(t)
			// Fences near 0 come out of a difference: compare within the sample's size.
			scale := 1e-14 * (math.Abs(c.Expect.Q1) + math.Abs(c.Expect.Q3))
			for name, pair := range map[string][2]float64{
				"q1": {got.Q1, c.Expect.Q1}, "q3": {got.Q3, c.Expect.Q3},
				"lo": {got.Lo, c.Expect.Lo}, "hi": {got.Hi, c.Expect.Hi},
			} {
				should.Hold(t, math.Abs(pair[0]-pair[1]) <= scale, "%s = %.17g, want %.17g", name, pair[0], pair[1])
			}
			var kept []float64
			for _, i := range c.Expect.Kept {
				kept = append(kept, c.X[i])
			}
			should.Equal(t, left, kept, "kept")
			equal(t, "number removed", len(c.X)-len(left), c.Expect.NRemoved)
			mean, _, _ := MeanSD(left)
			close1(t, "median", MedianFinite(left), c.Expect.Median, 1e-14)
			close1(t, "mean", mean, c.Expect.Mean, 1e-13)
			should.Equal(t, TukeySorted(sorted(c.X), c.K), sorted(left), "TukeySorted keeps")
		})
	}
	must.Hold(t, len(g.Invalid) != 0, "no invalid cases")
	for _, c := range g.Invalid {
		_, _, err := Tukey(c.X, TukeyFactor)
		should.Hold(t, err != nil, "invalid case %s was accepted", c.ID)
	}
}

func TestTukeySaysWhenOnlyTheModeIsLeft(t *testing.T) {
	kept, got := must.Two(Tukey([]float64{1, 1, 1, 1, 2, 1, 1, 1, 1}, TukeyFactor))(t)
	equal(t, "ZeroIQR", got.ZeroIQR(), true)
	equal(t, "values kept", len(kept), 8)
	_, got = must.Two(Tukey([]float64{1, 2, 3, 4}, TukeyFactor))(t)
	equal(t, "ZeroIQR", got.ZeroIQR(), false)
}

func TestTukeyRefusesABadFactor(t *testing.T) {
	for _, k := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, _, err := Tukey([]float64{1, 2}, k)
		should.Hold(t, errors.Is(err, ErrRange), "factor %v: error %v, want ErrRange", k, err)
	}
}

func TestTukeySortedOfNothingIsNothing(t *testing.T) {
	equal(t, "length", len(TukeySorted(nil, TukeyFactor)), 0)
}
