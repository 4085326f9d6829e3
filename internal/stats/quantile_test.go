package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestQuantileMedianMeanSDMatchR(t *testing.T) {
	type testCase struct {
		ID     string
		X      values
		Probs  []float64
		Expect struct {
			Q            []float64
			Median, Mean float64
			SD           *float64
		}
	}
	for _, c := range load[testCase](t, "quantile7.json", "quantile_type7_median").Cases {
		t.Run(c.ID, func(t *testing.T) {
			equal(t, "number of quantiles", len(c.Expect.Q), len(c.Probs))
			for i, p := range c.Probs {
				q := must.Get(Quantile(c.X, p))(t)
				close1(t, fmt.Sprintf("quantile %v", p), q, c.Expect.Q[i], 1e-14)
			}
			close1(t, "median", MedianFinite(c.X), c.Expect.Median, 1e-14)
			mean, sd := must.Two(MeanSD(c.X))(t)
			close1(t, "mean", mean, c.Expect.Mean, 1e-14)
			if c.Expect.SD == nil {
				equal(t, "sd is undefined", math.IsNaN(sd), true)
			} else {
				close1(t, "sd", sd, *c.Expect.SD, 1e-12)
			}
		})
	}
}

func TestQuantileRefusesAProbabilityOutsideZeroToOne(t *testing.T) {
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := Quantile([]float64{1, 2}, p)
		should.Hold(t, errors.Is(err, ErrRange), "quantile %v: error %v, want ErrRange", p, err)
	}
}

func TestMedianSortedIsUndefinedForNothing(t *testing.T) {
	equal(t, "undefined", math.IsNaN(MedianSorted(nil)), true)
}

// oneSample and twoSamples are the functions that take run-times.
var oneSample = map[string]func(x []float64) error{
	"Quantile":   func(x []float64) error { _, err := Quantile(x, 0.5); return err },
	"MeanSD":     func(x []float64) error { _, _, err := MeanSD(x); return err },
	"Tukey":      func(x []float64) error { _, _, err := Tukey(x, TukeyFactor); return err },
	"WarmupEnd":  func(x []float64) error { _, err := WarmupEnd(x); return err },
	"SignedRank": func(x []float64) error { _, err := SignedRank(x, Ranks); return err },
	"Adjust":     func(x []float64) error { _, err := Adjust(x, AdjustNone); return err },
	"SequentialP": func(x []float64) error {
		_, err := SequentialP(x, []float64{0.2, 0.3, 0.5})
		return err
	},
}

var twoSamples = map[string]func(x, y []float64) error{
	"RankSum":                 asError(RankSum),
	"RankSumNormal":           asError(RankSumNormal),
	"LogRatios":               asError(LogRatios),
	"KS":                      asError(KS),
	"HodgesLehmannRankSum":    asError(HodgesLehmannRankSum),
	"HodgesLehmannSignedRank": asError(HodgesLehmannSignedRank),
	"Pearson":                 asError(Pearson),
}

func asError[R any](f func(x, y []float64) (R, error)) func(x, y []float64) error {
	return func(x, y []float64) error { _, err := f(x, y); return err }
}

func TestEveryStatisticRefusesNaNInfinityAndNothing(t *testing.T) {
	bad := map[string]struct {
		x    []float64
		want error
	}{
		"empty": {nil, ErrEmpty},
		"NaN":   {[]float64{0.5, math.NaN(), 0.2}, ErrNotFinite},
		"Inf":   {[]float64{0.5, 0.3, math.Inf(1)}, ErrNotFinite},
		"-Inf":  {[]float64{math.Inf(-1), 0.3, 0.2}, ErrNotFinite},
	}
	good := []float64{0.1, 0.3, 0.4}
	for input, b := range bad {
		for name, f := range oneSample {
			err := f(b.x)
			should.Hold(t, errors.Is(err, b.want), "%s(%s): error %v, want %v", name, input, err, b.want)
		}
		for name, f := range twoSamples {
			err := f(b.x, good)
			should.Hold(t, errors.Is(err, b.want), "%s(%s, good): error %v, want %v", name, input, err, b.want)
			err = f(good, b.x)
			should.Hold(t, errors.Is(err, b.want), "%s(good, %s): error %v, want %v", name, input, err, b.want)
		}
	}
}

func TestNoStatisticChangesItsInput(t *testing.T) {
	original := []float64{0.5, 0.2, 0.4}
	x, y := slices.Clone(original), []float64{0.3, 0.2, 0.1}
	wasY := slices.Clone(y)
	for name, f := range oneSample {
		should.Do(t, f(x), "%s", name)
	}
	for name, f := range twoSamples {
		should.Do(t, f(x, y), "%s", name)
	}
	should.Hold(t, slices.Equal(x, original) && slices.Equal(y, wasY), "inputs became %v and %v", x, y)
}

func TestPairedStatisticsRefuseDifferentLengths(t *testing.T) {
	for _, name := range []string{"LogRatios", "HodgesLehmannSignedRank", "Pearson"} {
		err := twoSamples[name]([]float64{1, 2, 3}, []float64{1, 2})
		should.Hold(t, errors.Is(err, ErrLengths), "%s: error %v, want ErrLengths", name, err)
	}
}
