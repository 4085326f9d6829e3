package stats

import (
	"errors"
	"math"
	"testing"
)

type signedRankCase struct {
	ID     string
	X, Y   values
	Expect struct {
		V         float64
		NNonzero  int      `json:"n_nonzero"`
		PExact    float64  `json:"p_exact"`
		PMinExact float64  `json:"p_min_exact"`
		PNormalCC *float64 `json:"p_normal_cc"`
	}
}

func loadSignedRank(t *testing.T) []signedRankCase {
	return load[signedRankCase](t, "signedrank_greater.json", "wilcoxon_signed_rank_greater").Cases
}

func TestSignedRankMatchesExactArithmeticWithTiesAndZeros(t *testing.T) {
	for _, c := range loadSignedRank(t) {
		t.Run(c.ID, func(t *testing.T) {
			got, err := SignedRank(c.X, c.Y)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "V", got.Statistic, c.Expect.V)
			equal(t, "exact", got.Exact, true)
			close1(t, "P", got.P, c.Expect.PExact, 1e-12)
			zeros, err := ZeroDifferences(c.X, c.Y)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "zero differences", zeros, len(c.X)-c.Expect.NNonzero)
			equal(t, "smallest P", MinPSignedRank(c.Expect.NNonzero), c.Expect.PMinExact)
		})
	}
}

func TestSignedRankNormalMatchesR(t *testing.T) {
	for _, c := range loadSignedRank(t) {
		t.Run(c.ID, func(t *testing.T) {
			d, err := nonzeroDifferences(c.X, c.Y)
			if err != nil {
				t.Fatal(err)
			}
			got := signedRankOf(d, false)
			equal(t, "exact", got.Exact, false)
			if c.Expect.PNormalCC == nil { // R divides by a spread of 0
				equal(t, "P", got.P, 1)
				return
			}
			close1(t, "P", got.P, *c.Expect.PNormalCC, 1e-12)
		})
	}
}

func TestSignedRankSaysWhenItApproximates(t *testing.T) {
	x, y := make([]float64, 201), make([]float64, 201)
	for i := range x {
		x[i], y[i] = float64(i+1), math.Mod(float64(i), 3)*float64(i+2)
	}
	got, err := SignedRank(x, y)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "exact at 201 pairs", got.Exact, false)
	got, err = SignedRank(x[:200], y[:200])
	if err != nil {
		t.Fatal(err)
	}
	d, err := nonzeroDifferences(x[:200], y[:200])
	if err != nil {
		t.Fatal(err)
	}
	normal := signedRankOf(d, false)
	equal(t, "exact at 200 pairs", got.Exact, true)
	close1(t, "exact and normal P at 200 pairs", got.P, normal.P, 0.02)
}

func TestSignedRankKnowsTiedDifferences(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		ties bool
	}{
		{[]float64{1, 2, 4}, []float64{0, 0, 0}, false},
		{[]float64{1, 0, 4}, []float64{0, 1, 0}, true},
		{[]float64{1, 5, 5}, []float64{0, 5, 5}, false}, // zeros are dropped
	} {
		d, err := nonzeroDifferences(c.x, c.y)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d {
			d[i] = math.Abs(d[i])
		}
		_, tieSum := doubledMidranks(d)
		equal(t, "ties", tieSum > 0, c.ties)
	}
}

func TestSignedRankRefusesDifferencesThatOverflow(t *testing.T) {
	_, err := SignedRank([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64})
	if !errors.Is(err, ErrNotFinite) {
		t.Errorf("error %v, want ErrNotFinite", err)
	}
}
