package series

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Against is what a check is held against.
type Against struct {
	GateConfig
	Nights []*PastNight  // the newest first
	Expect []Expectation // of the file
	Times  []*Comparison // with the nights, where fail_on asks for run-times
	Notes  []string      // what could not be read
}

// worseBy is how many times larger than in a baseline a ratio is that counts as worse.
const worseBy = 1.25

// Confirmation plans to measure again what would make the night red, as a family of its
// own, in as many mpiruns as pair well. A violation that a baseline has shown as well is
// confirmed already. It is nil where there is nothing to confirm.
func Confirmation(a *analyze.Analysis, g *Against) (*results.SplitPlan, error) {
	if !g.Confirm {
		return nil, nil
	}
	plan := &results.SplitPlan{R: a.Family.R()}
	for i := range a.Verdicts {
		v := &a.Verdicts[i]
		if h := hold(a, g, v); !g.alarms(h.state, v) || h.again || v.Verdict != judge.Violated {
			continue
		}
		t := a.Manifest.Plan.Tests[i]
		for _, part := range t.Others {
			if a.Manifest.Plan.Cases[part].Msize == v.MsizeOther {
				plan.FollowUps = append(plan.FollowUps, results.FollowUp{Test: i, Case: t.Case, Part: part, Calls: max(1, v.K)})
				break
			}
		}
	}
	if len(plan.FollowUps) == 0 {
		return nil, nil
	}
	if a.Cfg.Method != judge.MethodPaper {
		plan.R = max(a.Family.Looks[0], judge.Pairing(a.Cfg.Alpha, len(plan.FollowUps)))
	}
	return plan, nil
}

// Hold says in the Report how the check stands against its baselines and expectations.
func Hold(a *analyze.Analysis, g *Against) error {
	again, err := confirmed(a)
	if err != nil {
		return err
	}
	r := a.Report
	gate := &analyze.Gate{Baselines: []analyze.Baseline{}, FailOn: string(g.FailOn), Strict: g.Strict, ByState: map[analyze.GateState]int{}, Notes: []string{}}
	for _, n := range g.Nights {
		gate.Baselines = append(gate.Baselines, n.Baseline)
	}
	gate.Notes = append(append(gate.Notes, g.Notes...), unmatched(g.Expect, a.Manifest)...)
	gate.Notes = append(gate.Notes, notes(a, g)...)
	for i := range a.Verdicts {
		v := &a.Verdicts[i]
		h := hold(a, g, v)
		alarm := g.alarms(h.state, v)
		switch {
		case !alarm || h.again || v.Verdict != judge.Violated || !g.Confirm:
		case a.Manifest.Confirm == nil:
			h.reason += ", and not measured again"
		default:
			alarm = confirm(a, g, v, &h, again[i])
		}
		if v.Gated = nil; h.state != "" {
			v.Gated = &analyze.Gated{State: h.state, Alarm: alarm, StateReason: h.reason, Ticket: h.ticket}
			gate.ByState[h.state]++
		}
		if alarm {
			gate.Alarms++
		}
	}
	gate.Slower = g.slower(&gate.Notes)
	gate.Alarms += len(gate.Slower)
	r.Gate = gate
	r.Exit = r.ExitCode()
	return nil
}

// alarms tells whether a test in a state makes the night red, if it is confirmed.
func (g *Against) alarms(s analyze.GateState, v *analyze.Verdict) bool {
	switch s {
	case analyze.New, analyze.Worse:
		return g.FailOn != FailOnFirm || v.Firm
	case analyze.Expired:
		return true
	case analyze.Xpass:
		return g.Strict
	case analyze.Known, analyze.FirstShown, analyze.Unsure:
		return g.FailOn == FailOnViolated && v.Verdict == judge.Violated
	case analyze.Expected, analyze.Gone:
	}
	return false
}

// held is what a test of today is, as far as is known without a confirmation.
type held struct {
	state          analyze.GateState // "": nothing to say
	reason, ticket string
	again          bool         // a baseline has shown the same
	nights         []*PastNight // that were in the same state of the machine
	past           *Past        // what a baseline has, which today's ratio is above
}

func hold(a *analyze.Analysis, g *Against, v *analyze.Verdict) held {
	if h, ok := expected(a, g, v); ok {
		return h
	}
	if v.Verdict == judge.Violated {
		return violated(a, g, v)
	}
	return notViolated(g, v)
}

