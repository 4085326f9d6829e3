package checks

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// historyPage is a site on one page: what changed, the checks, an index of all cells, and below it their trends.
func historyPage(h *series.History) []document.Section {
	out := historySections(h)
	ids := trendIDs(h)
	for i := range h.Series {
		out = append(out, historyCells(&h.Series[i], ids)...)
	}
	return out
}

// trendIDs are anchors of the pictures of all cells.
func trendIDs(h *series.History) map[*series.Trend]string {
	taken, ids := map[string]int{}, map[*series.Trend]string{}
	for i := range h.Series {
		for k := range h.Series[i].Cells {
			t := &h.Series[i].Cells[k]
			ids[t] = document.Unique(taken, picture.Anchor("trend", t.Guideline, t.Function, phrase.Size(t.Msize), t.Shape))
		}
	}
	return ids
}

// mostTrends are drawn of a series: a picture takes 3 KiB.
const mostTrends = 400

// historyCells are a heat map of the last check, from which each cell leads to its trend.
func historyCells(s *series.Series, ids map[*series.Trend]string) []document.Section {
	changed, drawn := map[series.Asked]bool{}, []*series.Trend{}
	for _, c := range s.Changes {
		changed[c.Asked] = true
	}
	for k := range s.Cells {
		drawn = append(drawn, &s.Cells[k])
	}
	rank := func(t *series.Trend) int {
		switch {
		case changed[t.Asked]:
			return 0
		case slices.ContainsFunc(t.Points, func(p series.TrendPoint) bool { return p.Verdict == judge.Violated }):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(drawn, func(a, b *series.Trend) int { return cmp.Compare(rank(a), rank(b)) })
	left := max(0, len(drawn)-mostTrends)
	drawn = drawn[:len(drawn)-left]
	if len(drawn) == 0 {
		return nil
	}
	index := document.Titled("Cells of %s: the ratio in the last check that has it", seriesName(s))
	index.Heat = historyHeat(s, func(t *series.Trend) string { return phrase.When(slices.Contains(drawn, t), "%s", ids[t]) })
	index.Note("★ violated, ? undecided, s split suspected without a test, – not measured; ▲ slower or ▼ faster since a check. A cell leads to its trend.%s",
		phrase.When(left > 0, " %s that neither changed nor were violated have none here; --cell shows them.", conf.Plural(left, "cell")))
	trends := document.Titled("Trends of %s", seriesName(s))
	trends.Say("The ratio of each cell in all checks, those that changed first, then those that were violated. ★: violated; ▲ ▼: it changed there for good; *: the machine or the software is not as in the check before.")
	for _, t := range drawn {
		trends.Figures = append(trends.Figures, TrendFigure(s, t, ids[t]))
	}
	return []document.Section{index, trends}
}

func historyHeat(s *series.Series, link func(*series.Trend) string) *picture.HeatMap {
	sizes, rows := map[int64]bool{}, map[string]int{}
	for _, t := range s.Cells {
		sizes[t.Msize] = true
	}
	m, columns := check.HeatOf(sizes)
	for k := range s.Cells {
		t := &s.Cells[k]
		name := t.Guideline + " " + phrase.Plain(t.Function) + phrase.When(len(s.Shapes) > 1, ", %s", t.Shape)
		i, there := rows[name]
		if !there {
			i = len(m.Rows)
			rows[name], m.Rows = i, append(m.Rows, picture.HeatRow{Name: name, Cells: make([]picture.HeatCell, len(columns))})
		}
		last := t.Points[len(t.Points)-1]
		c := check.HeatCell(last.Verdict, last.Ratio, link(t))
		for _, change := range s.Changes {
			if change.Asked == t.Asked {
				c.Sign += turn(change)
			}
		}
		at, _ := slices.BinarySearch(columns, t.Msize)
		m.Rows[i].Cells[at] = c
	}
	return m
}

// turn is the sign of a change.
func turn(c series.Lasting) string {
	if c.After > c.Before {
		return "▲"
	}
	return "▼"
}

func historyFeed(h *series.History) *document.Feed {
	f, ids := &document.Feed{Title: "pgmpi history"}, trendIDs(h)
	for i := range h.Series {
		s := &h.Series[i]
		f.Updated = max(f.Updated, s.Nights[len(s.Nights)-1].Created)
		for _, g := range lastingGroups(s) {
			k := &s.Nights[g.Night]
			e := document.Entry{Key: fmt.Sprintf("%q", []string{s.Library, fmt.Sprint(s.Shapes), s.Datatype, s.Op, g.Function, g.Shape, turn(g.Lasting), k.Created}),
				Title:   fmt.Sprintf("%s %s since %s on %s, %s", phrase.Function(g.Function), g.factors(), nightTime(k), g.Shape, phrase.Known(s.Library)),
				Text:    fmt.Sprintf("%s of %s, at %s; %s.", conf.Plural(g.tests, "test"), phrase.Join(", ", "%s", g.guidelines), g.span(), between(s, &g.Lasting)),
				Updated: k.Created, Link: "history.html"}
			for n := range s.Cells {
				if t := &s.Cells[n]; t.Asked == g.Asked {
					e.Link += "#" + ids[t]
				}
			}
			f.Entries = append(f.Entries, e)
		}
	}
	slices.SortStableFunc(f.Entries, func(a, b document.Entry) int { return cmp.Compare(b.Updated, a.Updated) })
	return f
}
