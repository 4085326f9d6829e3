package overlap

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/feature/overlap/work"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
)

func TestTheDocumentOwesNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"overlap": documents.Of(kind, example())}
	})
}

// example has a call that tests hide, one that they delay, and one that could not be measured.
func example() *Overlap {
	at := func(s float64) *float64 { return &s }
	middle := func(s float64) Middle {
		return Middle{Median: at(s), Lo95: at(.9 * s), Hi95: at(min(1, 1.1*s))}
	}
	side := func(interval, tests int64, blocking, overlap float64) OverlapSide {
		left := blocking * (1 - overlap)
		return OverlapSide{Interval: interval, Tests: tests, Chosen: 2, Post: middle(.2 * left), InTests: middle(.3 * left * float64(min(tests, 1))), Wait: middle(.5 * left),
			Overhead: middle(left), Share: middle(left / blocking), Overall: middle(blocking + left), Overlap: middle(overlap)}
	}
	of := func(function string, msize, tests int64, blocking, none, best float64, nb5, nb7 judge.Verdict) OverlapCase {
		c := OverlapCase{Cell: medians.Cell{Function: function, Msize: msize, Shape: "p2"}, NP: 2, R: 2, Blocking: middle(blocking), Done: middle(blocking / 1.2), Asked: middle(1 / 1.2),
			None: side(0, 0, blocking, none), Best: side(4096*min(tests, 1), tests, blocking, best),
			NB5: OverlapTest{Tested: analyze.Tested{Effect: analyze.Effect{Ratio: at(1.2), RatioLo95: at(1.1), RatioHi95: at(1.3)}, PValue: at(.01), PAdjusted: at(.02)}, Verdict: nb5},
			NB7: OverlapTest{Tested: analyze.Tested{Effect: analyze.Effect{Ratio: at(1 - best), RatioLo95: at(.9 - .9*best), RatioHi95: at(1.1 - best)}, PValue: at(1), PAdjusted: at(1)}, Verdict: nb7}}
		for run := range 2 {
			ns := 1e9 * blocking * float64(run+1)
			part := func(tests int64, hidden float64) work.Side {
				left := ns * (1 - hidden)
				return work.Side{Interval: 4096 * min(tests, 1), Tests: tests, N: 50, PostNS: left / 2, WaitNS: left / 2, OverheadNS: left, OverallNS: ns + left, ExcessNS: left}
			}
			c.Runs = append(c.Runs, OverlapRun{Run: run + 1, Answer: work.Answer{BlockingNS: ns, ComputeNS: int64(ns), None: part(0, none), Best: part(tests, best), DoneNS: ns / 1.2,
				Search: []work.Try{{OverheadNS: ns}, {Interval: 4096, Tests: max(1, tests), OverheadNS: ns / 2}}}})
		}
		return c
	}
	return &Overlap{Schema: Schema, Version: "1.0", Folder: analyze.ComparedFolder{Folder: "one", R: 2, Library: analyze.Library{Version: "MPICH Version: 4.0.2"}}, Method: work.ByWork,
		Operation: analyze.Operation{Datatype: "byte", Op: "bor", MsizeLegend: analyze.Legend}, Timing: protocol.Timing{Sync: "barrier", Sample: "local"},
		Progress: map[string]string{"MPICH_ASYNC_PROGRESS": "1"}, Test: "ranksum", Adjust: judge.AdjustBH, M: 8, Alpha: .05, MinSlowdown: 1.05,
		Cases: []OverlapCase{
			of("MPI_Ibcast", 8, 0, 5e-7, .2, .2, judge.Violated, judge.Kept), of("MPI_Ibcast", 1<<20, 257, 2e-4, .01, .85, judge.Undecided, judge.Kept),
			of("MPI_Ireduce", 8, 1, 7e-7, 0, .1, judge.Kept, judge.Marginal),
			{Cell: medians.Cell{Function: "MPI_Ireduce", Msize: 1 << 30, Shape: "p2"}, NP: 2, Reason: "needs 3 GiB", Runs: []OverlapRun{},
				NB5: OverlapTest{Verdict: judge.NotMeasured}, NB7: OverlapTest{Verdict: judge.NotMeasured}},
		},
		Count: map[judge.Verdict]int{judge.Violated: 1, judge.Kept: 3, judge.Undecided: 1, judge.Marginal: 1, judge.NotMeasured: 2}, Exit: 1}
}
