// Package steady compares the mpiruns of two results folders that met the same state of the machine: where two
// processes run decides what a cache line between them takes, and so run-times and ratios.
package steady

import (
	"math"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const (
	// Same is the largest factor between what a cache line takes in two mpiruns of one state.
	Same = 1.5
	// Least is the fewest mpiruns of a state that are compared: a check is first judged after ten.
	Least = 5
)

// State is a state of the machine: what a cache line took in it, in ns, and its mpiruns, from 0.
type State struct {
	Line float64
	Runs []int
}

// Folder holds the run medians of a check on one shape.
type Folder struct {
	plan   *guidelines.Plan
	set    *medians.Set
	States []State
}

// Collect reads the run medians of a check.
func Collect(dir string) (*results.Manifest, *medians.Set, error) {
	folder, m, err := reading.Open(dir, results.Check)
	if err != nil {
		return nil, nil, err
	}
	set, err := reading.Collect(folder, m, m.Runs(protocol.ModeMeasure))
	return m, set, err
}

// Open reads the folder of a check.
func Open(dir string) (*Folder, error) {
	m, set, err := Collect(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{plan: &m.Plan, set: set}
	for _, s := range set.States(m.Plan.Shapes[0]) {
		state := State{Line: s.LineNS}
		for _, run := range s.Steady() {
			state.Runs = append(state.Runs, run-1)
		}
		f.States = append(f.States, state)
	}
	if f.States == nil {
		f.States = []State{{Line: set.Speed(m.Plan.Shapes[0]).LineNS}}
		for run := range m.Runs(protocol.ModeMeasure) {
			f.States[0].Runs = append(f.States[0].Runs, run)
		}
	}
	return f, nil
}

// Effects returns the ratios of a test in the state that both folders have met most often, or nil if each has met
// states of its own.
func Effects(a, b *Folder, of *analyze.Verdict) (inA, inB *analyze.Effect) {
	most := Least - 1
	for _, x := range a.States {
		for _, y := range b.States {
			p, q := a.pairs(x.Runs, of), b.pairs(y.Runs, of)
			if n := min(len(p.Orig), len(q.Orig)); n > most && math.Abs(math.Log(x.Line/y.Line)) <= math.Log(Same) {
				most, inA, inB = n, a.effect(p), b.effect(q)
			}
		}
	}
	return inA, inB
}

// pairs returns the run medians of both sides of a test; one that is decided is measured no more.
func (f *Folder) pairs(runs []int, of *analyze.Verdict) (p judge.Pair) {
	for _, t := range f.plan.Tests {
		orig, other := f.plan.Cases[t.Case], f.plan.Cases[t.Others[0]]
		if t.Guideline != of.Guideline || orig.Function != of.Function || orig.Msize != of.Msize || other.Function != of.Mockup {
			continue
		}
		for _, run := range runs {
			x, y := f.set.Cases[t.Case].Medians[run], f.set.Cases[t.Others[0]].Medians[run]
			if x > 0 && y > 0 {
				p.Orig, p.Other = append(p.Orig, x), append(p.Other, y)
			}
		}
		break
	}
	return p
}

func (f *Folder) effect(p judge.Pair) *analyze.Effect {
	d, err := judge.NewDesign(judge.Default(), judge.Once(len(p.Orig)), 1)
	if err != nil || d.Refused != nil {
		return nil
	}
	family := d.Family(float64(f.set.TickNS))
	if family.Look([]judge.Pair{p}) != nil {
		return nil
	}
	o := family.Outcomes[0]
	return &analyze.Effect{Ratio: &o.Ratio, RatioLo95: &o.Lo95, RatioHi95: &o.Hi95}
}

// Agree tells whether two ratios differ by no more than their intervals and two checks do.
func Agree(a, b *analyze.Effect) (agree, known bool) {
	variance := 2 * judge.Between * judge.Between
	for _, e := range []*analyze.Effect{a, b} {
		if e == nil || e.Ratio == nil || e.RatioLo95 == nil || e.RatioHi95 == nil {
			return false, false
		}
		se := math.Log(*e.RatioHi95 / *e.RatioLo95) / (2 * 1.96)
		variance += se * se
	}
	return math.Abs(math.Log(*a.Ratio / *b.Ratio)) <= 1.96*math.Sqrt(variance), true
}