// expected is a test that an expectation names; ok: one does, and has something to say.
func expected(a *analyze.Analysis, g *Against, v *analyze.Verdict) (h held, ok bool) {
	i := slices.IndexFunc(g.Expect, func(e Expectation) bool { return e.about(v) && e.with(analyze.LibraryOf(a.Manifest)) })
	if i < 0 {
		return h, false
	}
	e := &g.Expect[i]
	h = held{reason: e.Reason, ticket: e.Ticket}
	switch {
	case v.Verdict == judge.Violated && e.Until.over(a.Manifest.Created):
		h.state, h.reason = analyze.Expired, fmt.Sprintf("expected until %s only", e.Until)+after(": ", e.Reason)
		h.again = slices.ContainsFunc(g.Nights, func(n *PastNight) bool { p := n.past(v); return p != nil && p.violated() })
		h.nights = g.Nights
	case v.Verdict == judge.Violated:
		h.state = analyze.Expected
	case v.Verdict == judge.Kept:
		h.state, h.reason = analyze.Xpass, "expected to be violated, and kept"+after(": ", e.Reason)
	default:
		return h, false
	}
	return h, true
}

// after is a text with what separates it from the one before; "" where there is none.
func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// violated is a test that is violated today and not expected to be.
func violated(a *analyze.Analysis, g *Against, v *analyze.Verdict) held {
	if len(g.Baseline) == 0 {
		return held{state: analyze.New, reason: "no expectation names it"}
	}
	var same, other []*PastNight // in the same states of the machine, and in others
	states := statesOf(a, v)
	for _, n := range g.Nights {
		if like(a, n, v.Shape, states) {
			same = append(same, n)
		} else {
			other = append(other, n)
		}
	}
	shown, worst := against(same, v)
	switch {
	case shown.violated > 0 && worse(v, worst.past) && (changing(a, v.Shape) || len(worst.night.speeds(v.Shape)) > 1):
		return held{state: analyze.Unsure, reason: "the machine was in several states, whose shares may have changed: " + worst.words(), again: true, nights: same}
	case shown.violated > 0 && worse(v, worst.past):
		return held{state: analyze.Worse, reason: worst.words(), nights: same, past: worst.past}
	case shown.violated > 0:
		return held{state: analyze.Known, reason: worst.words(), again: true, nights: same}
	case shown.tested > 0 && worst.apart(v, a.Cfg.MinSlowdown):
		return held{state: analyze.New, reason: worst.words(), nights: same, past: worst.past}
	case shown.tested > 0:
		return held{state: analyze.Unsure, reason: "the ratio may be the same: " + worst.words(), nights: same}
	}
	elsewhere, worst := against(other, v)
	switch {
	case elsewhere.violated > 0:
		return held{state: analyze.Known, reason: worst.words() + ", in another state of the machine", again: true, nights: same}
	case elsewhere.tested > 0:
		return held{state: analyze.Unsure, reason: "the machine was in a state that no baseline has; " + worst.words(), nights: same}
	}
	return held{state: analyze.FirstShown, reason: firstShown(g, v), nights: same}
}

// like tells whether a night was, on a shape, in each of these states of the machine, and
// as today beside other programs or alone.
func like(a *analyze.Analysis, n *PastNight, shape string, states []medians.Speed) bool {
	return (n.Busy == nil || *n.Busy == busy(a.Report.Warnings)) && n.met(shape, states)
}

// statesOf are the states of the machine that a verdict rests on: those in which it is
// violated where that depends on them, else that of most mpiruns.
func statesOf(a *analyze.Analysis, v *analyze.Verdict) []medians.Speed {
	var in []medians.Speed
	most := medians.State{}
	for _, s := range a.Report.States {
		if s.Shape != v.Shape {
			continue
		}
		if slices.ContainsFunc(v.ByState, func(b analyze.StateVerdict) bool { return b.State == s.Name && b.Verdict == judge.Violated }) {
			in = append(in, s.Speed)
		}
		if len(s.Mpiruns) > len(most.Mpiruns) {
			most = s
		}
	}
	if len(in) == 0 && len(most.Mpiruns) > 0 {
		in = append(in, most.Speed)
	}
	for _, s := range a.Report.Probes {
		if len(in) == 0 && s.Shape == v.Shape {
			in = append(in, s.Speed)
		}
	}
	return in
}

