package series

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
	"pgmpi/measure/results"
)

type Baselines struct {
	GateConfig
	Nights []*Check      // the newest first
	Expect []Expectation // of the file
	Times  []*Comparison // with the nights, where fail_on asks for run-times
	Notes  []string      // what could not be read
}

// worseBy times the ratio in a baseline, or more, counts as worse.
const worseBy = 1.25

// tonight holds a report while it is compared with its baselines.
type tonight struct {
	*analyze.Report
	*Baselines
}

// Confirmation plans to measure would-be alarms again, as a family of its own. A violation that a
// baseline has shown as well is confirmed already. It returns nil if nothing is left.
func Confirmation(a *analyze.Analysis, g *Baselines) *results.FollowUps {
	t := tonight{a.Report, g}
	return a.Again(func(_ int, v *analyze.Verdict) bool {
		p := t.provisional(v)
		return g.Confirm && g.Against() && g.alarms(p.state, v) && !p.known
	})
}

// Hold returns the report with what baselines and expectations say of it.
func Hold(a *analyze.Analysis, g *Baselines) (*analyze.Report, error) {
	confirmation, err := a.Confirmation()
	if err != nil {
		return nil, err
	}
	r := *a.Report
	r.Verdicts = slices.Clone(r.Verdicts)
	t := tonight{&r, g}
	gate := &analyze.Gate{Baselines: []analyze.Baseline{}, FailOn: string(g.FailOn), Strict: g.Strict, ByState: map[analyze.GateState]int{},
		NotJudged: t.notJudged(), MustJudge: g.MustJudge, First: len(g.Baseline) > 0 && len(g.Nights) == 0}
	for _, n := range g.Nights {
		gate.Baselines = append(gate.Baselines, analyze.Baseline{Folder: n.Path, Created: n.Created, Library: n.Library.Short()})
	}
	gate.Notes = append([]string{}, slices.Concat(g.Notes, t.unmatched(), t.notes())...)
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		p := t.provisional(v)
		alarm := g.alarms(p.state, v)
		switch {
		case !alarm || p.known || v.Verdict != judge.Violated || !g.Confirm || !g.Against():
		case confirmation == nil:
			p.reason += ", and not measured again"
		default:
			alarm = t.confirm(a, v, &p, confirmation, confirmation.Of(i))
		}
		if v.Gated = nil; p.state != "" {
			v.Gated = &analyze.Gated{State: p.state, Alarm: alarm, StateReason: p.reason, Ticket: p.ticket}
			gate.ByState[p.state]++
		}
		if alarm {
			gate.Alarms++
		}
	}
	t.widen()
	gate.Slower = g.slower(&gate.Notes)
	gate.Alarms += len(gate.Slower)
	r.Gate = gate
	r.Exit = r.ExitCode()
	return &r, nil
}

// alarms reports whether a test in a state makes the night red, once confirmed.
func (g *Baselines) alarms(s analyze.GateState, v *analyze.Verdict) bool {
	switch s {
	case analyze.New, analyze.Worse:
		return !g.onlySure() || v.Firm
	case analyze.Expired:
		return true
	case analyze.Xpass, analyze.Lost:
		return g.Strict
	case analyze.Known, analyze.FirstShown, analyze.Unsure:
		return g.FailOn == FailOnViolated && v.Verdict == judge.Violated || g.FailOn == FailOnSeen && v.Verdict == judge.SeenOnce
	case analyze.Expected, analyze.Gone:
	}
	return false
}

// provisional holds a test's state before the confirmation.
type provisional struct {
	state          analyze.GateState // "" if there is nothing to say
	reason, ticket string
	known          bool    // a baseline has shown the same
	above          float64 // the ratio that the whole interval of a confirmation has to be above
}

func (t tonight) provisional(v *analyze.Verdict) provisional {
	if p, ok := t.expected(v); ok {
		return p
	}
	switch v.Verdict {
	case judge.Violated:
		return t.violated(v)
	case judge.SeenOnce:
		return provisional{state: analyze.Unsure, reason: v.Reason}
	default:
		return t.notViolated(v)
	}
}

