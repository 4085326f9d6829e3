package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
	"pgmpi/internal/stats"
)

// StateVerdict holds a test's answer in the steady mpiruns of one state of the machine.
type StateVerdict struct {
	State string `json:"state"` // its name
	Alone
}

type InStates []StateVerdict

// String returns "violated in state 1 (6 mpiruns), kept in state 2 (4)".
func (by InStates) String() (out string) {
	for i, in := range by {
		n := cmp.Or(phrase.When(i > 0, "%d", in.Mpiruns), conf.Plural(in.Mpiruns, "mpirun"))
		out += fmt.Sprintf("%s%s in state %s (%s)", phrase.When(i > 0, ", "), phrase.Words(in.Verdict), in.State, n)
	}
	return out
}

func (a *Analysis) states() []medians.State {
	return slices.Concat(lists.Map(a.manifest.Plan.Shapes, a.set.States)...)
}

// inState returns a test's pairs of run medians in the steady mpiruns of a state: where the machine
// changed, one side may have been measured before and the other after.
func inState(s medians.State, orig, other *medians.Case, runs int) (p judge.Pair) {
	for _, run := range s.Steady() {
		if run <= runs {
			p.Orig, p.Other = append(p.Orig, orig.Medians[run-1]), append(p.Other, other.Medians[run-1])
		}
	}
	return p
}

type divided struct {
	test   int // of the family
	states []medians.State
	pairs  []judge.Pair // by state
}

// contrast asks whether the ratio of a test differs between two states.
type contrast struct {
	of             *divided
	x, y           []float64 // ratios
	least          float64   // the smallest p-value that this many mpiruns can give
	adjusted, much float64
}

// byState says where a test's answer depends on the state of the machine. Then the ratios of two
// states differ significantly, by at least min_slowdown, and so do the verdicts, and the test gets
// its answer in each state. These tests are a family of their own, which changes no verdict.
func (a *Analysis) byState(states []medians.State) error {
	if !a.cfg.Method.Rules().Slowdown {
		return nil
	}
	family, err := a.contrasts(states)
	if err != nil {
		return err
	}
	for _, c := range family {
		a.verdicts[a.tests[c.of.test]].ByStateTold = true
		if !(c.adjusted <= a.cfg.Alpha) || math.Abs(math.Log(c.much)) < math.Log(a.cfg.MinSlowdown) {
			continue
		}
		if err := a.answers(*c.of); err != nil {
			return err
		}
	}
	return nil
}

// contrasts compares all pairs of states of every test. Those with too few mpiruns to be
// significant leave the family before their data are looked at (Tarone 1990): otherwise the many
// tests that ended at the first look would hide the few with enough mpiruns.
func (a *Analysis) contrasts(states []medians.State) (family []*contrast, err error) {
	for _, d := range a.divided(states) {
		for j := range d.pairs {
			for i := range j {
				c := &contrast{of: d, x: ratios(d.pairs[j]), y: ratios(d.pairs[i])}
				c.least = 2 * stats.MinPRankSum(len(c.x), len(c.y))
				family = append(family, c)
			}
		}
	}
	for k := 1; ; k++ {
		able := lists.Keep(family, func(c *contrast) bool { return c.least <= a.cfg.Alpha/float64(k) })
		if len(able) <= k {
			family = able
			break
		}
	}
	if len(family) == 0 {
		return nil, nil
	}
	p := make([]float64, len(family))
	for i, c := range family {
		above, err := stats.RankSum(c.x, c.y)
		if err != nil {
			return nil, err
		}
		below, _ := stats.RankSum(c.y, c.x)
		e, err := stats.HodgesLehmannRankSum(c.x, c.y)
		if err != nil {
			return nil, err
		}
		p[i], c.much = min(1, 2*min(above.P, below.P)), e.Ratio
	}
	adjusted, err := stats.Adjust(p, string(a.family.Adjust))
	for i := range adjusted {
		family[i].adjusted = adjusted[i]
	}
	return family, err
}

