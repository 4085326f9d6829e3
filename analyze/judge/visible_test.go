package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/testkit/must"
)

// A change by what Visible says of two quiet folders is found with about that chance.
func TestVisibleIsFoundInAboutFourOfFive(t *testing.T) {
	const m, checks, sd = 10, 200, 0.05
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(r int, factor float64) (out []float64) {
		for range r {
			out = append(out, 1000*factor*math.Exp(sd*rng.NormFloat64()))
		}
		return out
	}
	for _, r := range []int{10, 16} {
		d := must.Get(NewComparison(Default(), TwoSided, false, r, r, m))(t)
		look := func(factor float64) *Family {
			f := d.Family(0)
			pairs := make([]Pair, m)
			for i := range pairs {
				pairs[i] = Pair{Orig: draw(r, factor), Other: draw(r, 1)}
				factor = 1 // only the first differs
			}
			must.Do(t, f.Look(pairs))
			return f
		}
		var visible []float64
		for range 20 {
			for _, o := range look(1).Outcomes {
				visible = append(visible, d.Visible(o.Lo95, o.Hi95))
			}
		}
		slices.Sort(visible)
		usual := visible[len(visible)/2]
		found := 0
		for range checks {
			if look(usual).Outcomes[0].PAdjusted <= d.Alpha {
				found++
			}
		}
		if share := float64(found) / checks; share < 0.65 || share > 0.9 {
			t.Errorf("R = %d: %.2f× is found in %.2f of the checks", r, usual, share)
		}
	}
}

func TestVisibleIsNothingWithTooFewMpiruns(t *testing.T) {
	for _, c := range []struct {
		r      int
		lo, hi float64
		want   bool
	}{{3, .99, 1.01, false}, {12, .99, 1.01, true}, {12, math.NaN(), 1, false}, {12, 0, 1, false}, {12, 1, math.Inf(1), false}} {
		d := must.Get(NewComparison(Default(), TwoSided, false, c.r, c.r, 20))(t)
		if got := d.Visible(c.lo, c.hi); math.IsInf(got, 1) == c.want || got < d.MinSlowdown {
			t.Errorf("R = %d, [%v, %v]: %v", c.r, c.lo, c.hi, got)
		}
	}
}
