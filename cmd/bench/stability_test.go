package main

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
)

func TestFlipsAreCountedByCellOverAllChecks(t *testing.T) {
	// A row per cell, a column per check.
	cells := map[int64][]judge.Verdict{
		1: {judge.Violated, judge.Violated, judge.Violated},
		2: {judge.Kept, judge.Kept, judge.Undecided},
		3: {judge.Undecided, judge.Violated, judge.Violated},
		4: {judge.Kept, judge.Violated, judge.Marginal},
	}
	var reports []*analyze.Report
	for check := range 3 {
		r := &analyze.Report{}
		for msize := int64(1); msize <= 4; msize++ {
			r.Verdicts = append(r.Verdicts, analyze.Verdict{Guideline: "GL8", Function: "MPI_Reduce", Msize: msize, Verdict: cells[msize][check]})
		}
		reports = append(reports, r)
	}
	f := flipsOf(reports)
	if f.violated != 3 || f.kept != 1 || f.other != 2 {
		t.Errorf("got %+v, want 3 violated, 1 kept elsewhere, 2 anything else elsewhere", f)
	}
	if len(f.lines) != 2 || !strings.HasPrefix(f.lines[0], "GL8 MPI_Reduce at 3 B:") {
		t.Errorf("got lines %q", f.lines)
	}
}
