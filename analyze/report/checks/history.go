package checks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

var Histories = document.Kind[series.History]{Name: "history", JSON: true, Rows: HistoryRows, Ending: historyEnding,
	Parts: []document.Part[series.History]{
		document.Show(document.Screen, func(h *series.History) []document.Section { return historyOf(h, true) }),
		document.Show(document.Printed, func(h *series.History) []document.Section { return historyOf(h, false) }),
		document.Show(document.Pictured, historyPage)}}

// HistoryColumns names the columns of one row per check, or per check and trend. New columns go to
// the end.
var HistoryColumns = []string{"series", "created", "folder", "path", "label", "host", "nodes", "kernel", "library", "library_version", "pgmpi_version", "rank_hash", "gl_toml_hash",
	"shapes", "r", "tests", "violated", "firm", "alarms", "gone", "slow_mpiruns", "exit_code", "machine_shift", "changed",
	"guideline", "function", "mockup", "msize", "msize_other", "shape", "median_s", "other_median_s", "ratio", "ratio_lo95", "ratio_hi95", "verdict"}

func HistoryRows(h *series.History) [][]string {
	out := [][]string{HistoryColumns}
	for i := range h.Series {
		s := &h.Series[i]
		if len(s.Trends) == 0 {
			for n := range s.Nights {
				out = append(out, append(nightRow(s, i, n), make([]string, 12)...))
			}
		}
		for _, t := range s.Trends {
			for _, p := range t.Points {
				out = append(out, append(nightRow(s, i, p.Night), phrase.Row(t.Guideline, t.Function, t.Mockup, t.Msize, t.MsizeOther, t.Shape,
					p.MedianS, p.OtherMedianS, p.Ratio, p.RatioLo95, p.RatioHi95, p.Verdict)...))
			}
		}
	}
	return out
}

func nightRow(s *series.Series, series, n int) []string {
	k := &s.Nights[n]
	var alarms, shift any
	if k.Alarms != nil {
		alarms = *k.Alarms
	}
	if k.Shift != nil {
		shift = k.Shift.Ratio
	}
	return phrase.Row(series+1, k.Created, k.Folder, k.Path, labels(k.Label), k.Host, strings.Join(k.Nodes, " "), k.Kernel, k.Library.Name, phrase.ShortVersion(k.Library.Version), k.Version,
		k.RankHash, k.GLTomlHash, strings.Join(s.Shapes, " "), k.R, k.Tests, k.Violated, k.Firm, alarms, k.Gone, k.SlowMpiruns, k.Exit, shift, changed(k, ": ", "; "))
}

func labels(of map[string]string) string {
	return strings.Join(phrase.Settings(of), " ")
}

func changed(k *series.Night, is, separator string) string {
	return phrase.JoinOf(separator, k.Changed, differing(is))
}

// news says what differs from the check before.
func news(k *series.Night) string {
	return strings.TrimPrefix(changed(k, " ", "; ")+phrase.When(k.Shift != nil, "; %s", k.Shift), "; ")
}

func nightTime(k *series.Night) string {
	at, err := time.Parse(time.RFC3339, k.Created)
	if err != nil {
		return "unknown"
	}
	return at.UTC().Format("2006-01-02 15:04")
}

// historyEnding compares the nights around the first change, or else the last two.
func historyEnding(h *series.History, _ string) (e document.Ending) {
	for i := range h.Series {
		s := &h.Series[i]
		before, after := len(s.Nights)-2, len(s.Nights)-1
		if groups := lastingGroups(s); len(groups) > 0 {
			before, after = groups[0].LastBefore, groups[0].FirstAfter
		}
		if before >= 0 && s.Nights[before].Whole && s.Nights[after].Whole {
			e.Next = []document.Label{{Name: "Compare", Value: "pgmpi compare " + folderOf(&s.Nights[before]) + " " + folderOf(&s.Nights[after])}}
			break
		}
	}
	return e
}

func folderOf(k *series.Night) string { return conf.Folder(strings.TrimSuffix(k.Path, "/report.json")) }

func historyOf(h *series.History, screen bool) []document.Section {
	out := make([]document.Section, 1)
	for i := range h.Series {
		s := &h.Series[i]
		out[0].Say("%s", historyAnswer(s))
		out = append(out, slices.Concat(historyChanges(s), historyNights(s, screen), historyTrends(s))...)
	}
	return append(out, document.Listed(fmt.Sprintf("Left out: %d that could not be read", len(h.Skipped)), h.Skipped, 20, seeJSON, func(k series.Skipped) string {
		return phrase.Fit(k.Path, 120) + ": " + phrase.Fit(k.Reason, 200)
	})...)
}

const seeJSON = "and %d more, see history.json"