// expected returns the state of a test that an expectation names. ok tells that one names it, and
// has something to say.
func (t tonight) expected(v *analyze.Verdict) (p provisional, ok bool) {
	i := slices.IndexFunc(t.Expect, func(e Expectation) bool { return e.about(AskedBy(v)) && e.with(t.Library) })
	if i < 0 {
		return p, false
	}
	e := &t.Expect[i]
	p = provisional{reason: e.Reason, ticket: e.Ticket}
	because := phrase.When(e.Reason != "", ": %s", e.Reason)
	switch {
	case v.Verdict == judge.Violated && e.Until.over(t.Created):
		p.state, p.reason = analyze.Expired, fmt.Sprintf("expected until %s only%s", e.Until, because)
		p.known = slices.ContainsFunc(t.Nights, func(n *Check) bool { q := n.find(AskedBy(v)); return q != nil && q.violated() })
	case v.Verdict == judge.Violated:
		p.state = analyze.Expected
	case v.Verdict == judge.Kept:
		p.state, p.reason = analyze.Xpass, "expected to be violated, and kept"+because
	default:
		return p, false
	}
	return p, true
}

func (t tonight) violated(v *analyze.Verdict) provisional {
	if len(t.Baseline) == 0 {
		return provisional{state: analyze.New, reason: "no expectation names it", above: t.MinSlowdown}
	}
	var same, other []*Check // in the same states of the machine, and in others
	states := t.statesOf(v.Shape, v.ByState)
	for _, n := range t.Nights {
		if t.like(n, v.Shape, states) {
			same = append(same, n)
		} else {
			other = append(other, n)
		}
	}
	most, tested := against(same, v)
	var above float64
	if tested {
		above, _ = most.above(t.MinSlowdown)
	}
	switch {
	case tested && most.violated() && worse(v, most.Point) && least(v) <= most.largest():
		return provisional{state: analyze.Unsure, reason: "the ratio depends on the states of the machine, whose shares may have changed: " + most.words(), known: true}
	case tested && most.violated() && worse(v, most.Point):
		return provisional{state: analyze.Worse, reason: most.words(), above: max(worseBy**most.Ratio, most.largest())}
	case tested && most.violated():
		return provisional{state: analyze.Known, reason: most.words(), known: true}
	case tested && v.RatioLo95 != nil && *v.RatioLo95 > above:
		return provisional{state: analyze.New, reason: most.words(), above: max(above, t.MinSlowdown)}
	case tested:
		return provisional{state: analyze.Unsure, reason: "the ratio may be the same: " + most.words()}
	}
	switch most, tested := against(other, v); {
	case tested && most.violated():
		return provisional{state: analyze.Known, reason: most.words() + ", in another state of the machine", known: true}
	case tested:
		return provisional{state: analyze.Unsure, reason: "the machine was in a state that no baseline has; " + most.words()}
	}
	for _, n := range t.Nights {
		if q := n.find(AskedBy(v)); q != nil {
			return provisional{state: analyze.FirstShown, reason: strongest{n, q}.words()}
		}
	}
	return provisional{state: analyze.FirstShown, reason: "no baseline has planned it"}
}

func (t tonight) notViolated(v *analyze.Verdict) provisional {
	for _, n := range t.Nights {
		q := n.find(AskedBy(v))
		if q == nil || !q.tested() {
			continue
		}
		switch words := (strongest{n, q}).words(); {
		case v.Verdict == judge.NotMeasured:
			return provisional{state: analyze.Lost, reason: words}
		case !q.violated() || v.Verdict == judge.Wrong:
			return provisional{}
		case v.Verdict == judge.Kept:
			return provisional{state: analyze.Gone, reason: words}
		default:
			return provisional{state: analyze.Unsure, reason: words + "; today neither that nor kept is shown"}
		}
	}
	return provisional{}
}

// like reports whether a night met each of these states of the machine on a shape. It must also
// have run beside other programs, or alone, as today.
func (t tonight) like(n *Check, shape string, states []medians.Speed) bool {
	return (n.Busy == nil || *n.Busy == busy(t.Warnings)) && n.met(shape, states)
}

