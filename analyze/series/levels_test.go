package series

import (
	"math"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTheLevelsOfAFactorAreOneFamily(t *testing.T) {
	a, b, c := side(t, "a", fixture.Quiet, nil), side(t, "b", with(1, 30000), nil), side(t, "c", fixture.Quiet, nil)
	cfg := CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided}
	all := must.Get(CompareLevels([]*analyze.Side{a, b, c}, cfg))(t)
	must.Hold(t, len(all) == 2 && all[0].M == 4 && all[1].M == 4, "%d comparisons", len(all))
	should.Hold(t, changes(all[0]) == "~ slower" && changes(all[1]) == "~ ~", "%q, %q", changes(all[0]), changes(all[1]))
	k, alone := all[0].Cases[1], compared(t, a, b, nil).Cases[1]
	should.Hold(t, math.Abs(*k.PAdjusted-4**k.PValue) < 1e-12 && *k.PValue == *alone.PValue && *alone.PAdjusted < *k.PAdjusted, "%g of %g", *k.PAdjusted, *k.PValue)
}
