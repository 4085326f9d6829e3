package checks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/picture"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
	"pgmpi/testkit/shown"
)

func TestComparisonIsWholeInJSON(t *testing.T) {
	var again series.Comparison
	must.Do(t, json.Unmarshal([]byte(documents.Written(t, "json", Comparisons.Document(shown.Comparison()))), &again))
	should.Hold(t, again.ExitCode() == 1 && len(again.Cases) == 5 && again.Cases[1].Change == series.Slower, "%+v", again)
}

func TestAHistoryIsWholeInJSON(t *testing.T) {
	var again series.History
	must.Do(t, json.Unmarshal([]byte(documents.Written(t, "json", Histories.Document(shown.History()))), &again))
	s := again.Series[0]
	should.Hold(t, len(again.Series) == 2 && len(s.Nights) == 8 && *s.Nights[4].Alarms == 2 && s.Nights[1].Shift != nil && s.Nights[0].Created != "" && len(s.Trends[0].Points) == 8 && s.Trends[0].Points[6].Ratio == nil,
		"%+v", s)
}

func TestEveryRowOfAHistoryHasItsColumns(t *testing.T) {
	h := shown.History()
	for _, rows := range [][][]string{HistoryRows(h), HistoryRows(&series.History{Series: h.Series[1:]})} {
		for _, row := range rows {
			should.Hold(t, len(row) == len(HistoryColumns), "%d cells, want %d: %q", len(row), len(HistoryColumns), row)
		}
	}
	rows := HistoryRows(h)
	should.Hold(t, len(rows) == 10 && rows[5][slices.Index(HistoryColumns, "alarms")] == "2" && rows[5][slices.Index(HistoryColumns, "verdict")] == "violated" && rows[9][slices.Index(HistoryColumns, "alarms")] == "",
		"%q", rows)
}

func TestAHostileNightWritesNoLineOfItsOwn(t *testing.T) {
	h := shown.History()
	p := &h.Series[0].Trends[0].Points[0]
	pointer := func(x float64) *float64 { return &x }
	p.Verdict, p.Ratio, p.RatioLo95, p.RatioHi95, p.MedianS = "```\n# big\x1b[2J", pointer(1e-300), pointer(-1), pointer(1e300), pointer(1e300)
	h.Series[0].Nights[0].Created = "```"
	text := documents.Written(t, "table", Histories.Document(h))
	should.Hold(t, !strings.Contains(text, "\n# big") && !strings.Contains(text, "\x1b") && strings.Contains(text, "unknown"), "%s", text)
}

// The page is an index: each cell of the last check leads to its trend, which has the change.
func TestEveryCellThatChangedLeadsToItsTrend(t *testing.T) {
	h := shown.History()
	d := Histories.Document(h)
	drawn, cells := map[string]picture.Figure{}, 0
	for _, s := range d.Pictured {
		for _, f := range s.Figures {
			drawn[f.ID] = f
		}
	}
	for _, s := range d.Pictured {
		if s.Heat == nil {
			continue
		}
		for _, row := range s.Heat.Rows {
			for _, c := range row.Cells {
				if c.Text == "" && c.Sign == "" {
					continue
				}
				cells++
				f, ok := drawn[c.Link]
				should.Hold(t, ok && strings.Contains(f.Text, "Changed from "), "%s: %+v leads to %q", row.Name, c, f.Text)
			}
		}
	}
	should.Equal(t, cells, len(h.Series[0].Cells))
}

func TestACellThatDidNotChangeHasALineAndNoPicture(t *testing.T) {
	h := shown.History()
	h.Series[0].Changes = h.Series[0].Changes[:1]
	pictures, lines := 0, 0
	for _, s := range Histories.Document(h).Pictured {
		pictures += len(s.Figures)
		if s.Heat == nil {
			continue
		}
		for _, row := range s.Heat.Rows {
			for _, c := range row.Cells {
				lines += len(c.Spark[:min(1, len(c.Spark))])
			}
		}
	}
	should.Equal(t, pictures, 1)
	should.Equal(t, lines, len(h.Series[0].Cells))
}

func TestTheMatrixBeginsWithWhatItCanSay(t *testing.T) {
	type tests = map[judge.Verdict]int
	for _, c := range []struct {
		columns []tests
		want    string
	}{
		{[]tests{{judge.Violated: 1, judge.Kept: 1}, {judge.Kept: 2}}, "VIOLATED in A or B: 1 of 1 guideline."},
		{[]tests{{judge.Violated: 1, judge.Undecided: 1}}, "VIOLATED in A: 1 of 1 guideline; 1 test undecided."},
		{[]tests{{judge.Kept: 2}, {judge.Undecided: 1, judge.Kept: 1}}, "NO VIOLATION SHOWN in A or B, of 1 guideline; 1 test undecided."},
		{[]tests{{judge.Undecided: 2}}, "NOT JUDGED: no verdict in A: 2 tests undecided."},
		{[]tests{{judge.NotMeasured: 2}, {judge.NotMeasured: 1, judge.Undecided: 1}}, "NOT JUDGED: no verdict in A, B: 1 test undecided."},
		{[]tests{{judge.Undecided: 1, judge.NotSuspected: 1, judge.Wrong: 1}}, "NOT JUDGED: no verdict in A: 1 test undecided."},
		{[]tests{{judge.NotMeasured: 2}}, "NOT JUDGED: no verdict in A."},
		{[]tests{{judge.Kept: 2}, {judge.NotMeasured: 2}}, "NO VIOLATION SHOWN in A or B, of 1 guideline; no verdict in B."},
		{[]tests{{judge.Violated: 1}, {judge.Undecided: 2}}, "VIOLATED in A or B: 1 of 1 guideline; 2 tests undecided; no verdict in B."},
	} {
		m := &series.Matrix{Columns: make([]series.MatrixColumn, len(c.columns)), Rows: []series.MatrixRow{{Guideline: "GL8", Type: guidelines.Pattern}}}
		for _, tests := range c.columns {
			m.Rows[0].Cells = append(m.Rows[0].Cells, &series.MatrixCell{Tests: tests})
		}
		should.Equal(t, matrixHead(m)[0].Text[0].Text, c.want)
	}
}

