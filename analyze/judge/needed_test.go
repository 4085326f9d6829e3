package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"pgmpi/testkit/must"
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

func drawAll(rng *rand.Rand, n int, effects []float64, spread float64) []Pair {
	pairs := make([]Pair, len(effects))
	for i, e := range effects {
		pairs[i] = draw(rng, n, e, spread)
	}
	return pairs
}

// family is judged at its first look.
func family(t *testing.T, d *Design, pairs []Pair) *Family {
	t.Helper()
	f := d.Family(0)
	must.Do(t, f.Look(pairs))
	return f
}

// A new check with the R needed of a test decides it about four times in five, and one
// with the headline's R as many as it said. Four checks of 40 tests leave about 20 that count,
// whose share has a standard error of 0.09: the limits are two of them off. The simulate bench has many more.
func TestTheMpirunsThatAreNamedDecideFourOfFiveTests(t *testing.T) {
	const spread = 0.05
	rng := rand.New(rand.NewPCG(3, 4))
	for _, test := range []TestName{TestAuto, TestRankSum, TestSignedRank} {
		cfg := Config{Method: MethodDefault, Test: test, Adjust: AdjustBH, Alpha: 0.05, MinSlowdown: 1.05}
		var named, decided, open, half int
		expected := 0.0
		for range 4 {
			effects := make([]float64, 40)
			for i := range effects {
				effects[i] = 0.06 * rng.NormFloat64()
			}
			out := family(t, designed(t, cfg, 10, 40), drawAll(rng, 10, effects, spread)).Outlook()
			again := map[int][]Outcome{}
			at := func(r, i int) Verdict {
				if again[r] == nil {
					again[r] = judged(t, designed(t, cfg, r, 40), 0, drawAll(rng, r, effects, spread))
				}
				return again[r][i].Verdict
			}
			if out.Half != nil {
				expected += out.Half.Decides
			}
			for i, n := range out.Needed {
				if n == nil || out.Half == nil {
					continue
				}
				open++
				if at(out.Half.R, i) != Undecided {
					half++
				}
				if n.R == 0 {
					continue
				}
				named++
				if at(n.R, i) != Undecided {
					decided++
				}
			}
		}
		if share := float64(decided) / float64(named); named < 17 || share < 0.62 || share > 0.98 {
			t.Errorf("%s: %d of %d tests are decided by their R needed, want about 0.8", test, decided, named)
		}
		if off := (float64(half) - expected) / float64(open); expected < 0.5*float64(open) || math.Abs(off) > 0.17 {
			t.Errorf("%s: the headline's R decides %d of %d tests, and said %.0f", test, half, open, expected)
		}
	}
}

// The asymptotic formula of ks is the least exact.
func TestADistanceWithinReachIsFoundWithAnEvenChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, test := range tests {
		within := 0.06
		if test == &ks {
			within = 0.15
		}
		for _, r := range []int{14, 30} {
			for _, level := range []float64{0.05, 0.003} {
				const spread, draws = 0.04, 1000
				of := spread
				if !test.Paired { // the others take the sides for independent
					of = math.Hypot(spread, 0.02)
				}
				effect := test.Reach(r, level) * of * math.Sqrt2
				found := 0
				for range draws {
					pair := draw(rng, r, effect, spread)
					if !test.Paired {
						pair.Other = draw(rng, r, 0, spread).Other
					}
					p := must.Get(test.P(pair.Orig, pair.Other))(t)
					if p.P <= level {
						found++
					}
				}
				if share := float64(found) / draws; math.Abs(share-0.5) > within {
					t.Errorf("%s, R = %d, level %g: found in %.2f", test.Name, r, level, share)
				}
			}
		}
	}
}

func TestWhereTheDataDoNotSayTheDirectionNoneIsNamed(t *testing.T) {
	cfg := Config{Method: MethodDefault, Test: TestSignedRank, Adjust: AdjustNone, Alpha: 0.05, MinSlowdown: 1.05}
	f := designed(t, cfg, 10, 3).Family(0)
	f.pairs = []Pair{{Orig: []float64{110}, Other: []float64{100}}, {}, {}}
	f.Outcomes[0] = Outcome{Ratio: 1.1, Lo95: 1.01, Hi95: 1.2}
	f.Outcomes[1] = Outcome{Ratio: 1.02, Lo95: 0.99, Hi95: 1.06}
	f.Outcomes[2] = Outcome{Ratio: 1.01, Lo95: 0.97, Hi95: 1.049}
	for _, c := range []struct {
		i            int
		slower, kept float64
		want         Verdict
	}{
		{0, 0.8, 0.05, Violated},
		{0, 0.5, 0.3, ""}, // both are likely
		{1, 0, 0.9, ""},   // 1 and the minimum slowdown are both in the interval
		{2, 0.1, 0.8, Kept},
		{2, 0.8, 0.1, Marginal},
	} {
		if got := f.towards(c.i, c.slower, c.kept); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A test that a screen dropped is undecided too.
func TestWhatAScreenStoppedHasAnOutlook(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	d := must.Get(NewDesign(Default(), Schedule{[]int{10, 25}, []float64{.5, .5}}, 200))(t)
	f := family(t, d, drawAll(rng, 10, make([]float64, 200), 0.1))
	stopped := 0
	for i, n := range f.Outlook().Needed {
		o := f.Outcomes[i]
		if (n != nil) != o.Stopped {
			t.Errorf("test %d: %+v, stopped: %v", i, n, o.Stopped)
		}
		if o.Stopped {
			stopped++
		}
	}
	if stopped == 0 {
		t.Error("the screen stopped none")
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

// Mpiruns that spread by a factor of e say little even if there are 400.
func TestWhatNoNumberOfMpirunsDecidesIsSaid(t *testing.T) {
	cfg := Config{Method: MethodDefault, Test: TestSignedRank, Adjust: AdjustBH, Alpha: 0.05, MinSlowdown: 1.05}
	var pair Pair
	for i := range 400 {
		pair.Orig = append(pair.Orig, math.Exp(0.025+distuv.UnitNormal.Quantile((float64(i)+0.5)/400)))
		pair.Other = append(pair.Other, 1)
	}
	n := family(t, designed(t, cfg, 400, 1), []Pair{pair}).Outlook().Needed[0]
	if n == nil || n.R != 0 || n.Towards != "" || n.Limit != neededLimit || n.Chance >= power {
		t.Errorf("%+v", n)
	}
}
