package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

func SizeAxis() picture.Axis {
	return picture.Axis{Title: "size in bytes (K = 1024)", Scale: picture.Log2, Unit: picture.Bytes}
}

// PatternFigures returns Fig. 2 and 3 of S-PGMPI: the run-times of a call and of its mock-up over
// the sizes. Each pattern that is violated or undecided somewhere has one figure, the violated ones
// first.
func PatternFigures(r *analyze.Report) []picture.Figure {
	groups := PatternGroups(r)
	cases, ids := CasesOf(r), PatternIDs(r)
	return lists.Map(groups, func(of []*analyze.Verdict) picture.Figure { return PatternFigure(r, ids[PatternOf(of[0])], of, cases) })
}

// PatternGroups returns the tests of each pattern and shape with something to show. The largest
// violated ratio comes first.
func PatternGroups(r *analyze.Report) [][]*analyze.Verdict {
	out := slices.DeleteFunc(analyze.Grouped(r.Where(isPattern), PatternOf), func(of []*analyze.Verdict) bool {
		return !slices.ContainsFunc(of, func(v *analyze.Verdict) bool { return isFound(v) && v.MedianS != nil })
	})
	slices.SortStableFunc(out, func(a, b []*analyze.Verdict) int { return cmp.Compare(worstRatio(b), worstRatio(a)) })
	return out
}

func isPattern(v *analyze.Verdict) bool { return v.Type == guidelines.Pattern }

func isFound(v *analyze.Verdict) bool {
	return v.Verdict == judge.Violated || v.Verdict == judge.Undecided
}

func worstRatio(of []*analyze.Verdict) float64 {
	worst := 0.0
	for _, v := range of {
		if v.Verdict == judge.Violated {
			worst = max(worst, analyze.Or(v.Ratio, 0))
		}
	}
	return worst
}

// PatternKey identifies the tests that a figure shows.
type PatternKey struct{ guideline, function, shape, mockup string }

func PatternOf(v *analyze.Verdict) PatternKey {
	return PatternKey{v.Guideline, v.Cell().Call(), v.Shape, v.Mockup}
}

// PatternIDs returns the IDs of the figures of all patterns of reports. Names that differ in a
// character that no ID has get numbers.
func PatternIDs(reports ...*analyze.Report) map[PatternKey]string {
	out, taken := map[PatternKey]string{}, map[string]int{}
	for _, r := range reports {
		for _, v := range r.Where(isPattern) {
			if p := PatternOf(v); out[p] == "" {
				out[p] = document.Unique(taken, picture.Anchor(p.guideline, p.function, p.shape))
			}
		}
	}
	return out
}

func latencyID(function string) string { return picture.Anchor("latency", function) }

func CasesOf(r *analyze.Report) map[medians.Cell]*medians.CaseMedians {
	out := map[medians.Cell]*medians.CaseMedians{}
	for i := range r.Measured.Cases {
		k := &r.Measured.Cases[i]
		out[k.Cell] = k
	}
	return out
}

func PatternFigure(r *analyze.Report, id string, of []*analyze.Verdict, cases map[medians.Cell]*medians.CaseMedians) picture.Figure {
	v := of[0]
	call, instead := phrase.Plain(v.Cell().Call()), emulation(v.Mockup)
	f := picture.Figure{ID: id, Title: fmt.Sprintf("%s: %s against %s%s", v.Guideline, call, instead, phrase.When(len(r.Shapes) > 1, ", %s", v.Shape)),
		X: SizeAxis(), Y: picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds},
		Series:  []picture.Series{{Name: call, Role: picture.Call}, {Name: instead, Role: picture.Instead}},
		Numbers: &picture.Numbers{Head: []string{"size", call, "instead", "ratio", "95 %", "p adjusted", "verdict"}, Align: "rrrrlll"}}
	for _, v := range of {
		add(&f.Series[0], v.Msize, v.MedianS, cases[v.Cell()])
		add(&f.Series[1], v.Msize, v.OtherMedianS, cases[medians.Cell{Function: v.Mockup, Msize: v.Msize, Shape: v.Shape, Elements: v.Elements}])
		f.Numbers.Add(phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), phrase.Ratio(v.Ratio), phrase.Interval(v.RatioLo95, v.RatioHi95),
			strings.TrimSpace(phrase.Probability(v.PAdjusted)+" "+v.Stars), phrase.Words(v.Verdict))
		switch {
		case v.Verdict == judge.Violated:
			f.Marks = append(f.Marks, picture.Mark{X: float64(v.Msize), Tone: picture.Slow, Sign: strings.Repeat("★", max(1, min(strings.Count(v.Stars, "*"), 3))), Text: "violated, " + effect(v.Effect)})
		case v.Verdict == judge.SeenOnce || v.Verdict == judge.Undecided:
			f.Marks = append(f.Marks, picture.Mark{X: float64(v.Msize), Tone: picture.Open, Sign: Signs[v.Verdict][0], Text: Signs[v.Verdict][1] + ", " + effect(v.Effect)})
		}
	}
	f.Text = phrase.Capital(cmp.Or(phrase.List("; ", spans(of, judge.Violated), spans(of, judge.SeenOnce), spans(of, judge.Undecided)), "undecided")) + "."
	return f
}

