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

// NewHistory puts checks in order, each series by itself. selectors name tests, as
// analyze.Select takes them, whose trends are wanted; one that names nothing is an error.
func NewHistory(checks []*Check, selectors []string) (*History, error) {
	if len(checks) == 0 {
		return nil, errors.New("no report was found")
	}
	at := map[*Check]time.Time{}
	for _, c := range checks {
		at[c], _ = time.Parse(time.RFC3339, c.Created)
	}
	checks = slices.Clone(checks)
	slices.SortStableFunc(checks, func(a, b *Check) int { return cmp.Or(at[a].Compare(at[b]), strings.Compare(a.Path, b.Path)) })
	wanted, err := selected(checks, selectors)
	if err != nil {
		return nil, err
	}
	h := &History{Schema: HistorySchema, Series: []Series{}, Skipped: []Skipped{}}
	of := map[string]int{}
	var members [][]*Check
	for _, c := range checks {
		s := Series{Library: c.Library.Name, Datatype: c.Datatype, Op: c.Op, Root: c.Root, Shapes: []string{}, Nights: []Night{}, Changes: []Lasting{}, Trends: []Trend{}}
		for _, shape := range c.Shapes {
			s.Shapes = append(s.Shapes, shape.Name)
		}
		key := fmt.Sprintf("%q", []any{s.Library, s.Shapes, s.Datatype, s.Op, fmt.Sprint(s.Root)})
		i, ok := of[key]
		if !ok {
			i = len(h.Series)
			of[key] = i
			h.Series, members = append(h.Series, s), append(members, nil)
		}
		members[i] = append(members[i], c)
	}
	for i := range h.Series {
		h.Series[i].fill(members[i], wanted)
	}
	return h, nil
}

// selected returns the questions that the selectors name, in the order of the selectors.
func selected(checks []*Check, selectors []string) (out []Asked, err error) {
	if len(selectors) == 0 {
		return nil, nil
	}
	var plan guidelines.Plan
	var all []Asked
	violated := map[Asked]bool{}
	for _, c := range checks {
		shapes := map[string]guidelines.Shape{}
		for _, s := range c.Shapes {
			shapes[s.Name] = s.Shape
		}
		for _, p := range c.Points {
			q := p.question()
			if _, seen := violated[q]; !seen {
				all = append(all, q)
				plan.Tests = append(plan.Tests, guidelines.Test{Guideline: p.Guideline, Type: p.Type, Function: p.Function, Mockup: p.Mockup, Msize: p.Msize, Shape: shapes[p.Shape]})
			}
			violated[q] = violated[q] || p.Verdict == judge.Violated
		}
	}
	for _, s := range selectors {
		found, err := analyze.Select(&plan, s)
		if err != nil {
			return nil, err
		}
		for _, i := range found.Tests {
			if q := all[i]; (!found.Violated || violated[q]) && !slices.Contains(out, q) {
				out = append(out, q)
			}
		}
	}
	return out, nil
}

func (s *Series) fill(checks []*Check, wanted []Asked) {
	tracks := map[Asked][]TrendPoint{}
	var asked []Asked // in the order of the reports
	for i, c := range checks {
		row := c.row()
		if i > 0 {
			before := checks[i-1]
			row.Changed, row.Shift = changedSince(before, c), MachineShift(before, c)
			if c.Gate == nil {
				row.Gone = goneSince(before, c)
			}
		}
		s.Nights = append(s.Nights, row)
		for k := range c.Points {
			p := &c.Points[k]
			q := p.question()
			if c.at[q] != k {
				continue
			}
			if tracks[q] == nil {
				asked = append(asked, q)
			}
			tracks[q] = append(tracks[q], TrendPoint{i, p.Answer})
		}
	}
	for _, q := range asked {
		for _, c := range lasting(tracks[q]) {
			c.Asked = checks[c.Night].find(q).Asked
			s.Changes = append(s.Changes, c)
		}
	}
	slices.SortStableFunc(s.Changes, func(a, b Lasting) int { return cmp.Compare(a.Night, b.Night) })
	for _, q := range wanted {
		if points := tracks[q]; points != nil {
			s.Trends = append(s.Trends, Trend{checks[points[len(points)-1].Night].find(q).Asked, points})
		}
	}
}

func (c *Check) row() Night {
	row := Night{Path: c.Path, Origin: c.Origin, TimeFrom: c.TimeFrom, Version: c.Version, Library: c.Library, R: c.R,
		SlowMpiruns: len(c.SlowMpiruns), Probes: append([]analyze.Probes{}, c.Probes...), Exit: c.Exit, Changed: []Difference{}}
	for i := range c.Points {
		switch p := &c.Points[i]; p.Verdict {
		case judge.NotMeasured, judge.Wrong:
			continue
		case judge.Violated:
			row.Violated++
			if p.Firm {
				row.Firm++
			}
		case judge.Marginal, judge.Kept, judge.Undecided, judge.Suspected, judge.NotSuspected:
		}
		row.Tests++
	}
	if g := c.Gate; g != nil {
		row.Alarms, row.Gone = &g.Alarms, g.ByState[analyze.Gone]
	}
	return row
}

// changedSince names what is known of both checks and differs.
func changedSince(a, b *Check) []Difference {
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

// goneSince counts the tests that were violated in the check before, and are kept now.
func goneSince(before, c *Check) (n int) {
	for _, p := range c.Points {
		if was := before.find(p.Asked); was != nil && was.Verdict == judge.Violated && p.Verdict == judge.Kept {
			n++
		}
	}
	return n
}

const (
	// lasts is the nights before and after a lasting change; one outlier is ignored.
	lasts = 3
	// LeastNights can show a lasting change.
	LeastNights = 2 * lasts
	// leastLasting is the least change of a ratio that is reported.
	leastLasting = 1.05
)

// lasting returns the changes of a test: all intervals of three nights lie on one side
// of all intervals of the three nights before.
func lasting(points []TrendPoint) (out []Lasting) {
	known := slices.DeleteFunc(slices.Clone(points), func(p TrendPoint) bool {
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

func above(these, others []TrendPoint) bool {
	lowest, highest := math.Inf(1), 0.0
	for _, p := range these {
		lowest = min(lowest, *p.RatioLo95)
	}
	for _, p := range others {
		highest = max(highest, *p.RatioHi95)
	}
	return lowest > highest
}

func middleRatio(points []TrendPoint) float64 {
	var ratios []float64
	for _, p := range points {
		ratios = append(ratios, *p.Ratio)
	}
	return stats.MedianFinite(ratios)
}
