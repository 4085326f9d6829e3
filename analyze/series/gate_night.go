package series

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/remark"
	"pgmpi/measure/results"
)

// PastNight is a check that another is held against: of its report what that needs.
type PastNight struct {
	analyze.Baseline
	analyze.Operation
	Shapes []string
	Probes []analyze.Probes
	States []medians.State
	Tests  []Past // in the Plan's order
	Busy   *bool  // other programs kept cores busy; nil: not known

	at map[question]int // index into Tests
}

// Past is what a night says of one test, as its report.json has it.
type Past struct {
	Guideline    string            `json:"guideline"`
	Type         guidelines.Type   `json:"type"`
	Function     string            `json:"function"`
	Mockup       string            `json:"mockup"`
	Msize        int64             `json:"msize"`
	MsizeOther   int64             `json:"msize_other"`
	Shape        string            `json:"shape"`
	MedianS      *float64          `json:"median_s"`
	OtherMedianS *float64          `json:"other_median_s"`
	Ratio        *float64          `json:"ratio"`
	RatioLo95    *float64          `json:"ratio_lo95"`
	RatioHi95    *float64          `json:"ratio_hi95"`
	Verdict      judge.Verdict     `json:"verdict"`
	State        analyze.GateState `json:"state"` // "": that night had no gate, or nothing to say
}

func pastOf(v *analyze.Verdict) Past {
	p := Past{v.Guideline, v.Type, v.Function, v.Mockup, v.Msize, v.MsizeOther, v.Shape, v.MedianS, v.OtherMedianS, v.Ratio, v.RatioLo95, v.RatioHi95, v.Verdict, ""}
	if v.Gated != nil {
		p.State = v.State
	}
	return p
}

func (p *Past) question() question {
	return questionOf(&analyze.Verdict{Guideline: p.Guideline, Type: p.Type, Function: p.Function, Mockup: p.Mockup, Msize: p.Msize, MsizeOther: p.MsizeOther, Shape: p.Shape})
}

// tested tells whether a test has said one or the other. A violation that its own night was
// unsure of has not: else what is not confirmed in one night would be known in the next.
func (p *Past) tested() bool {
	return p.violated() || p.Verdict == judge.Kept || p.Verdict == judge.Marginal
}

func (p *Past) violated() bool { return p.Verdict == judge.Violated && p.State != analyze.Unsure }

// check refuses what no check has written: anybody can edit a report.
func (p *Past) check() error {
	for _, x := range []*float64{p.Ratio, p.RatioLo95, p.RatioHi95, p.MedianS, p.OtherMedianS} {
		if x != nil && !(*x > 0 && *x <= math.MaxFloat64) {
			return fmt.Errorf("%v is no ratio and no time", *x)
		}
	}
	if p.Msize < 0 || p.RatioLo95 != nil && p.RatioHi95 != nil && *p.RatioLo95 > *p.RatioHi95 {
		return errors.New("its size or its interval is none")
	}
	return nil
}

// PastNightOf is the night of a report; folder is how the user calls it.
func PastNightOf(r *analyze.Report, folder string) *PastNight {
	beside := busy(r.Warnings)
	n := &PastNight{Baseline: analyze.Baseline{Folder: folder, Created: r.Created, Library: r.Library.Short()}, Operation: analyze.Operation{Datatype: r.Datatype, Op: r.Op, Root: r.Root}, Probes: r.Probes, States: r.States, Busy: &beside}
	for _, s := range r.Shapes {
		n.Shapes = append(n.Shapes, s.Name)
	}
	for i := range r.Verdicts {
		n.Tests = append(n.Tests, pastOf(&r.Verdicts[i]))
	}
	n.index()
	return n
}

// busy tells whether other programs kept cores busy.
func busy(warnings []remark.Remark) bool {
	return slices.ContainsFunc(warnings, func(r remark.Remark) bool { return r.ID == remark.OthersBusy })
}

func (n *PastNight) index() {
	n.at = map[question]int{}
	for i := range n.Tests {
		n.at[n.Tests[i].question()] = i
	}
}

// past is what the night says of a test of today; nil: it did not plan it.
func (n *PastNight) past(v *analyze.Verdict) *Past {
	i, ok := n.at[questionOf(v)]
	if !ok {
		return nil
	}
	return &n.Tests[i]
}

// report is what the night has of its report.
func (n *PastNight) report() *analyze.Report {
	r := &analyze.Report{Probes: n.Probes}
	for i := range n.Tests {
		p := &n.Tests[i]
		r.Verdicts = append(r.Verdicts, analyze.Verdict{Guideline: p.Guideline, Type: p.Type, Function: p.Function, Mockup: p.Mockup,
			Msize: p.Msize, MsizeOther: p.MsizeOther, Shape: p.Shape, MedianS: p.MedianS, OtherMedianS: p.OtherMedianS})
	}
	return r
}

// A report.json may be anybody's: mostPastTests and mostListed are far more than a check has.
const (
	mostPastTests = 200_000
	mostListed    = 1000 // shapes, and states of the machine
)

