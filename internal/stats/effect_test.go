package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type effectCase struct {
	ID     string
	X, Y   values
	Expect struct {
		Log   float64    `json:"log_hl"`
		Ratio float64    `json:"ratio_hl"`
		CI    [2]float64 `json:"ci95"`
		Lower float64    `json:"lower95_onesided"`
	}
}

func TestHodgesLehmannMatchesR(t *testing.T) {
	for _, f := range []struct {
		file, kind string
		estimate   func(x, y []float64) (Effect, error)
	}{
		{"hodges_lehmann.json", "hodges_lehmann_paired_ratio", HodgesLehmannSignedRank},
		{"hodges_lehmann_ranksum.json", "hodges_lehmann_ranksum_ratio", HodgesLehmannRankSum},
	} {
		for _, c := range load[effectCase](t, f.file, f.kind).Cases {
			t.Run(f.kind+"/"+c.ID, func(t *testing.T) {
				got := must.Get(f.estimate(c.X, c.Y))(t)
				for name, pair := range map[string][2]float64{
					"log ratio":                 {math.Log(got.Ratio), c.Expect.Log},
					"log of the expected ratio": {math.Log(got.Ratio), math.Log(c.Expect.Ratio)},
					"lower limit":               {math.Log(got.Lo95), math.Log(c.Expect.CI[0])},
					"upper limit":               {math.Log(got.Hi95), math.Log(c.Expect.CI[1])},
				} {
					should.Hold(t, math.Abs(pair[0]-pair[1]) <= 1e-12, "%s = %.17g, want %.17g", name, pair[0], pair[1])
				}
				back := must.Get(f.estimate(c.Y, c.X))(t)
				close1(t, "ratio of the swapped sides", back.Ratio, 1/got.Ratio, 1e-12)
			})
		}
	}
}

// Between the Walsh averages on either side of a limit the test rejects outside, and not inside.
func TestTheLimitsOfTheCappedEffectAreWhatTheTestDoesNotReject(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 6; n < 40; n++ { // 2^-5 > .025
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = math.Exp(.04*random.NormFloat64()), math.Exp(.04*random.NormFloat64())
			if random.Float64() < .1 {
				x[i] *= 5
			}
		}
		got := must.Get(CappedEffect(x, y))(t)
		should.Hold(t, got.Lo95 <= got.Ratio && got.Ratio <= got.Hi95, "%d: %+v", n, got)
		back := must.Get(CappedEffect(y, x))(t)
		close1(t, "ratio of the swapped sides", back.Ratio, 1/got.Ratio, 1e-11)
		close1(t, "limit of the swapped sides", back.Lo95, 1/got.Hi95, 1e-11)
		for _, e := range []Effect{got, back} {
			d := must.Get(LogRatios(x, y))(t)
			if e == back {
				d = negated(d)
			}
			averages := walsh(d)
			slices.Sort(averages)
			i, _ := slices.BinarySearch(averages, math.Log(e.Lo95)-1e-9)
			p := func(average int) float64 {
				moved := slices.Clone(d)
				for k := range moved {
					moved[k] -= averages[average] - 1e-10
				}
				return must.Get(SignedRank(moved, CappedRanks))(t).P
			}
			should.Hold(t, p(i) <= .025 && p(i+1) > .025, "%d: p = %g below the limit, %g above it", n, p(i), p(i+1))
		}
	}
}

// Three of twelve ratios are three times and more as large as the others.
func TestAFewFarValuesDoNotWidenTheCappedInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 12), make([]float64, 12)
	for i := range x {
		x[i], y[i] = math.Exp(.03*random.NormFloat64()), math.Exp(.03*random.NormFloat64())
	}
	for i := range 3 {
		x[i] *= float64(3 + i)
	}
	full, capped := must.Get(HodgesLehmannSignedRank(x, y))(t), must.Get(CappedEffect(x, y))(t)
	should.Hold(t, capped.Hi95/capped.Lo95 < 1.12 && full.Hi95/full.Lo95 > 1.5, "%+v, %+v", capped, full)
}

func TestHodgesLehmannRefusesValuesThatAreNotPositive(t *testing.T) {
	good := []float64{1, 2}
	for _, bad := range [][]float64{{0, 1}, {-1, 1}} {
		for _, f := range []func(x, y []float64) (Effect, error){HodgesLehmannRankSum, HodgesLehmannSignedRank} {
			_, err := f(bad, good)
			should.Hold(t, errors.Is(err, ErrNotPositive), "%v: error %v, want ErrNotPositive", bad, err)
			_, err = f(good, bad)
			should.Hold(t, errors.Is(err, ErrNotPositive), "%v: error %v, want ErrNotPositive", bad, err)
		}
	}
}

// The tables of Hollander and Wolfe, and exact counts of the partitions.
func TestNullQuantilesMatchTables(t *testing.T) {
	for _, c := range []struct{ m, n, want int }{{5, 5, 3}, {8, 8, 14}, {10, 10, 24}, {4, 7, 4}, {1, 1, 0}} {
		equal(t, "qwilcox(.025)", quantileU(0.025, c.m, c.n), c.want)
	}
	for _, c := range []struct{ n, want int }{{1, 0}, {6, 1}, {8, 4}, {10, 9}, {20, 53}} {
		equal(t, "qsignrank(.025)", quantileV(0.025, c.n, Ranks), float64(c.want))
	}
}

func TestNullQuantilesAreContinuousWhereTheNormalFormTakesOver(t *testing.T) {
	step := quantileU(0.025, 50, 50) - quantileU(0.025, 49, 49)
	next := quantileU(0.025, 51, 51) - quantileU(0.025, 50, 50)
	should.Hold(t, next >= step-3 && next <= step+6, "qwilcox grows by %d to 50 and by %d to 51", step, next)
	for _, score := range []Score{Ranks, CappedRanks} {
		step := quantileV(0.025, 200, score) - quantileV(0.025, 199, score)
		next := quantileV(0.025, 201, score) - quantileV(0.025, 200, score)
		should.Hold(t, next >= step-3 && next <= step+6, "V's quantile grows by %v to 200 and by %v to 201", step, next)
	}
}
