package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draw gives run medians of n mpiruns: both sides share the mpirun's own effect,
// the call is exp(effect) times slower, each with its own spread.
func draw(rng *rand.Rand, n int, effect, spread float64) Pair {
	pair := Pair{Orig: make([]float64, n), Other: make([]float64, n)}
	for i := range n {
		shared := rng.NormFloat64() * 0.02
		pair.Orig[i] = 1000 * math.Exp(shared+effect+spread*rng.NormFloat64())
		pair.Other[i] = 1000 * math.Exp(shared+spread*rng.NormFloat64())
	}
	return pair
}

// The R that needed names, for an effect that is known very well, must decide
// about four of five checks of that many mpiruns, in the way it said. Noether's
// formula asks for too many where an effect is large.
func TestTheMpirunsThatAreNamedDecideFourOfFiveChecks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name           string
		test           TestName
		effect, spread float64
		towards        Verdict
	}{
		{"rank-sum, 7 % slower", TestRankSum, math.Log(1.07), 0.05, Violated},
		{"signed-rank, 7 % slower", TestSignedRank, math.Log(1.07), 0.05, Violated},
		{"signed-rank, equal", TestSignedRank, 0, 0.04, Kept},
		{"rank-sum, 2 % faster", TestRankSum, math.Log(0.98), 0.08, Kept},
	} {
		cfg := Config{Method: MethodDefault, Test: c.test, Adjust: AdjustNone, Alpha: 0.05, MinSlowdown: 1.05}
		d := designed(t, cfg, 5, 1)
		n := d.Family(0).needed(draw(rng, 1500, c.effect, c.spread), math.Exp(c.effect), d.needs(0), d.testsByR())
		if n.Towards != c.towards || n.R < 6 {
			t.Errorf("%s: %+v, want %s", c.name, *n, c.towards)
			continue
		}
		d = designed(t, cfg, n.R, 1)
		decided := 0
		const checks = 400
		for range checks {
			got := judged(t, d, 0, []Pair{draw(rng, n.R, c.effect, c.spread)})
			slower := got[0].PAdjusted <= d.Alpha
			if slower && c.towards != Kept || c.towards == Kept && got[0].PKept <= d.Alpha {
				decided++
			}
		}
		if share := float64(decided) / checks; share < 0.7 || share > 0.95 {
			t.Errorf("%s: R = %d decides %.2f of the checks, want about 0.8", c.name, n.R, share)
		}
	}
}

func TestTheLevelOfOneMoreRejectionFollowsTheAdjustment(t *testing.T) {
	for _, c := range []struct {
		adjust   Adjust
		m, after int
		want     float64
	}{
		{AdjustNone, 100, 7, 0.05},
		{AdjustBH, 100, 0, 0.0005},
		{AdjustBH, 100, 7, 0.004},
		{AdjustHolm, 100, 0, 0.0005},
		{AdjustHolm, 100, 50, 0.001},
		{AdjustHolm, 100, 100, 0.05},
		{AdjustBH, 0, 0, 0.05},
	} {
		d := &Design{Config: Config{Adjust: c.adjust, Alpha: 0.05}, M: c.m}
		if got := d.needs(c.after); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// Half of the mpiruns 10 % faster, half 10 % slower: no number of them decides.
func TestWhatNoNumberOfMpirunsDecidesIsSaid(t *testing.T) {
	cfg := Config{Method: MethodDefault, Test: TestRankSum, Adjust: AdjustBH, Alpha: 0.05, MinSlowdown: 1.05}
	d := designed(t, cfg, 4, 1)
	pair := Pair{Orig: []float64{90, 110, 90, 110}, Other: []float64{100, 100, 100, 100}}
	if n := d.Family(0).needed(pair, 1, 0.05, d.testsByR()); n.R != 0 || n.Towards != "" || n.Limit != neededLimit {
		t.Errorf("%+v", *n)
	}
	for _, test := range tests {
		if n := test.SampleSize(pair.Other, pair.Other, 0.05); !math.IsInf(n, 1) {
			t.Errorf("%s of equal sides: %v mpiruns", test.Name, n)
		}
	}
}
