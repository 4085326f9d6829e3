package judge

import (
	"slices"

	"pgmpi/internal/stats"
)

// Verdict is the answer of a planned test (docs/dev/statistics.md).
type Verdict string

const (
	Violated     Verdict = "violated"      // significant, and by at least min_slowdown
	Marginal     Verdict = "marginal"      // significant, but smaller than min_slowdown or two clock ticks
	Kept         Verdict = "kept"          // significantly not slower than min_slowdown
	Undecided    Verdict = "undecided"     // neither can be said
	Suspected    Verdict = "suspected"     // split-robustness from medians, without a test
	NotSuspected Verdict = "not_suspected" // the same
	SeenOnce     Verdict = "seen_once"     // slower by min_slowdown in fewer imported mpiruns than a verdict needs: another may differ
	NotMeasured  Verdict = "not_measured"  // too much memory, or counts above an int
	Wrong        Verdict = "wrong"         // the call or its mock-up gave wrong data, or the library did not return from it
)

func (v Verdict) Known() bool {
	return slices.Contains([]Verdict{Violated, Marginal, Kept, Undecided, Suspected, NotSuspected, SeenOnce, NotMeasured, Wrong}, v)
}

// Pair holds the run medians of a call and of what it must not be slower than,
// in any one unit of time, paired by mpirun unless they are from two folders. A
// Pair without medians belongs to a test that was planned but could not be made.
type Pair struct {
	Orig, Other []float64
	// Factor is, by mpirun, how much slower it was in general than the others; nil:
	// not known. Tests that do not pair the mpiruns divide both sides by it.
	Factor []float64
}

// Outcome is what is known of one test of a family. Undefined numbers are NaN.
type Outcome struct {
	P         float64 // of the alternative; after several looks, what was spent; at a screen, its own
	PAdjusted float64 // over the family
	PKept     float64 // one-sided: the call is faster than MinSlowdown times the other side
	Ratio     float64 // the effect: how many times slower the call is
	Lo95      float64 // its two-sided 95 % interval
	Hi95      float64
	Stars     string // by PAdjusted: * ≤ .05, ** ≤ .01, *** ≤ .001
	Verdict   Verdict
	Runs      int  // mpiruns that it rests on; 0: none
	Decided   bool // no more mpiruns would change the verdict
	// Stopped tells that an undecided test needs no more mpiruns either: it does not
	// point to a violation.
	Stopped bool
	// Replication is the probability that a new check of the same design calls the
	// test violated again; 0 where it is not violated, or where that is not known.
	Replication float64

	slower, kept stats.TestResult // that P and PKept are from
	raw          float64          // the last look's own p-value
}

func (o *Outcome) Done() bool { return o.Decided || o.Stopped }

// BetweenChecks is how far a test's true ratio spreads from check to check, as a standard
// deviation of logarithms: what all mpiruns of a check have in common, such as where the
// buffers lie or what the host does meanwhile, is in no interval. It was measured
// (docs/dev/statistics.md).
const BetweenChecks = 0.03

const FirmLevel = 0.9

func (o *Outcome) Firm() bool { return o.Replication >= FirmLevel }

// SplitSuspected tells whether a call is slower than k calls on 1/k of the
// data by more than the tolerance, a fraction of k·part (S-PGMPI §4.3,
// docs/dev/statistics.md). Both times are medians of run medians in one unit.
func SplitSuspected(whole, part float64, k int, tolerance float64) bool {
	return whole > (1+tolerance)*float64(k)*part
}
