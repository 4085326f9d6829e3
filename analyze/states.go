package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
)

// StateVerdict is what a test would say of the mpiruns of one state of the machine
// alone, at alpha and not adjusted. It explains the verdict; it is not a verdict of its own.
type StateVerdict struct {
	State     string        `json:"state"`   // its name
	Mpiruns   int           `json:"mpiruns"` // steady ones of it, that the test has
	Ratio     *float64      `json:"ratio"`
	RatioLo95 *float64      `json:"ratio_lo95"`
	RatioHi95 *float64      `json:"ratio_hi95"`
	Verdict   judge.Verdict `json:"verdict"`
}

// InStates are the answers of a test in each state.
type InStates []StateVerdict

// String is "violated in state A (6 mpiruns), kept in state B (4)".
func (by InStates) String() (out string) {
	for i, in := range by {
		n := fmt.Sprint(in.Mpiruns)
		if i == 0 {
			n = conf.Plural(in.Mpiruns, "mpirun")
		}
		out += fmt.Sprintf("%s%s in state %s (%s)", phrase.When(i > 0, ", "), phrase.Words(in.Verdict), in.State, n)
	}
	return out
}

func (a *Analysis) states() []medians.State {
	var out []medians.State
	for _, shape := range a.manifest.Plan.Shapes {
		out = append(out, a.set.States(shape)...)
	}
	return out
}

// inState are a test's pairs of run medians in the steady mpiruns of a state: where the
// machine changed, one side may have been measured before and the other after.
func inState(s medians.State, orig, other *medians.Case, runs int) (p judge.Pair) {
	for _, run := range s.Steady() {
		if run <= runs {
			p.Orig, p.Other = append(p.Orig, orig.Medians[run-1]), append(p.Other, other.Medians[run-1])
		}
	}
	return p
}

// divided is a test with its two largest states.
type divided struct {
	test   int // of the family
	states []medians.State
	pairs  []judge.Pair // by state
	// Of the two largest states.
	large, second judge.Pair
}

// byState gives the tests whose answer depends on the state of the machine what they
// say in each: the ratios of the two largest states differ significantly, by at least
// min_slowdown, and so do the verdicts. They are a family of their own, which changes
// no verdict.
func (a *Analysis) byState(states []medians.State) error {
	if !a.cfg.Method.Rules().Slowdown || len(states) == 0 {
		return nil
	}
	family := a.divided(states)
	if len(family) == 0 {
		return nil
	}
	pairs := make([]judge.Pair, len(family))
	for i, d := range family {
		pairs[i] = judge.Pair{Orig: ratios(d.second), Other: ratios(d.large)}
	}
	design, err := judge.NewComparison(a.cfg, judge.TwoSided, false, len(family[0].large.Orig), len(family[0].second.Orig), len(family))
	if err != nil {
		return err
	}
	f := design.Family(0)
	if err := f.Look(pairs); err != nil {
		return err
	}
	for i, o := range f.Outcomes {
		if !(o.PAdjusted <= a.cfg.Alpha) || math.Abs(math.Log(o.Ratio)) < math.Log(a.cfg.MinSlowdown) {
			continue
		}
		if err := a.answers(family[i]); err != nil {
			return err
		}
	}
	return nil
}

// divided are the tests with at least two mpiruns in two states.
func (a *Analysis) divided(states []medians.State) (out []divided) {
	for n, i := range a.tests {
		runs := a.family.Outcomes[n].Runs
		d := divided{test: n}
		orig, other := a.sides(i)
		for _, s := range states {
			if s.Shape != a.verdicts[i].Shape {
				continue
			}
			if p := inState(s, orig, other, runs); len(p.Orig) > 1 {
				d.states, d.pairs = append(d.states, s), append(d.pairs, p)
			}
		}
		if len(d.pairs) < 2 {
			continue
		}
		largest := slices.Clone(d.pairs)
		slices.SortStableFunc(largest, func(p, q judge.Pair) int { return cmp.Compare(len(q.Orig), len(p.Orig)) })
		d.large, d.second = largest[0], largest[1]
		out = append(out, d)
	}
	return out
}

func ratios(p judge.Pair) []float64 {
	out := make([]float64, len(p.Orig))
	for i := range out {
		out[i] = p.Orig[i] / p.Other[i]
	}
	return out
}

// answers judges a test in each state by itself, and keeps that where the verdicts
// differ and some state has a ratio of min_slowdown.
func (a *Analysis) answers(d divided) error {
	cfg := a.cfg
	cfg.Method, cfg.Test, cfg.Adjust = judge.MethodDefault, judge.TestSignedRank, judge.AdjustNone
	var out []StateVerdict
	differ, slow := false, false
	for i, s := range d.states {
		design, err := judge.NewDesign(cfg, judge.Once(len(d.pairs[i].Orig)), 1)
		if err != nil {
			return err
		}
		f := design.Family(float64(a.set.TickNS))
		if err := f.Look(d.pairs[i : i+1]); err != nil {
			return err
		}
		o := f.Outcomes[0]
		out = append(out, StateVerdict{State: s.Name, Mpiruns: o.Runs, Ratio: Number(o.Ratio), RatioLo95: Number(o.Lo95), RatioHi95: Number(o.Hi95), Verdict: o.Verdict})
		differ = differ || o.Verdict != out[0].Verdict
		slow = slow || o.Ratio >= a.cfg.MinSlowdown
	}
	if differ && slow {
		a.verdicts[a.tests[d.test]].ByState = out
	}
	return nil
}

// Disturbed are the slow mpiruns that no state of the machine explains.
func (r *Report) Disturbed() []medians.SlowMpirun {
	return slices.DeleteFunc(slices.Clone(r.SlowMpiruns), func(m medians.SlowMpirun) bool {
		return slices.ContainsFunc(r.States, func(s medians.State) bool {
			return s.Shape == m.Shape && s.Name != "A" && slices.Contains(s.Mpiruns, m.Run)
		})
	})
}

// StatesOf describes the states of a shape: "A in 6 mpiruns, B in 4 (calls take 1.92× as long)".
func StatesOf(states []medians.State, shape string) string {
	var out []string
	for _, s := range states {
		if s.Shape != shape {
			continue
		}
		text := fmt.Sprintf("%s in %s", s.Name, conf.Plural(len(s.Mpiruns), "mpirun"))
		if len(out) > 0 {
			text = fmt.Sprintf("%s in %d", s.Name, len(s.Mpiruns))
			if s.Ratio != nil {
				text += fmt.Sprintf(" (calls take %.2f× as long)", *s.Ratio)
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// ofStates says that the machine has changed its state.
func (r *Remarks) ofStates(states []medians.State) {
	for i, s := range states {
		if i == 0 || states[i-1].Shape != s.Shape {
			*r = append(*r, remark.New(remark.MachineStates, s.Shape, "on %s the machine was in several states: %s, told apart by %s. "+
				"Whether a new check says the same may depend on the states that it meets", s.Shape, StatesOf(states, s.Shape), s.By))
		}
	}
}
