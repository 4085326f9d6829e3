package judge

import (
	"math"
	"testing"

	"pgmpi/internal/stats"
	"pgmpi/testkit/golden"
	"pgmpi/testkit/must"
)

// vectors are the golden vectors of a Test.
type vectors struct {
	file, kind string
	p          func(goldenP) *float64
	// differences: the vectors are for x − y, and the Test takes logarithms of ratios.
	differences bool
}

type goldenP struct {
	Exact  *float64 `json:"p_exact"`
	Normal *float64 `json:"p_normal_cc"` // nil: undefined in R
}

func exactP(p goldenP) *float64  { return p.Exact }
func normalP(p goldenP) *float64 { return p.Normal }

var vectorsOf = map[TestName]vectors{
	TestRankSum:       {"wilcoxon_greater.json", "wilcoxon_rank_sum_greater", exactP, false},
	TestRankSumNormal: {"wilcoxon_greater.json", "wilcoxon_rank_sum_greater", normalP, false},
	TestSignedRank:    {"signedrank_greater.json", "wilcoxon_signed_rank_greater", exactP, true},
	TestCappedRank:    {"signedrank_capped.json", "capped_signed_rank_greater", exactP, true},
	TestKS:            {"ks_greater.json", "kolmogorov_smirnov_orig_greater", exactP, false},
}

// everyTest is all that can judge, also what cannot be asked for by name.
func everyTest() (all []*Test) {
	for _, s := range tests {
		all = append(all, s)
		if s.Beyond != nil {
			all = append(all, s.Beyond)
		}
	}
	return all
}

func TestEveryTestHasGoldenVectorsAndGivesTheirPValues(t *testing.T) {
	for _, s := range everyTest() {
		v, ok := vectorsOf[s.Name]
		if !ok {
			t.Errorf("%s: a test needs golden vectors from R or SciPy in testdata/golden, and its line in vectorsOf", s.Name)
			continue
		}
		compared := 0
		for _, c := range golden.Load[struct {
			Cases []struct {
				ID     string
				X, Y   []float64
				Expect goldenP
			}
		}](t, v.file, v.kind).Cases {
			want := v.p(c.Expect)
			if want == nil || s.Most > 0 && max(len(c.X), len(c.Y)) > s.Most || v.differences && len(c.X) > stats.MaxExactSignedRank {
				continue
			}
			if v.differences {
				c.X, c.Y = asRatios(c.X, c.Y)
			}
			got := must.Get(s.P(c.X, c.Y))(t)
			near(t, string(s.Name)+" "+c.ID, got.P, *want)
			compared++
		}
		if compared < 30 {
			t.Errorf("%s: only %d vectors were compared", s.Name, compared)
		}
	}
}

// asRatios gives pairs whose logarithms of ratios are in proportion to the differences of x and y.
func asRatios(x, y []float64) (ratios, ones []float64) {
	largest := 1e-300
	for i := range x {
		largest = max(largest, math.Abs(x[i]-y[i]))
	}
	for i := range x {
		ratios, ones = append(ratios, math.Exp((x[i]-y[i])/largest)), append(ones, 1)
	}
	return ratios, ones
}

// wilcox.test(x, y, alternative = …, exact = TRUE) of R 4.2.2; b takes longer than a where x > y.
func TestPValuesOfEveryAlternativeAreThoseOfR(t *testing.T) {
	x := []float64{110, 104, 121, 99.5, 117, 108, 131, 126}
	y := []float64{101, 103, 98, 107, 112, 96}
	for _, c := range []struct {
		alternative Alternative
		p, swapped  float64
	}{
		{Greater, 0.0213120213120213, 0.985347985347985},
		{Less, 0.985347985347985, 0.0213120213120213},
		{TwoSided, 0.0426240426240426, 0.0426240426240426},
	} {
		for k, pair := range []Pair{{Orig: x, Other: y}, {Orig: y, Other: x}} {
			d := must.Get(NewComparison(Default(), c.alternative, false, len(pair.Other), len(pair.Orig), 1))(t)
			near(t, string(c.alternative), judged(t, d, 0, []Pair{pair})[0].P, []float64{c.p, c.swapped}[k])
		}
	}
}
