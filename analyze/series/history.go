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
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
)

// NewHistory puts checks in order, each series by itself. selectors name the tests whose trends are
// wanted, as selector.Select takes them; one that names nothing is an error.
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
	for _, of := range analyze.Grouped(checks, (*Check).series) {
		c := of[0]
		s := Series{Library: c.Library.Name, Datatype: c.Datatype, Op: c.Op, Root: c.Root, Shapes: append([]string{}, c.shapes()...), Nights: []Night{}, Changes: []Lasting{}, Trends: []Trend{}}
		if err := s.fill(of, wanted); err != nil {
			return nil, err
		}
		h.Series = append(h.Series, s)
	}
	return h, nil
}

func (c *Check) shapes() []string {
	return lists.Map(c.Shapes, func(s analyze.Shape) string { return s.Name })
}

// series identifies the series of a check.
func (c *Check) series() string {
	return fmt.Sprintf("%q", []any{c.Library.Name, c.shapes(), c.Datatype, c.Op, fmt.Sprint(c.Root)})
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
		found, err := selector.Select(&plan, s)
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

func (s *Series) fill(checks []*Check, wanted []Asked) error {
	tracks := map[Asked]*track{}
	var all []*track // in the order of the reports
	for i, c := range checks {
		row := c.row()
		if i > 0 {
			before := checks[i-1]
			row.Changed, row.Shift = changedSince(before, c), MachineShift(before, c)
			if c.Gate == nil {
				row.Gone = lists.Count(c.Points, func(p Point) bool {
					was := before.find(p.Asked)
					return was != nil && was.Verdict == judge.Violated && p.Verdict == judge.Kept
				})
			}
		}
		s.Nights = append(s.Nights, row)
		for k := range c.Points {
			p := &c.Points[k]
			q := p.question()
			if c.at[q] != k {
				continue
			}
			t := tracks[q]
			if t == nil {
				t = &track{}
				tracks[q], all = t, append(all, t)
			}
			t.Asked, t.Points = p.Asked, append(t.Points, TrendPoint{i, p.Answer})
			if p.RatioLo95 != nil && p.Ratio != nil && *p.Ratio > 0 && !math.IsInf(*p.Ratio, 0) {
				t.nights, t.logs = append(t.nights, i), append(t.logs, math.Log(*p.Ratio))
			}
		}
	}
	for _, q := range wanted {
		if t := tracks[q]; t != nil {
			s.Trends = append(s.Trends, t.Trend)
		}
	}
	s.Cells = lists.Map(all, func(t *track) Trend { return t.Trend })
	changes, err := lasting(append(all, runTimes(checks)...))
	s.Changes = append(s.Changes, changes...)
	return err
}

// RunTime stands for a guideline where a run-time changed, and not a ratio.
const RunTime = "run-time"

// runTimes follows the run-times of calls through nights without verdicts. Whoever has measured them wants to know
// since when a call is slower, whatever the reason; the ratios of nights with verdicts are freed from the machine.
func runTimes(checks []*Check) (all []*track) {
	if slices.ContainsFunc(checks, func(c *Check) bool { return c.SeenOnce == "" }) {
		return nil
	}
	tracks := map[Asked]*track{}
	for i, c := range checks {
		for _, p := range c.Points {
			q := Asked{Guideline: RunTime, Function: p.Function, Msize: p.Msize, MsizeOther: p.Msize, Shape: p.Shape}
			if tracks[q] == nil {
				tracks[q] = &track{Trend: Trend{Asked: q}}
				all = append(all, tracks[q])
			}
			t := tracks[q]
			if s := analyze.Or(p.MedianS, 0); s > 0 && (len(t.nights) == 0 || t.nights[len(t.nights)-1] < i) {
				t.nights, t.logs = append(t.nights, i), append(t.logs, math.Log(s))
			}
		}
	}
	return all
}

func (c *Check) row() Night {
	row := Night{Path: c.Path, Whole: c.Whole, Origin: c.Origin, Version: c.Version, Library: c.Library, R: c.R,
		SeenOnce: c.SeenOnce, SlowMpiruns: len(c.SlowMpiruns), Probes: append([]analyze.Probes{}, c.Probes...), Exit: c.Exit, Changed: []Difference{}}
	for i := range c.Points {
		p := &c.Points[i]
		if p.Verdict.Tested() {
			row.Tests++
		}
		if p.Verdict == judge.Violated {
			row.Violated++
			if p.Firm {
				row.Firm++
			}
		}
	}
	if g := c.Gate; g != nil {
		row.Alarms, row.Gone = &g.Alarms, g.ByState[analyze.Gone]
	}
	return row
}

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
	if x, y := strings.Join(a.Env, " "), strings.Join(b.Env, " "); x != y && a.Env != nil && b.Env != nil { // older checks do not say
		out = append(out, Difference{"environment", cmp.Or(x, unset), cmp.Or(y, unset)})
	}
	return append(out, a.settingsSince(b)...)
}

