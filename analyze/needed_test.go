package analyze

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/measure/protocol"
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
		test           string
		effect, spread float64
		towards        string
	}{
		{"rank-sum, 7 % slower", TestRankSum, math.Log(1.07), 0.05, Violated},
		{"signed-rank, 7 % slower", TestSignedRank, math.Log(1.07), 0.05, Violated},
		{"signed-rank, equal", TestSignedRank, 0, 0.04, Kept},
		{"rank-sum, 2 % faster", TestRankSum, math.Log(0.98), 0.08, Kept},
	} {
		cfg := Config{Method: MethodDefault, Test: c.test, Adjust: AdjustNone, Alpha: 0.05, MinSlowdown: 1.05}
		p, refusal, err := NewProcedure(cfg, 5, 1)
		if err != nil || refusal != nil {
			t.Fatal(err, refusal)
		}
		chosen, err := p.testsByR(cfg)
		if err != nil {
			t.Fatal(err)
		}
		n := p.needed(draw(rng, 1500, c.effect, c.spread), math.Exp(c.effect), p.nextLevel(0), chosen)
		if n.Towards != c.towards || n.R < 6 {
			t.Errorf("%s: %+v, want %s", c.name, *n, c.towards)
			continue
		}
		p, _, err = NewProcedure(cfg, n.R, 1)
		if err != nil {
			t.Fatal(err)
		}
		decided := 0
		const checks = 400
		for range checks {
			got, err := p.Apply([]Pair{draw(rng, n.R, c.effect, c.spread)})
			if err != nil {
				t.Fatal(err)
			}
			slower := got[0].PAdjusted <= p.Alpha
			if slower && c.towards != Kept || c.towards == Kept && got[0].PKept <= p.Alpha {
				decided++
			}
		}
		if share := float64(decided) / checks; share < 0.7 || share > 0.95 {
			t.Errorf("%s: R = %d decides %.2f of the checks, want about 0.8", c.name, n.R, share)
		}
	}
}

func TestMoreMpirunsAreNamedForTestsThatTheDataLeaveOpen(t *testing.T) {
	m := fixture()
	runs := measured(m, 10000, 50000, 10000, 50000, 10000, 50000)
	// GL8 at 8 B: as often slower as faster; at 64 B: slower in eight mpiruns
	// of twelve, by more than it is faster in the other four.
	for i := range runs {
		sign := int64(1 - 2*(i%2))
		shift(runs[i].Samples[2], 2000*sign+int64(7*i))
		by := int64(-9000)
		if i%3 == 2 {
			by = 4000
		}
		shift(runs[i].Samples[3], by+int64(11*i))
	}
	r := analyzed(t, m, runs, Default())
	open, slower, kept := &r.Verdicts[2], &r.Verdicts[3], &r.Verdicts[4]
	if open.Verdict != Undecided || open.RunsNeeded == nil {
		t.Errorf("%s: %+v", open.Verdict, open.RunsNeeded)
	}
	if n := slower.RunsNeeded; slower.Verdict != Undecided || n == nil || n.Towards != Violated || n.R <= m.R || n.R > 100 {
		t.Errorf("%s, ratio %g: %+v", slower.Verdict, *slower.Ratio, n)
	}
	if kept.Verdict != Kept || kept.RunsNeeded != nil {
		t.Errorf("%s: %+v", kept.Verdict, kept.RunsNeeded)
	}
	m.R = 3
	if r := analyzed(t, m, runs[:3], Default()); r.Verdicts[3].RunsNeeded != nil || r.Refused == nil {
		t.Error("a refusal names the R itself")
	}
}

func TestTheLevelOfOneMoreRejectionFollowsTheAdjustment(t *testing.T) {
	for _, c := range []struct {
		adjust   string
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
		p := Procedure{Adjust: c.adjust, Alpha: 0.05, M: c.m}
		if got := p.nextLevel(c.after); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// Half of the mpiruns 10 % faster, half 10 % slower: no number of them decides.
func TestWhatNoNumberOfMpirunsDecidesIsSaid(t *testing.T) {
	cfg := Config{Method: MethodDefault, Test: TestRankSum, Adjust: AdjustBH, Alpha: 0.05, MinSlowdown: 1.05}
	p, _, err := NewProcedure(cfg, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := p.testsByR(cfg)
	if err != nil {
		t.Fatal(err)
	}
	pair := Pair{Orig: []float64{90, 110, 90, 110}, Other: []float64{100, 100, 100, 100}}
	if n := p.needed(pair, 1, 0.05, chosen); n.R != 0 || n.Towards != "" || n.Limit != neededLimit {
		t.Errorf("%+v", *n)
	}
	for _, test := range []string{TestRankSum, TestSignedRank, TestKS} {
		if n := sampleSize(test, pair.Other, pair.Other, 0.05); !math.IsInf(n, 1) {
			t.Errorf("%s of equal sides: %v mpiruns", test, n)
		}
	}
}

func shift(samples []protocol.Sample, by int64) {
	for i := range samples {
		samples[i].NS += by
	}
}
