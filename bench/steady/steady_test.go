package steady

import (
	"math"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

// folder is made up: the call takes slow times the other side in mpiruns from 12 on, and fast times it before.
func folder(fast, slow float64, states ...State) *Folder {
	m := fixture.Empty(24)
	shape := guidelines.Shape{NP: 2}
	m.Plan.Shapes = []guidelines.Shape{shape}
	fixture.Case(m, fixture.GL8.Function, shape, 8)
	fixture.Test(m, fixture.GL8.Guideline(), shape, 8, fixture.Case(m, fixture.GL8.Mockup, shape, 8))
	set := medians.New(m)
	for i := range set.Cases {
		for run := range set.Cases[i].Medians {
			set.Cases[i].Medians[run] = 1000 + float64(run%3)
			if i == 0 && run < 12 {
				set.Cases[i].Medians[run] *= fast
			} else if i == 0 {
				set.Cases[i].Medians[run] *= slow
			}
		}
	}
	return &Folder{plan: &m.Plan, set: set, States: states}
}

func runs(from, to int) (out []int) {
	for run := from; run < to; run++ {
		out = append(out, run)
	}
	return out
}

func TestRatiosAreOfTheStateThatBothFoldersMet(t *testing.T) {
	v := &analyze.Verdict{Guideline: "GL8", Function: fixture.GL8.Function, Mockup: fixture.GL8.Mockup, Msize: 8}
	a := folder(2, 3, State{120, runs(0, 12)}, State{460, runs(12, 24)})
	for name, c := range map[string]struct {
		states []State
		want   float64 // of b; 0 for none
	}{
		"the slow state alone":         {[]State{{470, runs(12, 24)}}, 7},
		"the fast one is met more":     {[]State{{110, runs(0, 12)}, {470, runs(12, 20)}}, 5},
		"another state":                {[]State{{250, runs(0, 24)}}, 0},
		"the same, in too few mpiruns": {[]State{{120, runs(0, 4)}}, 0},
	} {
		b := folder(5, 7, c.states...)
		inA, inB := Effects(a, b, v)
		should.Hold(t, (inB != nil) == (c.want > 0), "%s: %v", name, inB)
		if inB == nil {
			continue
		}
		should.Hold(t, math.Abs(*inB.Ratio-c.want) < .01*c.want, "%s: %v", name, *inB.Ratio)
		should.Hold(t, *inA.Ratio < 2.1 == (c.want == 5), "%s: %v in the other", name, *inA.Ratio)
		should.Hold(t, *inB.RatioLo95 <= *inB.Ratio && *inB.Ratio <= *inB.RatioHi95, "%s: its interval", name)
	}
}

func effect(ratio, lo, hi float64) analyze.Effect {
	return analyze.Effect{Ratio: &ratio, RatioLo95: &lo, RatioHi95: &hi}
}

// Two exact ratios may differ by 1.96 * sqrt(2) * 3 %: 8.7 %.
func TestRatiosAgreeWithinTheirIntervalsAndWhatChecksDiffer(t *testing.T) {
	one := effect(1, 1, 1)
	for _, c := range []struct {
		other analyze.Effect
		want  bool
	}{{effect(1.08, 1.08, 1.08), true}, {effect(1.1, 1.1, 1.1), false}, {effect(1.1, 1, 1.21), true}, {effect(.85, .84, .86), false}} {
		agree, known := Agree(&one, &c.other)
		should.Hold(t, known && agree == c.want, "%v", *c.other.Ratio)
	}
	_, known := Agree(&one, &analyze.Effect{})
	should.Hold(t, !known, "without a ratio")
}