func seriesName(s *series.Series) string {
	return phrase.Known(s.Library) + ", " + strings.Join(s.Shapes, " ")
}

func historyAnswer(s *series.Series) string {
	last := &s.Nights[len(s.Nights)-1]
	checks := conf.Plural(len(s.Nights), "check") + " of " + seriesName(s)
	text := fmt.Sprintf("; the last, %s: %d violated", nightTime(last), last.Violated)
	if last.Alarms != nil {
		text += ", " + conf.Plural(*last.Alarms, "alarm")
	}
	if once := lists.Keep(s.Nights, func(k series.Night) bool { return k.SeenOnce != "" }); len(once) > 0 {
		text += fmt.Sprintf("; %d of %d without verdicts (%s)", len(once), len(s.Nights), once[len(once)-1].SeenOnce)
	}
	groups := lastingGroups(s)
	shown, more := phrase.First(groups, 3, "%d more")
	found := phrase.JoinOf("; ", shown, func(g *lastingGroup) string {
		return fmt.Sprintf("%s %s since %s", phrase.Function(g.Function), g.factors(), nightTime(&s.Nights[g.Night]))
	})
	switch {
	case len(groups) > 0:
		return fmt.Sprintf("CHANGED: %s, in %s%s.", phrase.List("; ", found, more), checks, text)
	case len(s.Nights) < series.LeastNights:
		return fmt.Sprintf("TOO FEW CHECKS to see a lasting change: %s, where %d are needed%s.", checks, series.LeastNights, text)
	}
	return fmt.Sprintf("NO LASTING CHANGE SHOWN in %s%s.", checks, text)
}

func historyNights(s *series.Series, screen bool) []document.Section {
	from, marks := 0, 30
	if screen {
		from, marks = max(0, len(s.Nights)-10), 4
	}
	t := &document.Table{Head: []string{"check", "", "library", "violated", "alarms", "gone", "slow", "line", "memcpy", "label"}, Align: "lllrrrrrrl", Flex: 9, Spare: []int{8, 7, 2}}
	var marked []*series.Night
	for i := from; i < len(s.Nights); i++ {
		k := &s.Nights[i]
		alarms, mark := "-", ""
		if k.Alarms != nil {
			alarms = fmt.Sprint(*k.Alarms)
		}
		if news(k) != "" {
			mark, marked = "*", append(marked, k)
		}
		t.Add(nightTime(k), mark, phrase.Known(phrase.Fit(check.LibraryName(k.Library), 20)), fmt.Sprintf("%d%s", k.Violated, phrase.When(!screen, "/%d", k.Tests)), alarms, fmt.Sprint(k.Gone), fmt.Sprint(k.SlowMpiruns),
			reading(k, medians.ByLine), reading(k, medians.ByMemcpy), labels(k.Label))
	}
	if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[9] != "" }) {
		t.Drop(9)
		t.Flex = 2
	}
	out := document.Tabled(t, "slow: mpiruns that were slower than the others throughout. line, memcpy: what a cache line between two cores and a memcpy of 256 KiB took in the median mpirun.",
		"Checks of %s (UTC)", seriesName(s))
	if screen {
		t.Drop(8)
		t.Drop(7)
		t.Flex, t.Spare = min(t.Flex, len(t.Head)-1), []int{2}
		out[0].Notes = nil
	}
	if from > 0 {
		out[0].Note("%s with --full.", conf.Plural(from, "earlier check"))
	}
	return append(out, document.Listed("* Not as in the check before", marked, marks, seeJSON, func(k *series.Night) string { return nightTime(k) + ": " + news(k) })...)
}

// reading returns a reading of the yardstick, on the first shape that has it.
func reading(k *series.Night, q medians.Quantity) string {
	for i := range k.Probes {
		if ns := *k.Probes[i].At(q); ns > 0 {
			return phrase.Nanoseconds(ns)
		}
	}
	return "-"
}

type lastingGroup struct {
	series.Lasting // the one whose time is known best
	sizes          []int64
	guidelines     []string
	tests          int
	least, most    float64 // after/before
}

func (g *lastingGroup) factors() string {
	least, most := phrase.Ratio(&g.least), phrase.Ratio(&g.most)
	return phrase.When(least != most, "%s–", strings.TrimSuffix(least, "×")) + most
}

func (g *lastingGroup) span() string {
	first, last := slices.Min(g.sizes), slices.Max(g.sizes)
	return phrase.Size(first) + phrase.When(last != first, " … %s", phrase.Size(last))
}

