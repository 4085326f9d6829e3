package report

import (
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/fixture/should"
)

func TestTheMatrixBeginsWithWhatItCanSay(t *testing.T) {
	type tests = map[judge.Verdict]int
	for _, c := range []struct {
		columns []tests
		want    string
	}{
		{[]tests{{judge.Violated: 1, judge.Kept: 1}, {judge.Kept: 2}}, "VIOLATED in any of 2 columns: 1 of 1 patterns."},
		{[]tests{{judge.Violated: 1, judge.Undecided: 1}}, "VIOLATED in any of 1 column: 1 of 1 patterns; 1 test undecided."},
		{[]tests{{judge.Kept: 2}, {judge.Undecided: 1, judge.Kept: 1}}, "NO VIOLATION SHOWN in any of 2 columns: 0 of 1 patterns; 1 test undecided."},
		{[]tests{{judge.Undecided: 2}}, "NOT JUDGED: no verdict in A: 2 tests undecided."},
		{[]tests{{judge.NotMeasured: 2}, {judge.NotMeasured: 1, judge.Undecided: 1}}, "NOT JUDGED: no verdict in A, B: 1 test undecided."},
		{[]tests{{judge.Undecided: 1, judge.NotSuspected: 1, judge.Wrong: 1}}, "NOT JUDGED: no verdict in A: 1 test undecided."},
		{[]tests{{judge.NotMeasured: 2}}, "NOT JUDGED: no verdict in A."},
		{[]tests{{judge.Kept: 2}, {judge.NotMeasured: 2}}, "NO VIOLATION SHOWN in any of 2 columns: 0 of 1 patterns; no verdict in B."},
		{[]tests{{judge.Violated: 1}, {judge.Undecided: 2}}, "VIOLATED in any of 2 columns: 1 of 1 patterns; 2 tests undecided; no verdict in B."},
	} {
		m := &series.Matrix{Columns: make([]series.MatrixColumn, len(c.columns)), Rows: []series.MatrixRow{{Guideline: "GL8", Type: guidelines.Pattern}}}
		for _, tests := range c.columns {
			m.Rows[0].Cells = append(m.Rows[0].Cells, &series.MatrixCell{Tests: tests})
		}
		should.Equal(t, checks.MatrixSections(m)[0].Text[0].Text, c.want)
	}
}