// spans says at which sizes tests have a verdict, with their largest ratios: "violated at 1–64 B
// (up to 1.96×), 16 KiB (1.18×)".
func spans(of []*analyze.Verdict, verdict judge.Verdict) string {
	type span struct {
		from, to int64
		most     float64 // ratio
	}
	var out []span
	open := false // the span goes on
	for _, v := range of {
		if v.Verdict != verdict || v.Ratio == nil {
			open = false
			continue
		}
		if !open {
			out = append(out, span{v.Msize, v.Msize, *v.Ratio})
		}
		last := &out[len(out)-1]
		last.to, last.most, open = v.Msize, max(last.most, *v.Ratio), true
	}
	return phrase.When(len(out) > 0, "%s at %s", verdict, phrase.JoinOf(", ", out, func(s span) string {
		return fmt.Sprintf("%s (%s%s)", sizes(s.from, s.to), phrase.When(s.from != s.to, "up to "), phrase.Ratio(&s.most))
	}))
}

// sizes writes a range: "64 B", "16–256 KiB", "64 KiB–1 MiB".
func sizes(from, to int64) string {
	if from == to {
		return phrase.Size(from)
	}
	n, unit, _ := strings.Cut(phrase.Size(from), " ")
	if strings.HasSuffix(phrase.Size(to), " "+unit) {
		return n + "–" + phrase.Size(to)
	}
	return phrase.Size(from) + "–" + phrase.Size(to)
}

// add adds the median of a case, with its run medians where they are known.
func add(s *picture.Series, msize int64, medianS *float64, of *medians.CaseMedians) {
	if medianS == nil {
		return
	}
	p := picture.Bare(float64(msize), *medianS)
	if of != nil {
		p.Lo, p.Hi = of.LoNS/1e9, of.HiNS/1e9
		p.Each = lists.Map(of.Runs, func(run medians.RunMedian) float64 { return run.NS / 1e9 })
	}
	s.Points = append(s.Points, p)
}

// LatencyFigures returns the run-times of every collective over the sizes, a line for each shape.
func LatencyFigures(r *analyze.Report) []picture.Figure {
	var out []picture.Figure
	calls := slices.DeleteFunc(slices.Clone(r.Measured.Cases), func(k medians.CaseMedians) bool { return !strings.HasPrefix(k.Function, "MPI_") })
	for _, of := range analyze.Grouped(calls, func(k medians.CaseMedians) string { return k.Function }) {
		name := of[0].Function
		f := picture.Figure{ID: latencyID(name), Title: phrase.Plain(name), X: SizeAxis(), Y: picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds}}
		for n, on := range analyze.Grouped(of, func(k medians.CaseMedians) string { return k.Shape }) {
			s := picture.Series{Name: on[0].Shape, Role: []picture.Role{picture.Call, picture.Instead, picture.Other}[min(n, 2)]}
			for _, k := range on {
				s.Points = append(s.Points, picture.Point{X: float64(k.Msize), Y: k.MedianNS / 1e9, Lo: k.LoNS / 1e9, Hi: k.HiNS / 1e9})
			}
			f.Series = append(f.Series, s)
		}
		brokenAt(&f, r, name)
		out = append(out, f)
	}
	return out
}

