package series

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
)

// mostTests bounds the memory that the reports of a history take.
const mostTests = 2_000_000

// Nights are the reports of a history, one after the other in any order. Of each is
// kept what a history is made of.
type Nights struct {
	list  []night
	tests int
	words map[string]string // each text once: nights ask the same
}

type night struct {
	path, timeFrom string
	at             time.Time
	report         *analyze.Report
}

// Add takes in a report. timeFrom says where its Created is from, if not from itself.
func (n *Nights) Add(path string, r *analyze.Report, timeFrom string) error {
	if n.tests += len(r.Verdicts); n.tests > mostTests {
		return fmt.Errorf("the reports have more than %d tests together: give fewer of them", mostTests)
	}
	if n.words == nil {
		n.words = map[string]string{}
	}
	at, _ := time.Parse(time.RFC3339, r.Created)
	kept := *r
	kept.Verdicts = make([]analyze.Verdict, len(r.Verdicts))
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		kept.Verdicts[i] = analyze.Verdict{Guideline: n.word(v.Guideline), Type: guidelines.Type(n.word(string(v.Type))), Function: n.word(v.Function),
			Mockup: n.word(v.Mockup), Msize: v.Msize, MsizeOther: v.MsizeOther, Shape: n.word(v.Shape), NP: v.NP, MedianS: v.MedianS, OtherMedianS: v.OtherMedianS,
			Ratio: v.Ratio, RatioLo95: v.RatioLo95, RatioHi95: v.RatioHi95, Verdict: judge.Verdict(n.word(string(v.Verdict))), Firm: v.Firm, Reason: n.word(v.Reason)}
	}
	kept.Guidelines, kept.Summary, kept.OutOfSync, kept.Warnings, kept.NotConverged, kept.Bounds = nil, nil, nil, nil, nil, nil
	kept.Dependence.Strong, kept.Incomplete, kept.Notes, kept.States = nil, nil, nil, nil
	kept.Wrong, kept.NotMeasured, kept.Exclude = nil, nil, nil
	n.list = append(n.list, night{path, timeFrom, at, &kept})
	return nil
}

func (n *Nights) word(text string) string {
	if _, ok := n.words[text]; !ok {
		n.words[text] = text
	}
	return n.words[text]
}

// History puts the nights in order, each series by itself. selectors name tests, as
// Select takes them, whose trends are wanted; one that names nothing is an error.
func (n *Nights) History(selectors []string) (*History, error) {
	if len(n.list) == 0 {
		return nil, errors.New("no report was found")
	}
	slices.SortStableFunc(n.list, func(a, b night) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.path, b.path))
	})
	wanted, err := n.selected(selectors)
	if err != nil {
		return nil, err
	}
	h := &History{Schema: HistorySchema, Series: []Series{}, Skipped: []Skipped{}}
	of := map[string]int{}
	var members [][]night
	for _, one := range n.list {
		s := seriesOf(one.report)
		key := fmt.Sprintf("%q", []any{s.Library, s.Shapes, s.Datatype, s.Op, fmt.Sprint(s.Root)})
		i, ok := of[key]
		if !ok {
			i = len(h.Series)
			of[key] = i
			h.Series, members = append(h.Series, s), append(members, nil)
		}
		members[i] = append(members[i], one)
	}
	for i := range h.Series {
		h.Series[i].fill(members[i], wanted)
	}
	return h, nil
}

func seriesOf(r *analyze.Report) Series {
	s := Series{Library: r.Library.Name, Datatype: r.Datatype, Op: r.Op, Root: r.Root, Shapes: []string{}, Nights: []Night{}, Changes: []Lasting{}, Trends: []Trend{}}
	for _, shape := range r.Shapes {
		s.Shapes = append(s.Shapes, shape.Name)
	}
	return s
}

// selected are the questions that the selectors name, in the order of the selectors.
func (n *Nights) selected(selectors []string) ([]question, error) {
	if len(selectors) == 0 {
		return nil, nil
	}
	var plan guidelines.Plan
	var all []question
	seen := map[question]bool{}
	for _, one := range n.list {
		shapes := map[string]guidelines.Shape{}
		for _, s := range one.report.Shapes {
			shapes[s.Name] = s.Shape
		}
		for i := range one.report.Verdicts {
			v := &one.report.Verdicts[i]
			if q := questionOf(v); !seen[q] {
				seen[q] = true
				all = append(all, q)
				plan.Tests = append(plan.Tests, guidelines.Test{Guideline: v.Guideline, Type: v.Type, Function: v.Function, Mockup: v.Mockup, Msize: v.Msize, Shape: shapes[v.Shape]})
			}
		}
	}
	var out []question
	for _, s := range selectors {
		found, err := analyze.Select(&plan, s)
		if err != nil {
			return nil, err
		}
		for _, i := range found.Tests {
			if (!found.Violated || n.ever(all[i])) && !slices.Contains(out, all[i]) {
				out = append(out, all[i])
			}
		}
	}
	return out, nil
}

// ever tells whether a night violates it.
func (n *Nights) ever(q question) bool {
	return slices.ContainsFunc(n.list, func(one night) bool {
		return slices.ContainsFunc(one.report.Verdicts, func(v analyze.Verdict) bool { return v.Verdict == judge.Violated && questionOf(&v) == q })
	})
}