func (a *Analysis) divided(states []medians.State) (out []*divided) {
	for n, i := range a.tests {
		d := &divided{test: n}
		orig, other := a.sides(i)
		for _, s := range states {
			if s.Shape != a.verdicts[i].Shape {
				continue
			}
			if p := inState(s, orig, other, a.family.Outcomes[n].Runs); len(p.Orig) > 1 {
				d.states, d.pairs = append(d.states, s), append(d.pairs, p)
			}
		}
		out = append(out, d)
	}
	return out
}

func ratios(p judge.Pair) []float64 {
	out := slices.Clone(p.Orig)
	for i := range out {
		out[i] /= p.Other[i]
	}
	return out
}

// answers judges a test in each state by itself. It keeps the answers if the verdicts differ and
// some state has a ratio of at least min_slowdown.
func (a *Analysis) answers(d divided) error {
	cfg := a.cfg
	cfg.Method, cfg.Test, cfg.Adjust, cfg.BetweenChecks = judge.MethodDefault, judge.TestSignedRank, judge.AdjustNone, 0
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
		out = append(out, StateVerdict{s.Name, aloneIn(o)})
		differ = differ || o.Verdict != out[0].Verdict
		slow = slow || o.Ratio >= a.cfg.MinSlowdown
	}
	if differ && slow {
		a.verdicts[a.tests[d.test]].ByState = out
	}
	return nil
}

// Disturbed returns the slow mpiruns that no state of the machine explains.
func (r *Report) Disturbed() []medians.SlowMpirun {
	return slices.DeleteFunc(slices.Clone(r.SlowMpiruns), func(m medians.SlowMpirun) bool {
		return slices.ContainsFunc(r.States, func(s medians.State) bool {
			return s.Shape == m.Shape && s.Name != medians.Fastest && slices.Contains(s.Mpiruns, m.Run)
		})
	})
}

// StateAnswers says how many answers depend on the states of a shape that has several. It also says
// how many tests could have shown it.
func (r *Report) StateAnswers(shape string) string {
	depend, told, tests := 0, 0, 0
	for _, v := range r.Verdicts {
		if v.Shape != shape || v.Runs == 0 || guidelines.Apart(v.Type, v.Guideline, v.Function) {
			continue
		}
		tests++
		if v.ByState != nil {
			depend++
		}
		if v.ByStateTold {
			told++
		}
	}
	switch {
	case told == 0:
		return "too few mpiruns in a state to tell whether an answer depends on them"
	case depend == 0:
		return fmt.Sprintf("no answer is shown to depend on them by the %d of %s with enough mpiruns in two states to tell", told, conf.Plural(tests, "test"))
	}
	return fmt.Sprintf("%s on them (%d of %s have enough mpiruns in two states to tell)",
		phrase.Either(depend == 1, "1 answer depends", fmt.Sprintf("%d answers depend", depend)), told, conf.Plural(tests, "test"))
}

// StatesOf describes the states of a shape: "state 1 in 6 mpiruns, state 2 in 4 (calls take 1.92× as long)".
func StatesOf(states []medians.State, shape string) string {
	var out []string
	for _, s := range states {
		if s.Shape != shape {
			continue
		}
		text := fmt.Sprintf("state %s in %s", s.Name, conf.Plural(len(s.Mpiruns), "mpirun"))
		if len(out) > 0 {
			text = fmt.Sprintf("state %s in %d", s.Name, len(s.Mpiruns))
			if s.Ratio != nil {
				text += fmt.Sprintf(" (calls take %.2f× as long)", *s.Ratio)
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func (r *Remarks) ofStates(states []medians.State) {
	for i, s := range states {
		if i == 0 || states[i-1].Shape != s.Shape {
			*r = append(*r, remark.New(remark.MachineStates, s.Shape, "on %s the machine was in several states: %s, told apart by %s. "+
				"Whether a new check says the same may depend on the states that it meets", s.Shape, StatesOf(states, s.Shape), s.By))
		}
	}
}
