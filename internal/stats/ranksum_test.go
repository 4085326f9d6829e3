package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type rankSumCase struct {
	ID     string
	X, Y   values
	Expect struct {
		U         float64
		Ties      bool
		PExact    float64  `json:"p_exact"`
		PMinExact float64  `json:"p_min_exact"`
		PNormalCC *float64 `json:"p_normal_cc"`
	}
}

func loadRankSum(t testing.TB) goldenFile[rankSumCase] {
	return load[rankSumCase](t, "wilcoxon_greater.json", "wilcoxon_rank_sum_greater")
}

func tied(ranks []int) bool {
	distinct := map[int]bool{}
	for _, r := range ranks {
		distinct[r] = true
	}
	return len(distinct) < len(ranks)
}

func TestRankSumMatchesExactArithmeticWithTies(t *testing.T) {
	for _, c := range loadRankSum(t).Cases {
		t.Run(c.ID, func(t *testing.T) {
			got := must.Get(RankSum(c.X, c.Y))(t)
			equal(t, "U", got.Statistic, c.Expect.U)
			equal(t, "exact", got.Exact, len(c.X) <= 50 && len(c.Y) <= 50)
			switch {
			case got.Exact:
				close1(t, "P", got.P, c.Expect.PExact, 1e-12)
			case c.Expect.PNormalCC == nil:
				equal(t, "P", got.P, 1)
			default:
				close1(t, "P", got.P, *c.Expect.PNormalCC, 1e-12)
			}
			ranks := doubledMidranks(slices.Concat(c.X, c.Y))
			equal(t, "ties", tied(ranks), c.Expect.Ties)
			close1(t, "exact P", rankSumExactP(ranks, len(c.X)), c.Expect.PExact, 1e-12)
		})
	}
}

func TestRankSumNormalMatchesRWithContinuityCorrection(t *testing.T) {
	for _, c := range loadRankSum(t).Cases {
		t.Run(c.ID, func(t *testing.T) {
			got := must.Get(RankSumNormal(c.X, c.Y))(t)
			equal(t, "U", got.Statistic, c.Expect.U)
			equal(t, "exact", got.Exact, false)
			if c.Expect.PNormalCC == nil { // R divides by a spread of 0
				equal(t, "P", got.P, 1)
				return
			}
			close1(t, "P", got.P, *c.Expect.PNormalCC, 1e-12)
		})
	}
}

func TestRankSumRefusesInvalidSamples(t *testing.T) {
	g := loadRankSum(t)
	must.Hold(t, len(g.Invalid) != 0, "no invalid cases")
	for _, c := range g.Invalid {
		_, err := RankSum(c.X, c.Y)
		should.Hold(t, err != nil, "invalid case %s was accepted", c.ID)
	}
}

func TestMinPRankSumIsAttainedBySeparatedSamples(t *testing.T) {
	checked := 0
	for _, c := range loadRankSum(t).Cases {
		if len(c.X) == len(c.Y) && !c.Expect.Ties {
			close1(t, c.ID, MinPRankSum(len(c.X), len(c.Y)), c.Expect.PMinExact, 1e-12)
			checked++
		}
	}
	must.Hold(t, checked != 0, "no balanced case without ties")
	equal(t, "R=3", MinPRankSum(3, 3), 0.05)
	equal(t, "R=0", MinPRankSum(0, 5), 1)
	// z of 12 values that are all above 51 others, by hand.
	z := (12*51./2 - .5) / math.Sqrt(12*51/12.*64)
	close1(t, "normal", MinPRankSumNormal(12, 51), 0.5*math.Erfc(z/math.Sqrt2), 1e-12)
}

func TestRankSumTailsOfSwappedSamplesShareTheObservedPoint(t *testing.T) {
	x, y := []float64{3, 5, 7}, []float64{1, 2, 4, 6}
	a := must.Get(RankSum(x, y))(t)
	b := must.Get(RankSum(y, x))(t)
	equal(t, "U + U'", a.Statistic+b.Statistic, 12)
	// P(U ≥ 9) + P(U ≤ 9) = 1 + P(U = 9), and 3 of the 35 splits have U = 9.
	close1(t, "P + P'", a.P+b.P, 1+3.0/35, 1e-12)
}

func BenchmarkRankSum500TestsR10To50(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		for i := range 500 {
			n := 10 + i%41
			x, y := make([]float64, n), make([]float64, n)
			for j := range n {
				x[j], y[j] = float64(r.IntN(200)), float64(r.IntN(200))
			}
			must.Get(RankSum(x, y))(b)
		}
	}
}

// All splits of nine values are as probable.
func TestRankSumFastestIsExactForSmallSamples(t *testing.T) {
	all := []float64{3, 1, 4, 1.5, 9, 2.6, 5, 35, 8.9}
	score := []float64{4, 1, 5, 2, 5, 3, 5, 5, 5} // the ranks, those behind the fifth as the fifth
	for mask := 1; mask < 1<<len(all)-1; mask++ {
		var x, y []float64
		sum := 0.0
		for i, v := range all {
			if mask>>i&1 == 1 {
				x, sum = append(x, v), sum+score[i]
			} else {
				y = append(y, v)
			}
		}
		atLeast, splits := 0.0, 0.0
		for other := range 1 << len(all) {
			s, n := 0.0, 0
			for i := range all {
				if other>>i&1 == 1 {
					s, n = s+score[i], n+1
				}
			}
			if n == len(x) {
				splits++
				if s >= sum {
					atLeast++
				}
			}
		}
		got := must.Get(RankSumFastest(x, y))(t)
		should.Hold(t, got.Exact && got.Statistic == sum-float64(len(x)*(len(x)+1))/2 && math.Abs(got.P-atLeast/splits) < 1e-12, "%v and %v: %+v, not %v", x, y, got, atLeast/splits)
	}
}

func TestRankSumFastestIsBlindForTheSlowHalfAndNormalBehindFifty(t *testing.T) {
	coin := rand.New(rand.NewPCG(1, 2))
	var x, y []float64
	for range MaxExactRankSum {
		x, y = append(x, coin.NormFloat64()+.3), append(y, coin.NormFloat64())
	}
	exact := must.Get(RankSumFastest(x, y))(t)
	slow := slices.Max(slices.Concat(x, y)) + 1
	x, y = append(x, slow), append(y, slow)
	normal := must.Get(RankSumFastest(x, y))(t)
	should.Hold(t, exact.Exact && !normal.Exact && math.Abs(math.Log(normal.P/exact.P)) < .1, "%v exactly, %v", exact.P, normal.P)
	x[len(x)-1] *= 1e9
	should.Equal(t, must.Get(RankSumFastest(x, y))(t).P, normal.P)
	_, err := RankSumFastest([]float64{math.NaN()}, y)
	should.Hold(t, err != nil, "NaN")
}