func brokenAt(f *picture.Figure, r *analyze.Report, function string) {
	broken := map[int64][]string{}
	var texts []string
	name := func(v *analyze.Verdict) string {
		return v.Guideline + phrase.When(len(r.Shapes) > 1, " on %s", v.Shape)
	}
	tests := r.Where(func(v *analyze.Verdict) bool { return v.Function == function })
	for _, v := range tests {
		if v.Verdict == judge.Violated {
			broken[v.Msize] = append(broken[v.Msize], name(v))
		}
	}
	for _, s := range slices.Sorted(maps.Keys(broken)) {
		f.Marks = append(f.Marks, picture.Mark{X: float64(s), Tone: picture.Slow, Sign: "★", Text: "violated: " + strings.Join(broken[s], ", ")})
	}
	for _, of := range analyze.Grouped(tests, name) {
		if at := spans(of, judge.Violated); at != "" {
			texts = append(texts, name(of[0])+" "+at)
		}
	}
	f.Text = cmp.Or(strings.Join(texts, "; "), "No guideline is violated") + "."
}

// mostBars losses fit into a picture.
const mostBars = 24

// LossFigure returns a bar for each factor, the largest loss first, or nil without losses.
func LossFigure(r *analyze.Report) *picture.Figure {
	rows := slices.DeleteFunc(lossRows(r, stands(analyze.Sure), byDefault), func(l loss) bool { return !(lost(l.worst) > 0) })
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b loss) int { return cmp.Compare(lost(b.worst), lost(a.worst)) })
	shown := rows[:min(len(rows), mostBars)]
	f := picture.Figure{ID: "losses", Title: "How many times slower calls are than they could be, the largest loss per call first",
		X: picture.Axis{Title: "times as slow", Scale: picture.Log, Unit: picture.Factor, Holds: []float64{2}}, Y: picture.Axis{Scale: picture.Named}, Series: []picture.Series{{Name: "loss per call", Form: picture.Ranges}}}
	for i, l := range shown {
		saved := lost(l.worst)
		f.Y.Names = append(f.Y.Names, phrase.Plain(l.group)+" "+phrase.Size(l.worst.Msize))
		f.Series[0].Points = append(f.Series[0].Points, picture.Point{X: saved, Y: float64(i), Lo: 1, Hi: *l.worst.Ratio, Text: fmt.Sprintf("%s, %s", phrase.Ratio(l.worst.Ratio), phrase.Duration(&saved))})
	}
	f.Text = fmt.Sprintf("On the right the factor, and what a call loses. The %d largest of %d.", len(shown), len(rows))
	return &f
}

func MpirunFigures(r *analyze.Report) []picture.Figure {
	var out []picture.Figure
	for _, m := range r.Measured.Mpiruns {
		if len(m.Factors) < 2 {
			continue
		}
		f := picture.Figure{ID: picture.Anchor("mpiruns", m.Shape), Title: "How slow each mpirun was as a whole, " + m.Shape,
			X: picture.Axis{Title: "mpirun"}, Y: picture.Axis{Title: "factor to the median mpirun", Scale: picture.Log, Unit: picture.Factor, Level: 1, Holds: []float64{0.8, 1.25}},
			Series: []picture.Series{{Name: "median over all cases", Form: picture.Dots}}}
		worst, at := 0.0, 0
		for i, x := range m.Factors {
			if x > worst {
				worst, at = x, i+1
			}
			f.Series[0].Points = append(f.Series[0].Points, picture.Bare(float64(i+1), x))
		}
		for _, s := range r.Disturbed() {
			if s.Shape == m.Shape {
				f.Marks = append(f.Marks, picture.Mark{X: float64(s.Run), Tone: picture.Open, Sign: "!", Text: "slow throughout: " + s.String()})
			}
		}
		f.Text = fmt.Sprintf("%s that measured 20 cases or more; the slowest is number %d, %s as slow as the median one%s.", conf.Plural(len(m.Factors), "mpirun"), at, phrase.Ratio(&worst), phrase.When(len(f.Marks) > 0, "; %d slow throughout", len(f.Marks)))
		out = append(out, f)
	}
	return out
}
