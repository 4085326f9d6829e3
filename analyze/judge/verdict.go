package judge

import "pgmpi/internal/stats"

// Verdict is what is said of a planned test (docs/statistics.md).
type Verdict string

// All verdicts.
const (
	Violated     Verdict = "violated"      // significant, and by at least min_slowdown
	Marginal     Verdict = "marginal"      // significant, but smaller than min_slowdown or two clock ticks
	Kept         Verdict = "kept"          // significantly not slower than min_slowdown
	Undecided    Verdict = "undecided"     // neither can be said
	Suspected    Verdict = "suspected"     // split-robustness from medians, without a test
	NotSuspected Verdict = "not_suspected" // the same
	NotMeasured  Verdict = "not_measured"  // too much memory, or counts above an int
	Wrong        Verdict = "wrong"         // the call or its mock-up gave wrong data
)

// Pair holds the run medians of a call and of what it must not be slower than,
// in any one unit of time, paired by mpirun unless they are from two folders. A
// Pair without medians belongs to a test that was planned but could not be made.
type Pair struct {
	Orig, Other []float64
}

// Outcome is what is known of one test of a family. Undefined numbers are NaN.
type Outcome struct {
	P         float64 // of the alternative; after several looks, what was spent
	PAdjusted float64 // over the family
	PKept     float64 // one-sided: the call is faster than MinSlowdown times the other side
	Ratio     float64 // the effect: how many times slower the call is
	Lo95      float64 // its two-sided 95 % interval
	Hi95      float64
	Stars     string // by PAdjusted: * ≤ .05, ** ≤ .01, *** ≤ .001
	Verdict   Verdict
	Runs      int  // mpiruns that it rests on; 0: none
	Decided   bool // it needs no more mpiruns

	slower, kept stats.TestResult // that P and PKept are from
}

// SplitSuspected tells whether a call is slower than k calls on 1/k of the
// data by more than the tolerance, a fraction of k·part (S-PGMPI §4.3,
// docs/statistics.md). Both times are medians of run medians in one unit.
func SplitSuspected(whole, part float64, k int, tolerance float64) bool {
	return whole > (1+tolerance)*float64(k)*part
}