func between(s *series.Series, c *series.Lasting) string {
	labelled := func(i int) string {
		return nightTime(&s.Nights[i]) + phrase.When(len(s.Nights[i].Label) > 0, " (%s)", labels(s.Nights[i].Label))
	}
	return fmt.Sprintf("after %s, not after %s", labelled(c.LastBefore), labelled(c.FirstAfter))
}

// lastingGroups joins changes of a function that may be one, in the order of time. It keeps slower
// apart from faster.
func lastingGroups(s *series.Series) (out []*lastingGroup) {
	best := slices.SortedStableFunc(slices.Values(s.Changes), func(a, b series.Lasting) int {
		return cmp.Compare(a.FirstAfter-a.LastBefore, b.FirstAfter-b.LastBefore)
	})
	for _, c := range best {
		factor := c.After / c.Before
		g := *lists.FirstOrNew(&out, func(g *lastingGroup) bool {
			return c.LastBefore < g.Night && g.Night <= c.FirstAfter && g.Function == c.Function && g.Shape == c.Shape && (g.most > 1) == (factor > 1)
		}, &lastingGroup{Lasting: c, least: factor, most: factor})
		g.tests++
		g.least, g.most = min(g.least, factor), max(g.most, factor)
		g.sizes, g.guidelines = append(g.sizes, c.Msize), lists.With(g.guidelines, c.Guideline)
	}
	slices.SortStableFunc(out, func(a, b *lastingGroup) int { return cmp.Compare(a.Night, b.Night) })
	return out
}

func historyChanges(s *series.Series) []document.Section {
	t := &document.Table{Head: []string{"since", "call", "on", "sizes", "tests", "after/before", "guidelines"}, Align: "lllrrrl", Flex: 6, Spare: []int{4, 2}}
	var lines []string
	for _, g := range lastingGroups(s) {
		since := nightTime(&s.Nights[g.Night])
		t.Add(since, phrase.Function(g.Function), g.Shape, g.span(), fmt.Sprint(g.tests), g.factors(), strings.Join(g.guidelines, " "))
		lines = append(lines, since+": "+between(s, &g.Lasting))
	}
	lines = slices.Compact(lines)
	what := phrase.Either(slices.ContainsFunc(s.Changes, func(c series.Lasting) bool { return c.Guideline == series.RunTime }),
		"Run-times and ratios", "Ratios")
	return append(document.Tabled(t, "", "%s that changed, and stayed so for three checks or more", what),
		document.Listed("Between which checks they changed (95 %)", lines, len(lines), "", func(line string) string { return line })...)
}

func rival(a *series.Asked) string { return check.Rival(a.Type, a.Mockup, a.Msize, a.MsizeOther) }

func historyTrends(s *series.Series) (out []document.Section) {
	for i := range s.Trends {
		t := &s.Trends[i]
		section := document.Titled("%s %s at %s on %s, against %s", t.Guideline, phrase.Function(t.Function), phrase.Size(t.Msize), t.Shape, rival(&t.Asked))
		section.Table = &document.Table{Head: []string{"check (UTC)", "", "call", "slower [95 %]", "verdict"}, Align: "llrll"}
		for _, p := range t.Points {
			k := &s.Nights[p.Night]
			section.Table.Add(nightTime(k), phrase.When(news(k) != "", "*"), phrase.Duration(p.MedianS), phrase.RatioIn(p.Ratio, p.RatioLo95, p.RatioHi95), phrase.Words(p.Verdict))
		}
		out = append(out, section)
	}
	return out
}

// historyPage lays out a site on one page: what changed, the checks, an index of all cells, and
// below it their trends.
func historyPage(h *series.History) []document.Section {
	out := historyOf(h, false)
	ids := trendIDs(h)
	var cells []document.Section
	for i := range h.Series {
		cells = append(cells, historyCells(&h.Series[i], ids)...)
	}
	if len(cells) > 0 && len(out) > 0 { // what all is about comes first
		return slices.Concat(out[:1], cells[:1], out[1:], cells[1:])
	}
	return append(out, cells...)
}

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

// mostTrends limits the drawn trends of a series: a picture takes 3 KiB.
const mostTrends = 40 // in twelve screens

