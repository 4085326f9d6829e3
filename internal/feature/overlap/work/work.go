// Package work defines what driver and ranks exchange about overlapped calls: the job and the answer.
// It has no part in measuring or judging.
package work

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pgmpi/measure/protocol"
)

// Work goes on with each case after its timed calls. Its name is the mode of its mpiruns.
var Work = &protocol.Work[Job, Answer]{Name: "overlap", Check: (*Answer).Check}

// Methods are the ways to compute during a nonblocking call (S-NETGAUGE §4.1), of [overlap] in gl.toml.
var Methods = []string{ByTime, ByWork}

const (
	ByTime = "time" // for a time by the clock
	ByWork = "work" // steps of a loop, whose number was calibrated
)

type Job struct {
	Method string `json:"method"` // of Methods
	// Intervals are tried between two progress tests, in bytes of msize; no tests at all are always
	// tried.
	Intervals []int64 `json:"intervals,omitempty"`
}

// mostTests is the most progress tests of a call; intervals with more are not tried.
const mostTests = 4096

// Tests returns the numbers of progress tests of a call, ascending and each once. Each has the largest
// interval that gives it: floor(msize/interval) + 1 (S-NETGAUGE §4.2). The first is no tests at all.
func (j *Job) Tests(msize int64) []Try {
	out := []Try{{}}
	for _, interval := range slices.Backward(slices.Sorted(slices.Values(j.Intervals))) {
		n := msize/max(1, interval) + 1
		if n <= mostTests && n > out[len(out)-1].Tests {
			out = append(out, Try{Interval: interval, Tests: n})
		}
	}
	return out
}

// Try is one number of tests, and what it has cost in the search.
type Try struct {
	Interval   int64   `json:"interval,omitempty"` // bytes of msize, or 0 without tests
	Tests      int64   `json:"tests"`
	OverheadNS float64 `json:"overhead_ns"` // as Side.ExcessNS
}

// Answer holds an mpirun's times of a nonblocking call. They are ns, and medians over the valid
// repetitions of the largest of all ranks'.
type Answer struct {
	BlockingNS float64 `json:"blocking_ns"`        // T_b: post, then Wait, in alternation with the rest
	ComputeNS  int64   `json:"compute_ns"`         // that is to be computed for: T_b before the rest
	Steps      int64   `json:"steps,omitempty"`    // of the loop, with ByWork
	AloneNS    int64   `json:"alone_ns,omitempty"` // what these take alone, at rank 0
	Search     []Try   `json:"search"`             // what chose Best
	None       Side    `json:"none"`               // without tests
	Best       Side    `json:"best"`               // with those that the search chose; may be none
	// DoneNS is from post until MPI_Test, called in a row, finds the call done.
	DoneNS float64 `json:"done_ns"`
}

type Side struct {
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

func (o *Answer) Check() error {
	times := []float64{o.BlockingNS, float64(o.ComputeNS), float64(o.Steps), float64(o.AloneNS), o.DoneNS}
	for _, x := range []Side{o.None, o.Best} {
		if x.N < 1 || x.Tests < 0 || x.Tests > mostTests || x.Interval < 0 || math.IsNaN(x.ExcessNS) || math.Abs(x.ExcessNS) > protocol.MaxRawInt {
			return fmt.Errorf("%d repetitions with %d tests and %v ns beside the computation", x.N, x.Tests, x.ExcessNS)
		}
		times = append(times, x.PostNS, x.TestsNS, x.WaitNS, x.OverheadNS, x.OverallNS)
	}
	for _, ns := range times {
		if !(ns >= 0 && ns <= protocol.MaxRawInt) {
			return fmt.Errorf("%v ns beside a nonblocking call is no time", ns)
		}
	}
	if !(o.BlockingNS > 0) || len(o.Search) == 0 || len(o.Search) > mostTests {
		return errors.New("a nonblocking call without a time, or without a search")
	}
	return nil
}