func TestThePictureOfAMatrixKeepsLibrariesApart(t *testing.T) {
	cell := func(ratio float64) *series.MatrixCell {
		return &series.MatrixCell{Tests: map[judge.Verdict]int{judge.Violated: 1}, Ratio: &ratio}
	}
	column := func(library string) series.MatrixColumn {
		return series.MatrixColumn{Host: "node1", Shape: "p2", Library: analyze.Library{Name: library, Version: library + " 1.0"}}
	}
	m := &series.Matrix{Rows: []series.MatrixRow{{Guideline: "GL8", Type: guidelines.Pattern, Cells: []*series.MatrixCell{cell(1.5), cell(2)}}}}
	for want, libraries := range map[string][2]string{
		"openmpi 1.0 node1 p2, mpich 1.0 node1 p2": {"openmpi", "mpich"}, // as their folders
		"node1 p2": {"mpich", "mpich"},
	} {
		m.Columns = []series.MatrixColumn{column(libraries[0]), column(libraries[1])}
		should.Equal(t, strings.ToLower(strings.Join(matrixPicture(m)[0].Heat.Columns, ", ")), want)
	}
}

// Columns that only their folders tell apart are named by them.
func TestColumnsThatLookAlikeHaveTheirFolders(t *testing.T) {
	m := &series.Matrix{Columns: []series.MatrixColumn{{Host: "n1", Shape: "p2", Folder: "a/weekA"}, {Host: "n1", Shape: "p4", Folder: "a/weekB"}}}
	table := func() *document.Table { return matrixByColumn(m)[1].Table }
	should.Equal(t, table().Head[:2], []string{"host", "library"})
	m.Columns[1].Shape = "p2"
	should.Equal(t, table().Head[:2], []string{"host", "folder"})
	should.Hold(t, table().Rows[0][1] == "weekA" && table().Rows[1][1] == "weekB", "%v", table().Rows)
}

func TestWhatAChangedGuidelineIsComparedWith(t *testing.T) {
	split := series.Asked{Guideline: "GL2", Type: guidelines.Split, Function: "MPI_Reduce", Msize: 256 << 10, MsizeOther: 16 << 10, Shape: "p2"}
	c := &series.Comparison{Cases: []series.CaseChange{{}}, Guidelines: []series.GuidelineChange{{Change: series.NewlyViolated, Asked: split}}}
	should.Equal(t, compareGuidelines(c)[0].Table.Rows[0][2], "16 calls of 16 KiB")
	h := historyTrends(&series.Series{Trends: []series.Trend{{Asked: split}}})
	should.Hold(t, strings.HasSuffix(h[0].Title, "against 16 calls of 16 KiB"), "%s", h[0].Title)
}

// The nights around the change are compared, or else the last two, where both have what compare needs.
func TestHistoryEndsWithNightsThatCanBeCompared(t *testing.T) {
	next := func(whole int, changes ...series.Lasting) string {
		s := series.Series{Changes: changes}
		for i := range 5 {
			s.Nights = append(s.Nights, series.Night{Path: fmt.Sprint(i), Whole: i != whole})
		}
		return fmt.Sprint(historyEnding(&series.History{Series: []series.Series{s}}, "").Next)
	}
	change := series.Lasting{Asked: series.Asked{Function: "MPI_Scan", Shape: "p2"}, Night: 2, LastBefore: 1, FirstAfter: 2, Before: 1, After: 2}
	should.Contain(t, next(-1), "pgmpi compare 3 4")
	should.Contain(t, next(-1, change), "pgmpi compare 1 2")
	should.Equal(t, next(3), "[]")
	should.Equal(t, next(2, change), "[]")
	should.Equal(t, next(1, change), "[]")
}

func TestARatioThatIsNotTheQuotientOfItsMediansSaysSo(t *testing.T) {
	const note = "not the quotient of the two medians"
	screen := func(c *series.Comparison) string {
		return documents.Written(t, "table", Comparisons.Document(c).Brief())
	}
	c := shown.Comparison()
	should.Hold(t, !strings.Contains(screen(c), note), "%s", screen(c))
	ratio := 1.2
	c.Cases[1].Ratio = &ratio
	should.Contain(t, strings.Join(strings.Fields(screen(c)), " "), note)
}
