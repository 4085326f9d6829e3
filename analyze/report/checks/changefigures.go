package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

func TrendFigure(s *series.Series, t *series.Trend, id string) picture.Figure {
	f := picture.Figure{ID: id, Title: fmt.Sprintf("%s %s at %s on %s", t.Guideline, phrase.Function(t.Function), phrase.Size(t.Msize), t.Shape),
		X: picture.Axis{Title: "check (UTC)", Scale: picture.Named}, Y: picture.Axis{Title: "ratio", Scale: picture.Log, Unit: picture.Factor, Level: 1, Holds: []float64{0.8, 1.25}}, Series: []picture.Series{{Name: "ratio"}}}
	violated, turned := 0, ""
	for i, p := range t.Points {
		k := &s.Nights[p.Night]
		f.X.Names = append(f.X.Names, nightTime(k))
		if p.Ratio != nil && *p.Ratio > 0 {
			f.Series[0].Points = append(f.Series[0].Points, picture.Point{X: float64(i), Y: *p.Ratio, Lo: check.OrNaN(p.RatioLo95), Hi: check.OrNaN(p.RatioHi95)})
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

// ChangeFigures are the run-times of each function in both folders of a comparison.
func ChangeFigures(c *series.Comparison) []picture.Figure {
	var out []picture.Figure
	ids := map[string]int{}
	measured := slices.DeleteFunc(slices.Clone(c.Cases), func(k series.CaseChange) bool { return k.AMedianS == nil || k.BMedianS == nil })
	for _, of := range analyze.Grouped(measured, func(k series.CaseChange) [2]string { return [2]string{k.Function, k.Shape} }) {
		function, shape := of[0].Function, of[0].Shape
		f := picture.Figure{ID: document.Unique(ids, picture.Anchor(function, shape)), Title: phrase.Function(function) + ", " + shape, X: check.SizeAxis(), Y: picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds},
			Series: []picture.Series{{Name: "A", Role: picture.Instead}, {Name: "B", Role: picture.Call}}}
		var text []string
		mark := func(k series.CaseChange, tone picture.Tone, sign string) {
			m := picture.Mark{X: float64(k.Msize), Tone: tone, Sign: sign, Text: phrase.Words(k.Change) + ", " + phrase.Ratio(k.Ratio)}
			f.Marks, text = append(f.Marks, m), append(text, phrase.Size(k.Msize)+" "+m.Text)
		}
		for _, k := range of {
			f.Series[0].Points = append(f.Series[0].Points, picture.Bare(float64(k.Msize), *k.AMedianS))
			f.Series[1].Points = append(f.Series[1].Points, picture.Bare(float64(k.Msize), *k.BMedianS))
			switch k.Change {
			case series.Slower, series.SlightlySlower:
				mark(k, picture.Slow, "▲")
			case series.Faster, series.SlightlyFaster:
				mark(k, picture.Possible, "▼")
			case series.NoDifference, series.NotCompared, series.LeftOut, series.NewlyViolated, series.NewlyKept, series.NewlyShown, series.NoLongerShown:
			}
		}
		if f.Text = cmp.Or(strings.Join(text, "; "), "Nothing significant") + "."; c.AllRows || len(text) > 0 {
			out = append(out, f)
		}
	}
	return out
}
