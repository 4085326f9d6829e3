package analyze

import (
	"fmt"
	"math"
	"slices"

	"pgmpi/internal/stats"
	"pgmpi/measure/results"
)

// Names of tests, as in gl.toml and report.json.
const (
	TestAuto       = "auto"
	TestRankSum    = "ranksum"    // exact conditional Wilcoxon rank-sum
	TestSignedRank = "signedrank" // exact Wilcoxon signed-rank on paired differences
	TestKS         = "ks"         // exact Kolmogorov-Smirnov
	// TestRankSumNormal is the rank-sum by its normal approximation with
	// continuity correction: what method paper uses, and the exact test above
	// 50 medians per side. It cannot be asked for by name.
	TestRankSumNormal = "ranksum_normal"
)

// Names of methods.
const (
	MethodDefault = "default" // exact test, Benjamini-Hochberg, minimum slowdown
	MethodCI      = "ci"      // default with Holm
	MethodPaper   = "paper"   // as S-PGMPI §4.3: unadjusted, no minimum slowdown
	MethodMargin  = "margin"  // tests against the minimum slowdown directly
)

// Names of adjustments over the family.
const (
	AdjustAuto = "auto"
	AdjustBH   = "bh"
	AdjustHolm = "holm"
	AdjustNone = "none"
)

// exactLimit is the most medians per side that the exact rank-sum is computed
// for (docs/statistics.md).
const exactLimit = 50

// maxR bounds the search for the number of mpiruns that would do.
const maxR = results.MaxMPIRuns

// Pair holds the run medians of a call and of what it must not be slower than,
// paired by mpirun, in any one unit of time. A Pair without medians belongs to
// a test that was planned but could not be made.
type Pair struct {
	Orig, Other []float64
}

// Outcome is what the procedure says of one Pair. Undefined numbers are NaN.
type Outcome struct {
	P         float64 // one-sided: the call is slower
	PAdjusted float64 // over the family
	PKept     float64 // one-sided: the call is faster than MinSlowdown times the other side
	Ratio     float64 // the effect: how many times slower the call is
	Lo95      float64 // its two-sided 95 % interval
	Hi95      float64
	Stars     string // by PAdjusted: * ≤ .05, ** ≤ .01, *** ≤ .001
	Verdict   string
}

// Procedure is a method with everything chosen (docs/statistics.md).
type Procedure struct {
	Method      string
	Test        string  // never auto
	Adjust      string  // never auto
	Alpha       float64 // level of the whole family
	MinSlowdown float64 // ratio from which a significant slowdown is a violation, 1.05 for 5 %
	Tick        float64 // the clock's resolution, in the unit of the medians; 0: not considered
	R           int     // mpiruns
	M           int     // tests in the family
	PMin        float64 // smallest p-value that Test can give with R mpiruns
	Refused     bool    // PMin is above the level that a lone violation needs
}

// Refusal says why no verdict is possible, and how many mpiruns would do.
type Refusal struct {
	Reason string `json:"reason"`
	// RNeeded is the least R at which a lone violation can be reported; 0: none.
	RNeeded int `json:"r_needed"`
}

// NewProcedure chooses test and adjustment from the configuration, R and the
// number m of tests in the family, never from the data. Where R is too small
// for the level the Refusal is not nil; the Procedure then gives p-values and
// ratios, but no verdicts. An unknown name is an error.
func NewProcedure(cfg Config, r, m int) (Procedure, *Refusal, error) {
	p := Procedure{Method: cfg.Method, Adjust: cfg.Adjust, Alpha: cfg.Alpha, MinSlowdown: cfg.MinSlowdown, R: r, M: m}
	if err := p.chooseAdjust(); err != nil {
		return p, nil, err
	}
	candidates, err := candidates(cfg, r)
	if err != nil {
		return p, nil, err
	}
	for _, test := range candidates {
		p.Test, p.PMin = test, smallestP(test, r)
		if m == 0 || p.PMin <= p.level() {
			return p, nil, nil
		}
	}
	p.Refused = true
	return p, p.refusal(cfg, 1), nil
}