// changing tells whether the machine was in several states while a shape was measured. A
// ratio that differs between them is then one of their mixture.
func changing(a *analyze.Analysis, shape string) bool {
	n := 0
	for _, s := range a.Report.States {
		if s.Shape == shape {
			n++
		}
	}
	return n > 1
}

// counts are the nights that have tested something.
type counts struct{ tested, violated int }

// witness is the night that says most against something being new: of those that violate
// it, else of those that tested it, the one with the largest ratio.
type witness struct {
	night *PastNight
	past  *Past
}

func against(nights []*PastNight, v *analyze.Verdict) (c counts, worst witness) {
	for _, n := range nights {
		p := n.past(v)
		if p == nil || !p.tested() {
			continue
		}
		c.tested++
		if p.violated() {
			c.violated++
		}
		first := worst.past == nil || p.violated() && !worst.past.violated()
		if first || p.violated() == worst.past.violated() && upper(p) > upper(worst.past) {
			worst = witness{n, p}
		}
	}
	return c, worst
}

// upper is the end of a ratio's interval, or the ratio.
func upper(p *Past) float64 {
	switch {
	case p.RatioHi95 != nil:
		return *p.RatioHi95
	case p.Ratio != nil:
		return *p.Ratio
	}
	return 0
}

// words are "kept in night-3 (0.98× [0.97, 1.00])".
func (w witness) words() string {
	p := w.past
	text := fmt.Sprintf("%s in %s", p.Verdict, w.night.Folder)
	if p.Verdict == judge.Violated && !p.violated() {
		text = fmt.Sprintf("violated, but unsure, in %s", w.night.Folder)
	}
	switch {
	case p.Ratio == nil:
		return text
	case p.RatioLo95 == nil || p.RatioHi95 == nil:
		return fmt.Sprintf("%s (%.2f×)", text, *p.Ratio)
	}
	return fmt.Sprintf("%s (%.2f× [%.2f, %.2f])", text, *p.Ratio, *p.RatioLo95, *p.RatioHi95)
}

// apart tells whether today's interval lies above that of the night, by as much as a
// violation has to be slower: what changes by less is not worth an alarm.
func (w witness) apart(v *analyze.Verdict, least float64) bool {
	return v.RatioLo95 != nil && w.past.RatioHi95 != nil && *v.RatioLo95 > least**w.past.RatioHi95
}

// worse tells whether a ratio is clearly larger than in a night that violates it, too.
func worse(v *analyze.Verdict, p *Past) bool {
	return v.Ratio != nil && p.Ratio != nil && v.RatioLo95 != nil && p.RatioHi95 != nil &&
		*v.RatioLo95 > *p.RatioHi95 && *v.Ratio >= worseBy**p.Ratio
}

// firstShown says why no night can tell.
func firstShown(g *Against, v *analyze.Verdict) string {
	for _, n := range g.Nights {
		if p := n.past(v); p != nil {
			return witness{n, p}.words()
		}
	}
	return "no baseline has planned it"
}

// notViolated is a test that is not violated today.
func notViolated(g *Against, v *analyze.Verdict) held {
	for _, n := range g.Nights {
		p := n.past(v)
		if p == nil || !p.tested() {
			continue
		}
		w := witness{n, p}
		switch {
		case !p.violated():
			return held{}
		case v.Verdict == judge.Kept:
			return held{state: analyze.Gone, reason: w.words()}
		case v.Verdict == judge.NotMeasured || v.Verdict == judge.Wrong:
			return held{}
		}
		return held{state: analyze.Unsure, reason: fmt.Sprintf("%s; today neither that nor kept is shown", w.words())}
	}
	return held{}
}

// again is what the confirmation says of a test.
type again struct {
	judge.Outcome
	problem string // why it says nothing
}

// confirmed judges what was measured again, by test of the Plan.
func confirmed(a *analyze.Analysis) (map[int]*again, error) {
	m := a.Manifest
	if m.Confirm == nil {
		return nil, nil
	}
	d, err := judge.NewDesign(a.Cfg, judge.Once(m.Runs(protocol.ModeConfirm)), len(m.Confirm.FollowUps))
	if err != nil {
		return nil, err
	}
	f := d.Family(float64(a.Set.TickNS))
	out := map[int]*again{}
	pairs := make([]judge.Pair, d.M)
	for i, x := range m.Confirm.FollowUps {
		out[x.Test] = &again{}
		pairs[i], out[x.Test].problem = a.Measured(protocol.ModeConfirm, x, d.R())
		if m.Plan.Tests[x.Test].Tolerant {
			pairs[i].Other = a.Allowed(pairs[i].Other)
		}
		if d.Refused != nil {
			out[x.Test].problem = ": " + d.Refused.Reason
		}
	}
	if err := f.Look(pairs); err != nil {
		return nil, err
	}
	for i, x := range m.Confirm.FollowUps {
		out[x.Test].Outcome = f.Outcomes[i]
	}
	return out, nil
}

