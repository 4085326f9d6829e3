package series

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unique"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/remark"
	"pgmpi/measure/results"
)

// Check holds what questions about several checks need from one report.json.
type Check struct {
	Path  string `json:"-"` // as the user calls it
	Night int    `json:"-"` // its number in a folder of nights, or 0
	Whole bool   `json:"-"` // a results folder, which can be compared, not its report alone

	Schema  string          `json:"schema"`
	Version string          `json:"pgmpi_version"`
	Library analyze.Library `json:"library"`
	analyze.Operation
	analyze.Origin
	Shapes      []analyze.Shape      `json:"shapes"`
	R           int                  `json:"r"`
	Probes      []analyze.Probes     `json:"yardstick"`
	States      []medians.State      `json:"states"`
	SlowMpiruns []medians.SlowMpirun `json:"slow_mpiruns"`
	Gate        *analyze.Gate        `json:"gate"`
	Exit        int                  `json:"exit_code"`
	SeenOnce    string               `json:"seen_once"` // why it has no verdicts, of what was imported

	Busy   *bool   `json:"-"` // other programs kept cores busy; nil if not known
	Points []Point `json:"-"` // in the Plan's order

	at map[Asked]int // into Points, by question
}

type Asked struct {
	Guideline  string          `json:"guideline"`
	Type       guidelines.Type `json:"type"`
	Function   string          `json:"function"`
	Mockup     string          `json:"mockup,omitempty"`
	Msize      int64           `json:"msize"` // bytes
	MsizeOther int64           `json:"msize_other"`
	Shape      string          `json:"shape"`
	Elements   string          `json:"elements,omitempty"` // as in a Verdict
}

// Answer holds what a check found. Undefined numbers are null.
type Answer struct {
	MedianS      *float64 `json:"median_s"`
	OtherMedianS *float64 `json:"other_median_s"`
	analyze.Effect
	Verdict judge.Verdict `json:"verdict"`
}

type Point struct {
	Asked
	Answer
	Firm    bool              `json:"firm"`
	ByState analyze.InStates  `json:"by_state"`
	State   analyze.GateState `json:"state"` // "" if that check had no gate, or nothing to say
	Reason  string            `json:"reason"`
}

// question identifies a test in all checks. The other size belongs to it for monotony, and to the
// answer for split-robustness, as a textbook algorithm does.
func (a Asked) question() Asked {
	if a.Type != guidelines.Monotony {
		a.MsizeOther = 0
	}
	if guidelines.OneOf(a.Guideline) {
		a.Mockup = ""
	}
	return a
}

func AskedBy(v *analyze.Verdict) Asked {
	return Asked{v.Guideline, v.Type, v.Function, v.Mockup, v.Msize, v.MsizeOther, v.Shape, v.Elements}
}

func planned(p *guidelines.Plan, t guidelines.Test) Asked {
	a := Asked{t.Guideline, t.Type, t.Function, t.Mockup, t.Msize, t.Msize, t.Shape.String(), t.Elements}
	if t.Type == guidelines.Monotony && len(t.Others) == 1 {
		a.MsizeOther = p.Cases[t.Others[0]].Msize
	}
	return a
}

func pointOf(v *analyze.Verdict) Point {
	p := Point{Asked: AskedBy(v), Answer: Answer{v.MedianS, v.OtherMedianS, v.Effect, v.Verdict}, Firm: v.Firm, Reason: v.Reason, ByState: v.ByState}
	if v.Gated != nil {
		p.State = v.State
	}
	return p
}

// tested reports whether the check reached a verdict. An unconfirmed violation does not count: it
// would be known in the next night.
func (p *Point) tested() bool {
	return p.violated() || p.Verdict == judge.Kept || p.Verdict == judge.Marginal
}

func (p *Point) violated() bool { return p.Verdict == judge.Violated && p.State != analyze.Unsure }

// above returns the ratio above which a violation is new: the end of the interval, times the least
// slowdown. For split-robustness that was not suspected, and so not tested, it is worseBy times the
// ratio of the medians. ok tells whether the check knows.
func (p *Point) above(least float64) (ratio float64, ok bool) {
	switch {
	case p.Verdict == judge.NotSuspected && p.Ratio != nil:
		return worseBy * max(1, *p.Ratio), true
	case p.RatioHi95 != nil && (p.tested() || p.Verdict == judge.Undecided || p.Verdict == judge.Violated):
		return least * *p.RatioHi95, true
	}
	return 0, false
}

// validate refuses what no check has written, since anybody can edit a report.
func (p *Point) validate() error {
	const most = 1e9 // times, or seconds
	for _, x := range []*float64{p.Ratio, p.RatioLo95, p.RatioHi95, p.MedianS, p.OtherMedianS} {
		if x != nil && !(*x > 0 && *x <= most) {
			return fmt.Errorf("%v is no ratio and no time", *x)
		}
	}
	if !p.Verdict.Known() {
		return fmt.Errorf("%.40q is no verdict that this pgmpi knows", p.Verdict)
	}
	if len(p.ByState) > mostListed {
		return fmt.Errorf("it has %d states", len(p.ByState))
	}
	if p.Msize < 0 || p.RatioLo95 != nil && p.RatioHi95 != nil && *p.RatioLo95 > *p.RatioHi95 {
		return errors.New("its size or its interval is none")
	}
	return nil
}