// refusal is nil where a lone violation can be found by spending the given share
// of Alpha.
func (p *Procedure) refusal(cfg Config, share float64) *Refusal {
	if p.M == 0 || p.PMin <= p.level()*share {
		return nil
	}
	needed := p.rNeeded(cfg, share)
	refusal := &Refusal{RNeeded: needed, Reason: fmt.Sprintf(
		"R = %d mpiruns are too few: the smallest p-value that %s can give is %.2g, a lone violation among m = %d tests needs %.2g",
		p.R, p.Test, p.PMin, p.M, p.level()*share)}
	if needed > 0 {
		refusal.Reason += fmt.Sprintf("; R = %d would do", needed)
	}
	return refusal
}

func (p *Procedure) chooseAdjust() error {
	byMethod := map[string]string{MethodDefault: AdjustBH, MethodMargin: AdjustBH, MethodCI: AdjustHolm, MethodPaper: AdjustNone}
	auto, ok := byMethod[p.Method]
	if !ok {
		return fmt.Errorf("analyze: unknown method %q", p.Method)
	}
	switch p.Adjust {
	case AdjustAuto:
		p.Adjust = auto
	case AdjustBH, AdjustHolm, AdjustNone:
	default:
		return fmt.Errorf("analyze: unknown adjustment %q", p.Adjust)
	}
	return nil
}

// rankSumOf is the rank-sum for up to r medians per side.
func rankSumOf(r int) string {
	if r > exactLimit {
		return TestRankSumNormal
	}
	return TestRankSum
}

// candidates returns the tests that may be used, the preferred one first.
func candidates(cfg Config, r int) ([]string, error) {
	rankSum := rankSumOf(r)
	if cfg.Method == MethodPaper {
		rankSum = TestRankSumNormal
	}
	switch cfg.Test {
	case TestAuto:
		if cfg.Method == MethodPaper {
			return []string{rankSum}, nil
		}
		return []string{TestSignedRank, rankSum}, nil
	case TestRankSum:
		return []string{rankSum}, nil
	case TestSignedRank, TestKS:
		return []string{cfg.Test}, nil
	}
	return nil, fmt.Errorf("analyze: unknown test %q", cfg.Test)
}

// level is the p-value that a lone violation must reach.
func (p *Procedure) level() float64 {
	if p.Adjust == AdjustNone || p.M == 0 {
		return p.Alpha
	}
	return p.Alpha / float64(p.M)
}

// rNeeded is the least R whose test, which all of Alpha chooses, can find a lone
// violation by the given share; 0: none.
func (p *Procedure) rNeeded(cfg Config, share float64) int {
	for r := p.R + 1; r <= maxR; r++ {
		tests, err := candidates(cfg, r)
		if err != nil {
			return 0
		}
		for _, test := range tests {
			if least := smallestP(test, r); least <= p.level() {
				if least <= p.level()*share {
					return r
				}
				break
			}
		}
	}
	return 0
}

// smallestP is the p-value of full separation with r medians per side. The
// distance of Kolmogorov-Smirnov has the same extreme as the rank sum:
// 1/C(2R,R).
func smallestP(test string, r int) float64 {
	if r < 1 {
		return 1
	}
	switch test {
	case TestSignedRank:
		return stats.MinPSignedRank(r)
	case TestRankSumNormal:
		return smallestNormal(r, r)
	}
	return stats.MinPRankSum(r)
}

// smallestNormal is that of the rank-sum's normal approximation, for m and n
// medians without ties.
func smallestNormal(m, n int) float64 {
	a, b := float64(m), float64(n)
	sigma := math.Sqrt(a * b / 12 * (a + b + 1))
	return 0.5 * math.Erfc((a*b/2-0.5)/sigma/math.Sqrt2)
}