// confirm tells whether a would-be alarm stays one, and says why.
func confirm(a *analyze.Analysis, g *Against, v *analyze.Verdict, h *held, x *again) bool {
	unsure := func(format string, args ...any) bool {
		h.state, h.reason = analyze.Unsure, fmt.Sprintf(format, args...)+"; "+h.reason
		return false
	}
	if x == nil {
		return unsure("it was not measured again")
	}
	if x.problem != "" {
		return unsure("not confirmed: measured again%s", x.problem)
	}
	measured := fmt.Sprintf("%.2f× [%.2f, %.2f] when measured again", x.Ratio, x.Lo95, x.Hi95)
	if x.Verdict != judge.Violated {
		return unsure("not confirmed: %s, %s", x.Verdict, measured)
	}
	if least := clears(a, h); x.Lo95 < least {
		return unsure("not confirmed: %s, which is not clearly above %.2f×", measured, least)
	}
	for _, shape := range a.Manifest.Plan.Shapes {
		if shape.String() != v.Shape {
			continue
		}
		speed := []medians.Speed{a.Set.SpeedAgain(shape)}
		met := slices.DeleteFunc(slices.Clone(g.Nights), func(n *PastNight) bool { return !like(a, n, v.Shape, speed) })
		if len(g.Nights) > 0 && len(met) == 0 {
			return unsure("not confirmed: %s, but the machine was in a state that no baseline has", measured)
		}
		if c, w := against(met, v); h.state == analyze.New && c.violated > 0 {
			return unsure("not confirmed: %s, but in that state of the machine it was %s", measured, w.words())
		}
	}
	h.reason += ", " + measured
	return true
}

// clears is the ratio above which the interval of a confirmation must lie as a whole: that
// of a violation, and that much above the baseline's. A smaller one would come and go by
// chance.
func clears(a *analyze.Analysis, h *held) float64 {
	least := a.Cfg.MinSlowdown
	switch {
	case h.past == nil:
		return least
	case h.state == analyze.Worse:
		return max(worseBy**h.past.Ratio, *h.past.RatioHi95)
	}
	return least * max(1, *h.past.RatioHi95)
}

// notes say what the baselines have and today lacks, and where the machine was in a
// state that none of them has.
func notes(a *analyze.Analysis, g *Against) (out []string) {
	today := PastNightOf(a.Report, "")
	for i, n := range g.Nights {
		if shift := MachineShift(n.report(), a.Report); shift != nil && i == 0 {
			out = append(out, fmt.Sprintf("since %s: %s", n.Folder, shift))
		}
		missing := 0
		for i := range n.Tests {
			if _, ok := today.at[n.Tests[i].question()]; !ok {
				missing++
			}
		}
		if missing > 0 {
			out = append(out, fmt.Sprintf("%s of %s are not in this check", conf.Plural(missing, "test"), n.Folder))
		}
	}
	for _, s := range today.Shapes {
		states := statesOf(a, &analyze.Verdict{Shape: s})
		if len(g.Nights) > 0 && !slices.ContainsFunc(g.Nights, func(n *PastNight) bool { return like(a, n, s, states) }) {
			out = append(out, fmt.Sprintf("on %s the machine was in a state that no baseline has: nothing that differs is an alarm there", s))
		}
	}
	return out
}

// slower are the cases that became slower than in every night, unless the whole machine did.
func (g *Against) slower(notes *[]string) (out []analyze.SlowerCase) {
	count := map[medians.Cell]int{}
	for i, c := range g.Times {
		if j := slices.IndexFunc(c.Warnings, func(w remark.Remark) bool { return w.ID == remark.MachineShift }); j >= 0 {
			*notes = append(*notes, fmt.Sprintf("run-times raise no alarm: %s", c.Warnings[j].Text))
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

// NewestFirst orders nights.
func NewestFirst(nights []*PastNight) {
	slices.SortStableFunc(nights, func(a, b *PastNight) int { return cmp.Compare(b.Created, a.Created) })
}