// CheckOf makes a Check of a report; path is the user's name for it.
func CheckOf(r *analyze.Report, path string) *Check {
	beside := busy(r.Warnings)
	c := &Check{Path: path, Schema: r.Schema, Version: r.Version, Library: r.Library, Operation: r.Operation, Origin: r.Origin, Shapes: r.Shapes, R: r.R,
		Probes: r.Probes, States: r.States, SlowMpiruns: r.SlowMpiruns, Gate: r.Gate, Exit: r.Exit, SeenOnce: r.SeenOnce, Busy: &beside}
	for i := range r.Verdicts {
		c.Points = append(c.Points, pointOf(&r.Verdicts[i]))
	}
	c.index()
	return c
}

func busy(warnings []remark.Remark) bool {
	return slices.ContainsFunc(warnings, func(r remark.Remark) bool { return r.ID == remark.OthersBusy })
}

// index keeps the first answer to a question: a report asks each once.
func (c *Check) index() {
	c.at = map[Asked]int{}
	for i, p := range slices.Backward(c.Points) {
		c.at[p.question()] = i
	}
}

func (c *Check) find(a Asked) *Point {
	if i, ok := c.at[a.question()]; ok {
		return &c.Points[i]
	}
	return nil
}

// Limits far above what a check has: anybody may have written a report.json.
const (
	mostObjects = 1_000_000
	mostListed  = 1000 // shapes, and states of the machine
)

// ReadCheck reads a report.json; path is the user's name for it. Text that is no report, and one
// with values that no check writes, is an error.
func ReadCheck(in io.Reader, path string) (*Check, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte{'{'}); n > mostObjects {
		return nil, fmt.Errorf("damaged: it has %d values, more than %d", n, mostObjects)
	}
	c := &Check{Path: path}
	file := struct {
		*Check
		Verdicts []Point         `json:"verdicts"`
		Warnings []remark.Remark `json:"warnings"`
	}{Check: c}
	var at *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, &file); {
	case errors.As(err, &at) && at.Field != "":
		return nil, fmt.Errorf("damaged: %.80s cannot be of type %s", strings.NewReplacer("Check.", "", "Operation.", "", "Origin.", "").Replace(at.Field), at.Value)
	case err != nil:
		return nil, fmt.Errorf("damaged: it is no report.json of pgmpi: %w", err)
	case max(len(c.Shapes), len(c.Probes), len(c.States)) > mostListed:
		return nil, fmt.Errorf("damaged: it has more than %d shapes or states", mostListed)
	}
	for i := range file.Verdicts {
		p := &file.Verdicts[i]
		if err := p.validate(); err != nil {
			return nil, fmt.Errorf("damaged: verdicts: value %d: %w", i+1, err)
		}
		for _, text := range []*string{&p.Guideline, (*string)(&p.Type), &p.Function, &p.Mockup, &p.Shape, (*string)(&p.Verdict), &p.Reason} {
			*text = unique.Make(*text).Value() // checks of a series ask the same
		}
	}
	if c.Schema != analyze.Schema {
		return nil, fmt.Errorf("schema %.40q, and this pgmpi reads %q", c.Schema, analyze.Schema)
	}
	if c.Points = file.Verdicts; file.Warnings != nil {
		beside := busy(file.Warnings)
		c.Busy = &beside
	}
	c.index()
	return c, nil
}

// Comparable returns a *NotComparable if a planned check asks nothing that this one asked.
func (c *Check) Comparable(m *results.Manifest) error {
	plan := &m.Plan
	if name, now, then := otherOperation(analyze.OperationOf(plan), c.Operation); name != "" {
		return &analyze.NotComparable{Reason: fmt.Sprintf("the baseline %s has another %s, %.40q, and this check %q: these are other operations; check with the same, or take another baseline",
			c.Path, name, then, now)}
	}
	now, then := lists.Map(plan.Shapes, guidelines.Shape.String), c.shapes()
	if !slices.ContainsFunc(now, func(s string) bool { return slices.Contains(then, s) }) {
		return &analyze.NotComparable{Reason: fmt.Sprintf("the baseline %s has only %.80s and this check only %s: no number of processes is in both; check with the same job.np, or take another baseline",
			c.Path, cmp.Or(strings.Join(then, ", "), "no processes"), strings.Join(now, ", "))}
	}
	if slices.ContainsFunc(plan.Tests, func(t guidelines.Test) bool { return c.find(planned(plan, t)) != nil }) {
		return nil
	}
	return &analyze.NotComparable{Reason: fmt.Sprintf("the baseline %s and this check have no test in common: check the same guidelines and sizes (check.guidelines, job.msizes), or take another baseline", c.Path)}
}

// speeds returns the machine's speeds on a shape, in each state. It leaves out what the check did
// not read.
func (c *Check) speeds(shape string) (out []medians.Speed) {
	for _, s := range c.States {
		if s.Shape == shape {
			out = append(out, s.Speed)
		}
	}
	for _, s := range c.Probes {
		if len(out) == 0 && s.Shape == shape {
			out = append(out, s.Speed)
		}
	}
	return out
}

// met reports whether the check met each of these states of the machine on a shape. States that
// were not read are not known to differ.
func (c *Check) met(shape string, states []medians.Speed) bool {
	speeds := c.speeds(shape)
	return len(speeds) == 0 || !slices.ContainsFunc(states, func(now medians.Speed) bool {
		return !slices.ContainsFunc(speeds, func(then medians.Speed) bool {
			return !slices.ContainsFunc(ofMachine, func(q medians.Quantity) bool {
				x, y := *now.At(q), *then.At(q)
				return min(x, y) > 0 && otherState(x, y)
			})
		})
	})
}