// statesOf returns the states of the machine that a verdict rests on: those in which it is violated
// if the answer depends on them, else the state of most mpiruns.
func (t tonight) statesOf(shape string, byState []analyze.StateVerdict) (in []medians.Speed) {
	most := medians.State{}
	for _, s := range t.States {
		if s.Shape != shape {
			continue
		}
		if slices.ContainsFunc(byState, func(b analyze.StateVerdict) bool { return b.State == s.Name && b.Verdict == judge.Violated }) {
			in = append(in, s.Speed)
		}
		if len(s.Mpiruns) > len(most.Mpiruns) {
			most = s
		}
	}
	if len(in) == 0 && len(most.Mpiruns) > 0 {
		in = append(in, most.Speed)
	}
	for _, s := range t.Probes {
		if len(in) == 0 && s.Shape == shape {
			in = append(in, s.Speed)
		}
	}
	return in
}

// strongest holds the answer that speaks most against a new violation: the largest ratio of the nights
// that violate it, else of those that tested it.
type strongest struct {
	check *Check
	*Point
}

// weight orders answers: a violation, then a test, then an answer with only an interval or medians.
func (p *Point) weight() int {
	switch {
	case p.violated():
		return 2
	case p.tested():
		return 1
	}
	return 0
}

// against returns the strongest answer of some nights. ok tells whether one of them knows.
func against(nights []*Check, v *analyze.Verdict) (most strongest, ok bool) {
	for _, n := range nights {
		p := n.find(AskedBy(v))
		if p == nil {
			continue
		}
		if _, tells := p.above(1); !tells {
			continue
		}
		if !ok || p.weight() > most.weight() || p.weight() == most.weight() && p.upper() > most.upper() {
			most, ok = strongest{n, p}, true
		}
	}
	return most, ok
}

// upper returns the upper end of the ratio's interval, or the ratio.
func (p *Point) upper() float64 { return analyze.Or(cmp.Or(p.RatioHi95, p.Ratio), 0) }

// words returns "kept in night-3 (0.98× [0.97, 1.00])".
func (s strongest) words() string {
	text := fmt.Sprintf("%s%s in %s", s.Verdict, phrase.When(s.Verdict == judge.Violated && !s.violated(), ", but unsure,"), s.check.Path)
	switch {
	case s.Ratio == nil:
		return text
	case s.RatioLo95 == nil || s.RatioHi95 == nil:
		return fmt.Sprintf("%s (%.2f×)", text, *s.Ratio)
	}
	return fmt.Sprintf("%s (%.2f× [%.2f, %.2f])", text, *s.Ratio, *s.RatioLo95, *s.RatioHi95)
}

func worse(v *analyze.Verdict, p *Point) bool {
	return v.Ratio != nil && p.Ratio != nil && v.RatioLo95 != nil && p.RatioHi95 != nil &&
		*v.RatioLo95 > *p.RatioHi95 && *v.Ratio >= worseBy**p.Ratio
}

// least returns the lowest limit of a ratio in any state of the machine. It returns 0 if one state
// has no limit.
func least(v *analyze.Verdict) float64 {
	lo := *v.RatioLo95
	for _, in := range v.ByState {
		lo = min(lo, analyze.Or(in.RatioLo95, 0))
	}
	return lo
}

func (p *Point) largest() float64 {
	hi := *p.RatioHi95
	for _, in := range p.ByState {
		hi = max(hi, analyze.Or(in.RatioHi95, math.Inf(1)))
	}
	return hi
}

