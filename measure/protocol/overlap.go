package protocol

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The ways to compute beside a nonblocking call (S-NETGAUGE §4.1).
const (
	OverlapTime = "time" // for so long by the clock
	OverlapWork = "work" // steps of a loop, whose number was calibrated
)

var OverlapMethods = []string{OverlapTime, OverlapWork}

type OverlapJob struct {
	Method string `json:"method"` // of OverlapMethods
	// Intervals are what is tried between two progress tests, in bytes of msize; none at
	// all is always tried.
	Intervals []int64 `json:"intervals,omitempty"`
}

// mostTests is the most progress tests of a call; intervals with more are not tried.
const mostTests = 4096

// Tests are the numbers of progress tests of a call, ascending and each once, with the
// largest interval that gives them: floor(msize/interval) + 1 (S-NETGAUGE §4.2), and first
// none at all.
func (j *OverlapJob) Tests(msize int64) []OverlapTry {
	out := []OverlapTry{{}}
	for _, interval := range slices.Backward(slices.Sorted(slices.Values(j.Intervals))) {
		n := msize/max(1, interval) + 1
		if n <= mostTests && n > out[len(out)-1].Tests {
			out = append(out, OverlapTry{Interval: interval, Tests: n})
		}
	}
	return out
}

// OverlapTry is one number of tests, and what it has cost in the search.
type OverlapTry struct {
	Interval   int64   `json:"interval,omitempty"` // bytes of msize; 0: no tests
	Tests      int64   `json:"tests"`
	OverheadNS float64 `json:"overhead_ns"` // as Overlapped.ExcessNS
}

// Overlap is what a mpirun found of a nonblocking call. Times are ns, and medians over the
// valid repetitions of the largest of all ranks'.
type Overlap struct {
	BlockingNS float64      `json:"blocking_ns"`        // T_b: post, then Wait, in alternation with the rest
	ComputeNS  int64        `json:"compute_ns"`         // that is to be computed for: T_b before the rest
	Steps      int64        `json:"steps,omitempty"`    // of the loop, with OverlapWork
	AloneNS    int64        `json:"alone_ns,omitempty"` // what these take alone, at rank 0
	Search     []OverlapTry `json:"search"`             // what chose Best
	None       Overlapped   `json:"none"`               // without tests
	Best       Overlapped   `json:"best"`               // with those that the search chose; may be none
	// DoneNS is from post until MPI_Test, called in a row, finds the call done.
	DoneNS float64 `json:"done_ns"`
}

type Overlapped struct {
	Interval   int64   `json:"interval,omitempty"`
	Tests      int64   `json:"tests"`
	N          int     `json:"n"` // valid repetitions
	PostNS     float64 `json:"post_ns"`
	TestsNS    float64 `json:"tests_ns"`
	WaitNS     float64 `json:"wait_ns"`
	OverheadNS float64 `json:"overhead_ns"` // of all three in a repetition
	OverallNS  float64 `json:"overall_ns"`  // from before the post to after the Wait
	ExcessNS   float64 `json:"excess_ns"`   // of that, without the computation
}

func (o *Overlap) Check() error {
	if o == nil {
		return nil
	}
	times := []float64{o.BlockingNS, float64(o.ComputeNS), float64(o.Steps), float64(o.AloneNS), o.DoneNS}
	for _, x := range []Overlapped{o.None, o.Best} {
		if x.N < 1 || x.Tests < 0 || x.Tests > mostTests || x.Interval < 0 || math.IsNaN(x.ExcessNS) || math.Abs(x.ExcessNS) > MaxRawInt {
			return fmt.Errorf("%d repetitions with %d tests and %v ns beside the computation", x.N, x.Tests, x.ExcessNS)
		}
		times = append(times, x.PostNS, x.TestsNS, x.WaitNS, x.OverheadNS, x.OverallNS)
	}
	for _, ns := range times {
		if !(ns >= 0 && ns <= MaxRawInt) {
			return fmt.Errorf("%v ns beside a nonblocking call is no time", ns)
		}
	}
	if !(o.BlockingNS > 0) || len(o.Search) == 0 || len(o.Search) > mostTests {
		return errors.New("a nonblocking call without a time, or without a search")
	}
	return nil
}