// fill makes a series of its nights, which are in order.
func (s *Series) fill(nights []night, wanted []question) {
	tracks := map[question][]Point{}
	var asked []question // in the order of the reports
	for i, one := range nights {
		row := rowOf(one)
		if i > 0 {
			before := nights[i-1].report
			row.Changed = changedSince(before, one.report)
			row.Shift = MachineShift(before, one.report)
			if one.report.Gate == nil {
				row.Gone = goneSince(before, one.report)
			}
		}
		s.Nights = append(s.Nights, row)
		for k := range one.report.Verdicts {
			v := &one.report.Verdicts[k]
			q := questionOf(v)
			if points := tracks[q]; points == nil {
				asked = append(asked, q)
			} else if points[len(points)-1].Night == i {
				continue // a report asks each question once
			}
			tracks[q] = append(tracks[q], Point{i, v.MedianS, v.OtherMedianS, v.Ratio, v.RatioLo95, v.RatioHi95, v.Verdict})
		}
	}
	for _, q := range asked {
		for _, c := range lasting(tracks[q]) {
			c.Asked = q.asked(nights[c.Night].report)
			s.Changes = append(s.Changes, c)
		}
	}
	slices.SortStableFunc(s.Changes, func(a, b Lasting) int { return cmp.Compare(a.Night, b.Night) })
	for _, q := range wanted {
		if points := tracks[q]; points != nil {
			s.Trends = append(s.Trends, Trend{q.asked(nights[points[len(points)-1].Night].report), points})
		}
	}
}

// asked is the question as a report asks it.
func (q question) asked(r *analyze.Report) Asked {
	a := Asked{q.guideline, q.typ, q.function, q.mockup, q.msize, q.msize, q.shape}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; questionOf(v) == q {
			a.MsizeOther = v.MsizeOther
		}
	}
	return a
}

func rowOf(one night) Night {
	r := one.report
	row := Night{Path: one.path, Origin: r.Origin, TimeFrom: one.timeFrom, Version: r.Version, Library: r.Library, R: r.R,
		SlowMpiruns: len(r.SlowMpiruns), Probes: append([]analyze.Probes{}, r.Probes...), Exit: r.Exit, Changed: []Difference{}}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		switch v.Verdict {
		case judge.NotMeasured, judge.Wrong:
			continue
		case judge.Violated:
			row.Violated++
			if v.Firm {
				row.Firm++
			}
		case judge.Marginal, judge.Kept, judge.Undecided, judge.Suspected, judge.NotSuspected:
		}
		row.Tests++
	}
	if g := r.Gate; g != nil {
		row.Alarms, row.Gone = &g.Alarms, g.ByState[analyze.Gone]
	}
	return row
}

// changedSince names what is known of both nights and differs.
func changedSince(a, b *analyze.Report) []Difference {
	out := []Difference{}
	version := func(l analyze.Library) string {
		first, _, _ := strings.Cut(l.Version, "\n")
		return strings.Join(strings.Fields(first), " ")
	}
	for _, f := range []Difference{
		{"library", version(a.Library), version(b.Library)}, {"nodes", strings.Join(a.Nodes, ","), strings.Join(b.Nodes, ",")}, {"host", a.Host, b.Host},
		{"kernel", a.Kernel, b.Kernel}, {"rank program", a.RankHash, b.RankHash}, {"gl.toml", a.GLTomlHash, b.GLTomlHash}, {"pgmpi", a.Version, b.Version},
	} {
		if f.A != f.B && f.A != "" && f.B != "" {
			out = append(out, f)
		}
	}
	return out
}

// goneSince counts the tests that were violated the night before, and are kept now.
func goneSince(a, b *analyze.Report) (n int) {
	before := map[question]*analyze.Verdict{}
	for i := range a.Verdicts {
		before[questionOf(&a.Verdicts[i])] = &a.Verdicts[i]
	}
	for i := range b.Verdicts {
		v := &b.Verdicts[i]
		if was := before[questionOf(v)]; was != nil && was.Verdict == judge.Violated && v.Verdict == judge.Kept {
			n++
		}
	}
	return n
}

const (
	// lasts is how many nights on each side a change is seen in: one bad night is none.
	lasts = 3
	// leastLasting is a ratio that is worth a look.
	leastLasting = 1.05
)

// lasting are the changes of a test: all intervals of three nights lie on one side
// of those of the three nights before them.
func lasting(points []Point) (out []Lasting) {
	known := slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		return p.Ratio == nil || p.RatioLo95 == nil || p.RatioHi95 == nil || !(*p.RatioLo95 > 0) || !(*p.Ratio > 0)
	})
	for i := lasts; i+lasts <= len(known); i++ {
		before, after := known[i-lasts:i], known[i:i+lasts]
		if !above(after, before) && !above(before, after) {
			continue
		}
		was, is := middleRatio(before), middleRatio(after)
		if factor := is / was; max(factor, 1/factor) >= leastLasting {
			out = append(out, Lasting{Night: after[0].Night, Before: was, After: is})
		}
	}
	return out
}

// above tells whether all intervals of some nights lie above those of others.
func above(these, others []Point) bool {
	lowest, highest := math.Inf(1), 0.0
	for _, p := range these {
		lowest = min(lowest, *p.RatioLo95)
	}
	for _, p := range others {
		highest = max(highest, *p.RatioHi95)
	}
	return lowest > highest
}

func middleRatio(points []Point) float64 {
	var ratios []float64
	for _, p := range points {
		ratios = append(ratios, *p.Ratio)
	}
	return stats.MedianFinite(ratios)
}