// confirm reports whether a would-be alarm stays one, and says why. x is nil if it was not measured
// again.
func (t tonight) confirm(a *analyze.Analysis, v *analyze.Verdict, p *provisional, again *analyze.FollowedUp, x *analyze.Answered) bool {
	unsure := func(format string, args ...any) bool {
		p.state, p.reason = analyze.Unsure, fmt.Sprintf(format, args...)+"; "+p.reason
		return false
	}
	if x == nil {
		return unsure("it was not measured again")
	}
	problem := x.Problem
	if again.Refused != nil {
		problem = again.Refused.Reason
	}
	if problem != "" {
		return unsure("not confirmed: measured again: %s", problem)
	}
	measured := fmt.Sprintf("%.2f× [%.2f, %.2f] when measured again", x.Ratio, x.Lo95, x.Hi95)
	if x.Verdict != judge.Violated {
		return unsure("not confirmed: %s, %s", x.Verdict, measured)
	}
	if x.Lo95 < p.above {
		return unsure("not confirmed: %s, which is not clearly above %.2f×", measured, p.above)
	}
	for _, shape := range t.Shapes {
		if shape.Name != v.Shape {
			continue
		}
		speed := []medians.Speed{a.SpeedAgain(shape.Shape)}
		met := slices.DeleteFunc(slices.Clone(t.Nights), func(n *Check) bool { return !t.like(n, v.Shape, speed) })
		if len(t.Nights) > 0 && len(met) == 0 {
			return unsure("not confirmed: %s, but the machine was in a state that no baseline has", measured)
		}
		if most, tested := against(met, v); p.state == analyze.New && tested && most.violated() {
			return unsure("not confirmed: %s, but in that state of the machine it was %s", measured, most.words())
		}
	}
	p.reason += ", " + measured
	return true
}

func (t tonight) notes() (out []string) {
	today := CheckOf(t.Report, "")
	for i, n := range t.Nights {
		if shift := MachineShift(n, today); shift != nil && i == 0 {
			out = append(out, fmt.Sprintf("since %s: %s", n.Path, shift))
		}
		for _, d := range n.settingsSince(today) {
			out = append(out, fmt.Sprintf("since %s the library's setting %s is %s, and was %s: what is new may come from it", n.Path, d.Factor, d.B, d.A))
		}
		missing := slices.DeleteFunc(slices.Clone(n.Points), func(p Point) bool { return today.find(p.Asked) != nil })
		if len(missing) > 0 {
			out = append(out, fmt.Sprintf("%s of %s are not in this check", conf.Plural(len(missing), "test"), n.Path))
		}
	}
	return out
}

func (t tonight) notJudged() (out []string) {
	for _, s := range t.Shapes {
		states := t.statesOf(s.Name, nil)
		if len(t.Nights) > 0 && !slices.ContainsFunc(t.Nights, func(n *Check) bool { return t.like(n, s.Name, states) }) {
			out = append(out, s.Name)
		}
	}
	return out
}

func (t tonight) unmatched() (notes []string) {
	for i := range t.Expect {
		e := &t.Expect[i]
		if e.with(t.Library) && !slices.ContainsFunc(t.Verdicts, func(v analyze.Verdict) bool { return e.about(AskedBy(&v)) }) {
			notes = append(notes, fmt.Sprintf("the expectation about %s matches no test of this check", e.words()))
		}
	}
	return notes
}

// slower returns the cases slower than in every night, unless the whole machine became slower.
func (g *Baselines) slower(notes *[]string) (out []analyze.SlowerCase) {
	count := map[medians.Cell]int{}
	for i, c := range g.Times {
		if c.CouldHaveSeen != nil {
			*notes = append(*notes, fmt.Sprintf("run-times against %s: half of the cases could have shown %.2f× or more", c.A.Folder, *c.CouldHaveSeen))
		}
		if shift := lists.First(c.Warnings, func(w remark.Remark) bool { return w.ID == remark.MachineShift }); shift != nil {
			*notes = append(*notes, "run-times raise no alarm: "+shift.Text)
			return nil
		}
		for _, k := range c.Cases {
			if k.Change != Slower {
				continue
			}
			if count[k.Cell]++; count[k.Cell] == len(g.Times) && i == len(g.Times)-1 {
				out = append(out, analyze.SlowerCase{Cell: k.Cell, BeforeS: k.AMedianS, NowS: k.BMedianS, Ratio: k.Ratio, Baseline: c.A.Folder})
			}
		}
	}
	return out
}

// SplitViolated answers what analyze.PlanSplit asks: the size of the smaller part of which k calls
// were faster, in the newest night that violates a test.
func (g *Baselines) SplitViolated(v *analyze.Verdict) int64 {
	if g == nil {
		return 0
	}
	for _, n := range g.Nights {
		if p := n.find(AskedBy(v)); p != nil && p.Verdict == judge.Violated {
			return p.MsizeOther
		}
	}
	return 0
}
