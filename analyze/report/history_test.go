package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/internal/picture"
)

// history has two series: of one, the library changes in the fifth night, and with it two ratios.
func history() *series.History {
	zero := 0
	s := series.Series{Library: "mpich", Shapes: []string{"p2"}, Datatype: "byte", Op: "bor"}
	asked := series.Asked{Guideline: "GL16", Type: guidelines.Pattern, Function: "MPI_Scan", Mockup: "scan_as_exscan+reduce_local", Msize: 262144, MsizeOther: 262144, Shape: "p2"}
	trend := series.Trend{Asked: asked}
	for i := range 8 {
		n := series.Night{Path: fmt.Sprintf("nights/%02d/report.json", i+1), Version: "1.0", Library: analyze.Library{Name: "mpich", Version: "MPICH Version: 4.0.2\nand more"},
			Origin: analyze.Origin{Created: fmt.Sprintf("2026-01-%02dT02:00:00Z", i+1), Folder: fmt.Sprintf("%02d", i+1), Host: "login", Nodes: []string{"n1"}, Kernel: "6.1",
				Label: map[string]string{"commit": fmt.Sprintf("4f3c2a%d", i)}},
			R: 10, Tests: 119, Violated: 3, Alarms: &zero, SlowMpiruns: i % 3, Probes: []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: 100 + float64(i), MemcpyNS: 9000}}}, Exit: 0}
		p := series.TrendPoint{Night: i, Answer: series.Answer{MedianS: pointer(2.2e-4), OtherMedianS: pointer(2.2e-4), Effect: analyze.Effect{Ratio: pointer(1 + 0.01*float64(i%3)), RatioLo95: pointer(0.97), RatioHi95: pointer(1.05)}, Verdict: judge.Kept}}
		if i >= 4 {
			n.Library.Version, n.Violated = "MPICH Version: 4.1\nand more", 5
			p.MedianS, p.Ratio, p.RatioLo95, p.RatioHi95, p.Verdict = pointer(8.2e-4), pointer(3.69), pointer(3.2), pointer(4.1), judge.Violated
		}
		switch i {
		case 1:
			n.Shift = &series.Shift{Cases: 55, Slower: 52, Faster: 3, Ratio: pointer(1.31), Together: true}
		case 4:
			two := 2
			n.Alarms, n.Exit, n.Changed = &two, 1, []series.Difference{{Factor: "library", A: "MPICH Version: 4.0.2", B: "MPICH Version: 4.1"}}
		case 6:
			p = series.TrendPoint{Night: i, Answer: series.Answer{Verdict: judge.NotMeasured}}
		}
		s.Nights, trend.Points = append(s.Nights, n), append(trend.Points, p)
	}
	s.Trends = []series.Trend{trend}
	smaller, faster := asked, asked
	smaller.Msize, smaller.Guideline = 64, "GL2"
	faster.Function = "MPI_Bcast"
	s.Cells = []series.Trend{{Asked: smaller, Points: trend.Points[:6]}, trend, {Asked: faster, Points: trend.Points[2:6]}}
	s.Changes = []series.Lasting{{Asked: asked, Night: 4, LastBefore: 3, FirstAfter: 4, Before: 1, After: 3.69}, {Asked: smaller, Night: 3, LastBefore: 1, FirstAfter: 4, Before: 1, After: 1.25},
		{Asked: faster, Night: 5, LastBefore: 3, FirstAfter: 7, Before: 1, After: 0.8}}
	other := series.Series{Library: "openmpi", Shapes: []string{"p2", "2x1"}, Datatype: "byte", Op: "bor", Nights: []series.Night{
		{Path: "old/report.json", Origin: analyze.Origin{Created: "2025-12-31T23:59:59Z", Folder: "old\x1b[2J"},
			Library: analyze.Library{Name: "openmpi", Version: "Open MPI v4.1.4, package: Debian"}, R: 10, Tests: 1, Violated: 1, Exit: 1}}}
	return &series.History{Schema: series.HistorySchema, Series: []series.Series{s, other}, Skipped: []series.Skipped{{Path: "nights/09/report.json", Reason: "damaged: unexpected end of JSON input"}}}
}

