package selftest

import (
	"testing"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/testkit/documents"
)

func TestTheDocumentOwesNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		passed, failed := examples()
		return map[string]documents.Example{"passed": documents.Of(kind, passed), "failed": documents.Of(kind, failed)}
	})
}

func examples() (passed, failed *Result) {
	number := func(x float64) *float64 { return &x }
	verdict := func(guideline string, typ guidelines.Type, mockup string, is judge.Verdict, ratio float64) analyze.Verdict {
		return analyze.Verdict{Guideline: guideline, Type: typ, Function: "MPI_Allgather", Mockup: mockup, Msize: 1024, Tested: analyze.Tested{Effect: analyze.Effect{Ratio: number(ratio)}}, Verdict: is}
	}
	r := &analyze.Report{Library: analyze.Library{Version: "MPICH Version: 4.0.2\nand more"}, Shapes: []analyze.Shape{{Name: "p2", Shape: guidelines.Shape{NP: 2}}},
		R: 10, Alpha: 0.05, M: 80, Adjust: "bh", Verdicts: []analyze.Verdict{
			verdict("GL1", guidelines.Monotony, "", judge.Kept, 0.5), verdict("GL5", guidelines.Pattern, "allgather_as_alltoall", judge.Kept, 0.9),
			verdict("self", guidelines.Pattern, "identity:MPI_Allgather", judge.Undecided, 1)}}
	slow := []analyze.Verdict{verdict("GL1", guidelines.Monotony, "", judge.Violated, 41.4), verdict("GL5", guidelines.Pattern, "allgather_as_alltoall", judge.Kept, 1)}
	sizes := []string{"64", "1Ki", "16Ki"}
	aa := Identities{Report: r, Tests: 2, Verdicts: map[judge.Verdict]int{judge.Undecided: 1, judge.Kept: 1}}
	found := PlantedTest{Before: &r.Verdicts[0], With: &slow[0], Result: PlantFound}
	passed = &Result{Function: "MPI_Allgather", Sizes: sizes, A: &aa,
		B: &Planted{Msize: 1024, By: 200 * time.Microsecond, Tests: 1, Shown: []PlantedTest{found}, Small: []Share{{Percent: 25, Msize: 1024, Tests: 10, Found: 9}, {Percent: 10, Msize: 16384, Tests: 10, Found: 4}}}}
	again := aa
	again.False = 1
	failed = &Result{Function: "MPI_Allgather", Sizes: sizes, A: &again, B: &Planted{Msize: 1024, By: 200 * time.Microsecond, Tests: 2, Wrong: 1, Again: 1,
		Shown: []PlantedTest{found, {Before: &r.Verdicts[1], With: &slow[1], Result: PlantMissed}}}}
	return passed, failed
}