// ReadPastNight reads a report.json; folder is how the user calls it. Text that is no
// report, and one with values that no check writes, is an error.
func ReadPastNight(in io.Reader, folder string) (*PastNight, error) {
	n := &PastNight{Baseline: analyze.Baseline{Folder: folder}}
	d := json.NewDecoder(in)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is no report.json of pgmpi")
	}
	schema := ""
	for d.More() {
		key, err := d.Token()
		if err == nil {
			err = n.readKey(d, fmt.Sprint(key), &schema)
		}
		if err != nil {
			return nil, fmt.Errorf("it is damaged: %.80v: %w", key, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if schema != analyze.Schema {
		return nil, fmt.Errorf("its schema is %.80q, this pgmpi reads %q", schema, analyze.Schema)
	}
	n.index()
	return n, nil
}

func (n *PastNight) readKey(d *json.Decoder, key string, schema *string) error {
	switch key {
	case "schema":
		return d.Decode(schema)
	case "created":
		return d.Decode(&n.Created)
	case "library":
		var l analyze.Library
		err := d.Decode(&l)
		n.Library = l.Short()
		return err
	case "warnings":
		n.Busy = new(bool)
		return each(d, mostListed, func(r remark.Remark) error { *n.Busy = *n.Busy || busy([]remark.Remark{r}); return nil })
	case "datatype":
		return d.Decode(&n.Datatype)
	case "op":
		return d.Decode(&n.Op)
	case "root":
		return d.Decode(&n.Root)
	case "shapes":
		return each(d, mostListed, func(s analyze.Shape) error { n.Shapes = append(n.Shapes, s.Name); return nil })
	case "yardstick":
		return each(d, mostListed, func(s analyze.Probes) error { n.Probes = append(n.Probes, s); return nil })
	case "states":
		return each(d, mostListed, func(s medians.State) error { n.States = append(n.States, s); return nil })
	case "verdicts":
		return each(d, mostPastTests, func(p Past) error { n.Tests = append(n.Tests, p); return p.check() })
	}
	var skipped json.RawMessage
	return d.Decode(&skipped)
}

// each reads an array, one value after the other; null is an empty one.
func each[T any](d *json.Decoder, most int, take func(T) error) error {
	t, err := d.Token()
	if err != nil || t == nil {
		return err
	}
	if t != json.Delim('[') {
		return errors.New("it is no array")
	}
	for n := 0; d.More(); n++ {
		if n == most {
			return fmt.Errorf("it has more than %d values", most)
		}
		var v T
		if err := d.Decode(&v); err != nil {
			return err
		}
		if err := take(v); err != nil {
			return fmt.Errorf("value %d: %w", n+1, err)
		}
	}
	_, err = d.Token()
	return err
}

// Comparable is a *NotComparable where a check and a night ask nothing in common.
func (n *PastNight) Comparable(m *results.Manifest) error {
	plan := &m.Plan
	for _, f := range []struct{ name, now, then string }{
		{"job.datatype", plan.Datatype, n.Datatype}, {"job.op", plan.Op, n.Op}, {"job.root", fmt.Sprint(plan.Root), fmt.Sprint(n.Root)},
	} {
		if f.now != f.then {
			return &analyze.NotComparable{Reason: fmt.Sprintf("the baseline %s has another %s, %.40q, and this check %q: these are other operations; check with the same, or take another baseline",
				n.Folder, f.name, f.then, f.now)}
		}
	}
	var shapes []string
	common := false
	for _, s := range plan.Shapes {
		shapes = append(shapes, s.String())
		common = common || slices.Contains(n.Shapes, s.String())
	}
	if !common {
		return &analyze.NotComparable{Reason: fmt.Sprintf("the baseline %s has only %.80s and this check only %s: no number of processes is in both; check with the same job.np, or take another baseline",
			n.Folder, cmp.Or(strings.Join(n.Shapes, ", "), "no processes"), strings.Join(shapes, ", "))}
	}
	for _, t := range plan.Tests {
		if n.past(testOf(m, t)) != nil {
			return nil
		}
	}
	return &analyze.NotComparable{Reason: fmt.Sprintf("the baseline %s and this check have no test in common: check the same guidelines and sizes (check.guidelines, job.msizes), or take another baseline", n.Folder)}
}

// testOf is a planned test as far as a question needs it.
func testOf(m *results.Manifest, t guidelines.Test) *analyze.Verdict {
	v := &analyze.Verdict{Guideline: t.Guideline, Type: t.Type, Function: t.Function, Mockup: t.Mockup, Msize: t.Msize, MsizeOther: t.Msize, Shape: t.Shape.String()}
	if t.Type == guidelines.Monotony && len(t.Others) == 1 {
		v.MsizeOther = m.Plan.Cases[t.Others[0]].Msize
	}
	return v
}

// SplitViolated returns what FollowUps asks: of how small a part k calls were faster, in the
// newest night that violates a test.
func SplitViolated(nights []*PastNight) func(*analyze.Verdict) int64 {
	return func(v *analyze.Verdict) int64 {
		for _, n := range nights {
			if p := n.past(v); p != nil && p.Verdict == judge.Violated {
				return p.MsizeOther
			}
		}
		return 0
	}
}

// speeds are those of the states of the machine in a night, of a shape.
func (n *PastNight) speeds(shape string) (out []medians.Speed) {
	for _, s := range n.States {
		if s.Shape == shape {
			out = append(out, s.Speed)
		}
	}
	for _, s := range n.Probes {
		if len(out) == 0 && s.Shape == shape {
			out = append(out, s.Speed)
		}
	}
	return out
}

// inOtherState tells whether two readings of the yardstick are of other states of the
// machine. What was not read is not known to differ.
func inOtherState(a, b medians.Speed) bool {
	return slices.ContainsFunc(ofMachine, func(q medians.Quantity) bool {
		x, y := *a.At(q), *b.At(q)
		return min(x, y) > 0 && otherState(x, y)
	})
}

// met tells whether a night was, on a shape, in each of these states of the machine.
func (n *PastNight) met(shape string, states []medians.Speed) bool {
	speeds := n.speeds(shape)
	if len(speeds) == 0 {
		return true // it is not known
	}
	return !slices.ContainsFunc(states, func(now medians.Speed) bool {
		return !slices.ContainsFunc(speeds, func(then medians.Speed) bool { return !inOtherState(now, then) })
	})
}
