package judge

import (
	"slices"

	"pgmpi/internal/stats"
)

// Verdict answers a planned test (docs/dev/statistics.md).
type Verdict string

const (
	Violated     Verdict = "violated"      // significant, and by at least min_slowdown
	Marginal     Verdict = "marginal"      // significant, but smaller than min_slowdown or two clock ticks
	Kept         Verdict = "kept"          // significantly not slower than min_slowdown
	Undecided    Verdict = "undecided"     // the data show neither
	Suspected    Verdict = "suspected"     // split-robustness from medians, without a test
	NotSuspected Verdict = "not_suspected" // the same
	SeenOnce     Verdict = "seen_once"     // slower by min_slowdown in imported mpiruns too few for a verdict
	NotMeasured  Verdict = "not_measured"  // too much memory, or counts above an int
	Wrong        Verdict = "wrong"         // the call or its mock-up gave wrong data, or did not return
)

func (v Verdict) Known() bool {
	return slices.Contains([]Verdict{Violated, Marginal, Kept, Undecided, Suspected, NotSuspected, SeenOnce, NotMeasured, Wrong}, v)
}

// Tested tells whether it is of a planned test. Medians that suspect a split, or do not, are none.
func (v Verdict) Tested() bool { return v != Suspected && v != NotSuspected }

// Pair holds the run medians of a call and of its other side. They have any one unit of time, and
// are paired by mpirun unless they are from two folders. A Pair without medians belongs to a test
// that was planned but could not be made.
type Pair struct {
	Orig, Other []float64
	// Factor says how much slower each mpirun was in general than others, or is nil. Tests that do
	// not pair the mpiruns divide both sides by it.
	Factor []float64
}

// Outcome holds what is known of one test of a family. Undefined numbers are NaN.
type Outcome struct {
	P         float64 // of the alternative; after several looks, what was spent; at a screen, the screen's own
	PAdjusted float64 // over the family
	PKept     float64 // one-sided: the call is faster than MinSlowdown times the other side
	Ratio     float64 // the effect: how many times slower the call is
	Lo95      float64 // its two-sided 95 % interval
	Hi95      float64
	Stars     string // by PAdjusted: * ≤ .05, ** ≤ .01, *** ≤ .001
	Verdict   Verdict
	Runs      int  // mpiruns that it rests on, or 0
	Decided   bool // no more mpiruns would change the verdict
	// Stopped tells that an undecided test also needs no more mpiruns: it does not point to a
	// violation.
	Stopped bool
	// Replication is the probability that a new check of this design finds the violation again; 0
	// where it is not violated, or where that is not known.
	Replication float64

	// OnClock tells that the test would be kept, but for steps of the clock that could hide a
	// slowdown of MinSlowdown. TooNear tells the same of what differs from check to check.
	OnClock, TooNear bool

	slower, kept stats.TestResult // P and PKept come from these
	raw          float64          // the last look's own p-value
}

func (o *Outcome) Done() bool { return o.Decided || o.Stopped }

// Between and BetweenBusy are standard deviations of a test's true log ratio from check to check.
// What all mpiruns of a check have in common, such as where the buffers lie or what the host does
// meanwhile, is in no interval. They were measured (docs/dev/statistics.md), on a machine of its own
// and beside other programs, and hold where a check's own history does not tell.
const (
	Between     = 0.03
	BetweenBusy = 0.05
)

const FirmLevel = 0.9

func (o *Outcome) Firm() bool { return o.Replication >= FirmLevel }

// SplitSuspected tells whether a call is slower than k calls on 1/k of the data. It must be so by
// more than the tolerance, a fraction of k·part (S-PGMPI §4.3, docs/dev/statistics.md). Both times
// are medians of run medians in one unit.
func SplitSuspected(whole, part float64, k int, tolerance float64) bool {
	return whole > (1+tolerance)*float64(k)*part
}