// Apply tests every Pair of a family, adjusts, and gives the verdicts.
func (p Procedure) Apply(family []Pair) ([]Outcome, error) {
	out := make([]Outcome, len(family))
	ps := make([]float64, len(family))
	for i, pair := range family {
		if len(pair.Orig) == 0 {
			out[i] = Outcome{P: math.NaN(), PKept: math.NaN(), Ratio: math.NaN(), Lo95: math.NaN(), Hi95: math.NaN()}
			ps[i] = 1 // planned, hence counted
			continue
		}
		o, err := p.one(pair)
		if err != nil {
			return nil, err
		}
		out[i], ps[i] = o, o.P
	}
	if len(family) == 0 {
		return out, nil
	}
	adjusted, err := stats.Adjust(ps, p.Adjust)
	if err != nil {
		return nil, err
	}
	for i := range out {
		o := &out[i]
		if math.IsNaN(o.P) {
			o.PAdjusted, o.Verdict = math.NaN(), Undecided
			continue
		}
		o.PAdjusted, o.Stars = adjusted[i], stats.Stars(adjusted[i])
		o.Verdict = p.verdict(o, family[i])
	}
	return out, nil
}

// one computes what does not depend on the rest of the family.
func (p Procedure) one(pair Pair) (Outcome, error) {
	var o Outcome
	var err error
	if o.P, err = pValue(p.Test, pair.Orig, p.against(pair)); err != nil {
		return o, err
	}
	if o.PKept, err = pValue(p.Test, scale(pair.Other, p.MinSlowdown), pair.Orig); err != nil {
		return o, err
	}
	e, err := p.effect(pair)
	o.Ratio, o.Lo95, o.Hi95 = e.Ratio, e.Lo95, e.Hi95
	return o, err
}

// against is what the call's medians are tested against.
func (p Procedure) against(pair Pair) []float64 {
	if p.Method == MethodMargin {
		return scale(pair.Other, p.MinSlowdown)
	}
	return pair.Other
}

// verdict applies docs/statistics.md.
func (p Procedure) verdict(o *Outcome, pair Pair) string {
	significant := o.PAdjusted <= p.Alpha
	switch {
	case p.Refused:
		return Undecided
	case p.Method == MethodPaper && significant:
		return Violated
	case p.Method == MethodPaper:
		return Kept
	case significant && o.Ratio >= p.MinSlowdown && p.visible(pair):
		return Violated
	case significant:
		return Marginal
	case o.PKept <= p.Alpha:
		return Kept
	}
	return Undecided
}

// visible: the medians differ by two clock ticks at least. A smaller
// difference may be the clock's own.
func (p Procedure) visible(pair Pair) bool {
	return math.Abs(median(pair.Orig)-median(pair.Other)) >= 2*p.Tick
}

// effect is the Hodges-Lehmann ratio that belongs to the test, with its
// interval. Method paper has the ratio of the medians; the paper gives it no
// interval, so it gets that of the rank-sum (docs/statistics.md).
func (p Procedure) effect(pair Pair) (stats.Effect, error) {
	estimate := stats.HodgesLehmannRankSum
	if p.Test == TestSignedRank {
		estimate = stats.HodgesLehmannSignedRank
	}
	e, err := estimate(pair.Orig, pair.Other)
	if p.Method == MethodPaper {
		e.Ratio = median(pair.Orig) / median(pair.Other)
	}
	return e, err
}

var tests = map[string]func(x, y []float64) (stats.TestResult, error){
	TestRankSum:       stats.RankSum,
	TestRankSumNormal: stats.RankSumNormal,
	TestSignedRank:    stats.SignedRank,
	TestKS:            stats.KS,
}

// pValue tests whether x is larger than y.
func pValue(test string, x, y []float64) (float64, error) {
	result, err := tests[test](x, y)
	return result.P, err
}

// median of values that are known to be finite; NaN for none.
func median(x []float64) float64 {
	return stats.MedianSorted(slices.Sorted(slices.Values(x)))
}

func scale(xs []float64, by float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x * by
	}
	return out
}