// historyCells returns a heat map of the last check, whose cells that changed lead to their trends.
func historyCells(s *series.Series, ids map[*series.Trend]string) []document.Section {
	var drawn []*series.Trend
	for k := range s.Cells {
		t := &s.Cells[k]
		if slices.ContainsFunc(s.Changes, func(c series.Lasting) bool { return c.Asked == t.Asked }) {
			drawn = append(drawn, t)
		}
	}
	left := max(0, len(drawn)-mostTrends)
	drawn = drawn[:len(drawn)-left]
	index := document.Titled("Cells of %s: the ratio in the last check that has it, and its course over all", seriesName(s))
	index.Heat = historyHeat(s, func(t *series.Trend) string { return phrase.When(slices.Contains(drawn, t), "%s", ids[t]) })
	if len(index.Heat.Rows) == 0 {
		return nil
	}
	index.Note("★ violated, ? undecided, s split suspected without a test, – not measured; ▲ slower or ▼ faster since a check. A line has the ratio in each check, from half (below) "+
		"to eight times (above). A cell that changed leads to its trend; --cell shows others.%s", phrase.When(left > 0, " %s that changed have none here.", conf.Plural(left, "cell")))
	if len(drawn) == 0 {
		return []document.Section{index}
	}
	trends := document.Titled("Trends of %s", seriesName(s))
	trends.Say("The ratio of each cell that changed, in all checks. ★: violated; ▲ ▼: it changed there for good; *: the machine or the software is not as in the check before.")
	trends.Figures = lists.Map(drawn, func(t *series.Trend) picture.Figure { return TrendFigure(s, t, ids[t]) })
	return []document.Section{index, trends}
}

func historyHeat(s *series.Series, link func(*series.Trend) string) *picture.HeatMap {
	sizes := map[int64]bool{}
	for _, t := range s.Cells {
		sizes[t.Msize] = true
	}
	m, columns := check.HeatOf(sizes)
	for k := range s.Cells {
		t := &s.Cells[k]
		name := t.Guideline + " " + phrase.Plain(t.Function) + phrase.When(len(s.Shapes) > 1, ", %s", t.Shape)
		fresh := picture.HeatRow{Name: name, Cells: make([]picture.HeatCell, len(columns))}
		row := lists.FirstOrNew(&m.Rows, func(r picture.HeatRow) bool { return r.Name == name }, fresh)
		last := t.Points[len(t.Points)-1]
		c := check.HeatCell(last.Verdict, last.Ratio, link(t))
		c.Spark = picture.Spark(lists.Map(t.Points, func(p series.TrendPoint) float64 { return analyze.Or(p.Ratio, math.NaN()) }))
		for _, change := range s.Changes {
			if change.Asked == t.Asked {
				c.Sign += turn(change)
			}
		}
		at, _ := slices.BinarySearch(columns, t.Msize)
		row.Cells[at] = c
	}
	return m
}

func turn(c series.Lasting) string {
	if c.After > c.Before {
		return "▲"
	}
	return "▼"
}

func TrendFigure(s *series.Series, t *series.Trend, id string) picture.Figure {
	f := picture.Figure{ID: id, Title: fmt.Sprintf("%s %s at %s on %s", t.Guideline, phrase.Function(t.Function), phrase.Size(t.Msize), t.Shape),
		X: picture.Axis{Title: "check (UTC)", Scale: picture.Named}, Y: picture.Axis{Title: "ratio", Scale: picture.Log, Unit: picture.Factor, Level: 1, Holds: []float64{0.8, 1.25}}, Series: []picture.Series{{Name: "ratio"}}}
	violated, turned := 0, ""
	for i, p := range t.Points {
		k := &s.Nights[p.Night]
		f.X.Names = append(f.X.Names, nightTime(k))
		if p.Ratio != nil && *p.Ratio > 0 {
			lo, hi := analyze.Or(p.RatioLo95, math.NaN()), analyze.Or(p.RatioHi95, math.NaN())
			f.Series[0].Points = append(f.Series[0].Points, picture.Point{X: float64(i), Y: *p.Ratio, Lo: lo, Hi: hi})
		}
		at := slices.IndexFunc(s.Changes, func(c series.Lasting) bool { return c.Asked == t.Asked && c.Night == p.Night })
		if p.Verdict == judge.Violated {
			violated++
		}
		switch {
		case at >= 0:
			c := &s.Changes[at]
			text := fmt.Sprintf("changed from %s to %s, %s", phrase.Ratio(&c.Before), phrase.Ratio(&c.After), between(s, c))
			turned += phrase.Capital(text) + ". "
			f.Marks = append(f.Marks, picture.Mark{X: float64(i), Tone: picture.Slow, Sign: turn(*c) + phrase.When(p.Verdict == judge.Violated, "★"), Text: text})
		case p.Verdict == judge.Violated:
			f.Marks = append(f.Marks, picture.Mark{X: float64(i), Tone: picture.Slow, Sign: "★", Text: "violated"})
		case news(k) != "":
			f.Marks = append(f.Marks, picture.Mark{X: float64(i), Tone: picture.Plain, Sign: "*", Text: "not as in the check before"})
		}
	}
	f.Text = turned + fmt.Sprintf("%s, %d of them violated (★). *: not as in the check before. At 1× both take equally long.", conf.Plural(len(t.Points), "check"), violated)
	return f
}