// settingsSince lists the library's settings in force that one check has and the other has not, or otherwise.
func (a *Check) settingsSince(b *Check) (out []Difference) {
	if a.Settings == nil || b.Settings == nil { // older checks do not say
		return nil
	}
	value := func(in []string, name string) string {
		i := slices.IndexFunc(in, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if i < 0 {
			return unset
		}
		return cmp.Or(strings.TrimPrefix(in[i], name+"="), `""`)
	}
	for _, s := range slices.Concat(a.Settings, b.Settings) {
		name, _, _ := strings.Cut(s, "=")
		if d := (Difference{name, value(a.Settings, name), value(b.Settings, name)}); d.A != d.B {
			out = lists.With(out, d)
		}
	}
	return out
}

const (
	// lasts nights come before, in and after a change.
	lasts = 3
	// LeastNights can show a lasting change.
	LeastNights = 2 * lasts
	// leastLasting is the least change of a ratio that is reported.
	leastLasting = 1.05
	// falseChanges is the false discovery rate over the tests of a series.
	falseChanges = .01
)

// track follows a test through all nights, with its log ratios where they are known.
type track struct {
	Trend
	nights []int
	logs   []float64
	cuts   []int // where logs change
}

// lasting returns the changes of ratios. It first looks among all tests for stretches of nights
// that differ from the other nights of a test, then for the same within what these leave of a test.
func lasting(tracks []*track) (out []Lasting, err error) {
	type part struct {
		of       *track
		from, to int
	}
	parts := lists.Map(tracks, func(t *track) part { return part{t, 0, len(t.logs)} })
	for len(parts) > 0 {
		p, found := make([]float64, len(parts)), make([]part, len(parts))
		for i, s := range parts {
			from, to, chance := stats.Changed(s.of.logs[s.from:s.to], lasts, math.Log(leastLasting))
			p[i], found[i] = chance, part{s.of, s.from + from, s.from + to}
		}
		adjusted, err := stats.Adjust(p, stats.AdjustBH)
		if err != nil {
			return nil, err
		}
		var left []part
		for i, s := range parts {
			if f := found[i]; adjusted[i] <= falseChanges {
				f.of.cuts = append(f.of.cuts, f.from, f.to)
				left = append(left, part{s.of, s.from, f.from}, f, part{s.of, f.to, s.to})
			}
		}
		parts = left
	}
	for _, t := range tracks {
		out = append(out, t.changes()...)
	}
	slices.SortStableFunc(out, func(a, b Lasting) int { return cmp.Compare(a.Night, b.Night) })
	return out, nil
}

func (t *track) changes() (out []Lasting) {
	cuts := append(t.cuts, 0, len(t.logs))
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i := 1; i+1 < len(cuts); i++ {
		from, at, to := cuts[i-1], cuts[i], cuts[i+1]
		first, last := stats.ChangedWithin(t.logs[from:to], at-from)
		out = append(out, Lasting{Asked: t.Asked, Night: t.nights[at], LastBefore: t.nights[from+first-1], FirstAfter: t.nights[from+last],
			Before: math.Exp(stats.MedianFinite(t.logs[from:at])), After: math.Exp(stats.MedianFinite(t.logs[at:to]))})
	}
	return out
}

const HistorySchema = "pgmpi-history/1"

// History lists checks one after another, which are called nights, as history.json has them.
type History struct {
	Schema  string    `json:"schema"` // HistorySchema
	Series  []Series  `json:"series"`
	Skipped []Skipped `json:"skipped"` // folders that could not be read
}

type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Series lists the nights of one library family on equal shapes with one operation.
type Series struct {
	Library  string    `json:"library"` // family
	Shapes   []string  `json:"shapes"`
	Datatype string    `json:"datatype"`
	Op       string    `json:"op"`
	Root     int       `json:"root"`
	Nights   []Night   `json:"nights"`  // by time
	Changes  []Lasting `json:"changes"` // of ratios, that lasted
	Trends   []Trend   `json:"trends"`  // of the cells that were asked for
	Cells    []Trend   `json:"-"`       // all, in the order of the reports
}

type Night struct {
	Path  string `json:"path"`  // where its report was found
	Whole bool   `json:"whole"` // a results folder, which can be compared, not its report alone
	analyze.Origin
	Version     string           `json:"pgmpi_version"`
	Library     analyze.Library  `json:"library"`
	R           int              `json:"r"`
	Tests       int              `json:"tests"` // checked
	Violated    int              `json:"violated"`
	Firm        int              `json:"firm"`
	Alarms      *int             `json:"alarms"` // of its gate, or null
	Gone        int              `json:"gone"`   // violated in the baseline, else in the night before, and kept now
	SlowMpiruns int              `json:"slow_mpiruns"`
	Probes      []analyze.Probes `json:"yardstick"`
	Exit        int              `json:"exit_code"`
	SeenOnce    string           `json:"seen_once,omitempty"` // why it has no verdicts, of what was imported
	Changed     []Difference     `json:"changed"`             // against the night before: library, nodes, kernel, …
	Shift       *Shift           `json:"machine_shift"`       // against the night before, or null
}

// Lasting describes a change of a test's ratio that lasted three nights or more, or of a run-time in s (RunTime).
type Lasting struct {
	Asked
	Night int `json:"night"` // index into Nights: the first one that probably differs
	// LastBefore and FirstAfter are the nights between which it changed, with 95 %.
	LastBefore int     `json:"last_before"`
	FirstAfter int     `json:"first_after"`
	Before     float64 `json:"before"` // ratio; the median of the nights since the change before
	After      float64 `json:"after"`  // until the next change
}

type Trend struct {
	Asked
	Points []TrendPoint `json:"points"`
}

type TrendPoint struct {
	Night int `json:"night"` // index into Nights
	Answer
}