func TestAHistoryIsWholeInJSON(t *testing.T) {
	var again series.History
	must.Do(t, json.Unmarshal([]byte(written(t, "json", checks.Histories.Document(history()))), &again))
	s := again.Series[0]
	should.Hold(t, len(again.Series) == 2 && len(s.Nights) == 8 && *s.Nights[4].Alarms == 2 && s.Nights[1].Shift != nil && s.Nights[0].Created != "" && len(s.Trends[0].Points) == 8 && s.Trends[0].Points[6].Ratio == nil,
		"%+v", s)
}

func TestEveryRowOfAHistoryHasItsColumns(t *testing.T) {
	h := history()
	for _, rows := range [][][]string{checks.HistoryRows(h), checks.HistoryRows(&series.History{Series: h.Series[1:]})} {
		for _, row := range rows {
			should.Hold(t, len(row) == len(checks.HistoryColumns), "%d cells, want %d: %q", len(row), len(checks.HistoryColumns), row)
		}
	}
	rows := checks.HistoryRows(h)
	should.Hold(t, len(rows) == 10 && rows[5][slices.Index(checks.HistoryColumns, "alarms")] == "2" && rows[5][slices.Index(checks.HistoryColumns, "verdict")] == "violated" && rows[9][slices.Index(checks.HistoryColumns, "alarms")] == "",
		"%q", rows)
}

func TestAHostileNightWritesNoLineOfItsOwn(t *testing.T) {
	h := history()
	p := &h.Series[0].Trends[0].Points[0]
	p.Verdict, p.Ratio, p.RatioLo95, p.RatioHi95, p.MedianS = "```\n# big\x1b[2J", pointer(1e-300), pointer(-1), pointer(1e300), pointer(1e300)
	h.Series[0].Nights[0].Created = "```"
	text := written(t, "table", checks.Histories.Document(h))
	should.Hold(t, !strings.Contains(text, "\n# big") && !strings.Contains(text, "\x1b") && strings.Contains(text, "unknown"), "%s", text)
}

// Feed readers show an entry once, by its id, and lead to its trend.
func TestTheFeedOfAHistoryHasEveryLastingChange(t *testing.T) {
	type entry struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Link    struct {
			Href string `xml:"href,attr"`
		} `xml:"link"`
	}
	read := func(h *series.History) (ids []string, all []entry) {
		var feed struct {
			XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
			Entries []entry  `xml:"entry"`
		}
		must.Do(t, xml.Unmarshal([]byte(written(t, "atom", checks.Histories.Document(h))), &feed))
		for _, e := range feed.Entries {
			ids = append(ids, e.ID)
		}
		return ids, feed.Entries
	}
	h := history()
	ids, entries := read(h)
	must.Hold(t, len(ids) == 2 && ids[0] != ids[1], "%q", ids)
	should.Equal(t, entries[0].Title+" "+entries[0].Updated, "Bcast 0.80× since 2026-01-06 02:00 on p2, mpich 2026-01-06T02:00:00Z")
	page := written(t, "html", checks.Histories.Document(h))
	for _, e := range entries {
		file, anchor, _ := strings.Cut(e.Link.Href, "#")
		should.Hold(t, file == "history.html" && strings.Contains(page, `id="`+anchor+`"`), "%s leads nowhere", e.Link.Href)
	}
	s := &h.Series[0]
	s.Nights = append(s.Nights, s.Nights[7])
	again, _ := read(h)
	should.Hold(t, slices.Equal(ids, again), "%q became %q", ids, again)
}

// The page is an index: each cell of the last check leads to its trend, which has the change.
func TestEveryCellOfAHistoryLeadsToItsTrend(t *testing.T) {
	h := history()
	d := checks.Histories.Document(h)
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
