package main

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/fixture/should"
)

func TestABSaysWhatEachSideViolates(t *testing.T) {
	of := func(ids ...string) *analyze.Report {
		r := &analyze.Report{}
		for _, id := range ids {
			r.Verdicts = append(r.Verdicts, analyze.Verdict{Guideline: id, Verdict: judge.Violated}, analyze.Verdict{Guideline: id, Msize: 8, Verdict: judge.Kept})
		}
		return r
	}
	for want, reports := range map[string][2]*analyze.Report{
		"A: 2 violated; o/a/report.txt\nB: 2 violated, the same as A; o/b/report.txt\n":       {of("GL8", "GL9"), of("GL8", "GL9")},
		"A: 2 violated; o/a/report.txt\nB: 2 violated, 1 of them also in A; o/b/report.txt\n": {of("GL8", "GL9"), of("GL8", "GL5")},
		"A: 2 violated; o/a/report.txt\nB: 0 violated, 0 of them also in A; o/b/report.txt\n": {of("GL8", "GL9"), of()},
		"A: 0 violated; o/a/report.txt\nB: 0 violated, the same as A; o/b/report.txt\n":       {of(), of()},
	} {
		should.Equal(t, bySide(reports, "o/a", "o/b"), want)
	}
}
