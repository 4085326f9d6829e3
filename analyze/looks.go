package analyze

import (
	"cmp"
	"math"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// scheduleOf returns a manifest's schedule: one look of weight 1 unless it has looks. Where
// max_time ended the check earlier, the last look comes there, with all of the error that was not
// spent before.
func scheduleOf(m *results.Manifest) judge.Schedule {
	r := m.Runs(protocol.ModeMeasure)
	if len(m.Looks) == 0 || len(m.Looks) != len(m.LookWeights) {
		return judge.Once(r)
	}
	var s judge.Schedule
	rest := 0.0
	for i, at := range m.Looks {
		if at < r {
			s.Looks, s.Weights = append(s.Looks, at), append(s.Weights, m.LookWeights[i])
		} else {
			rest += m.LookWeights[i]
		}
	}
	return judge.Schedule{Looks: append(s.Looks, r), Weights: append(s.Weights, rest)}
}

// Usual returns the schedule for what a manifest plans, unless another is asked for.
func Usual(m *results.Manifest, cfg judge.Config) judge.Schedule {
	tests := lists.Count(m.Plan.Tests, func(t guidelines.Test) bool { return !t.Apart() })
	own, _ := levels(m, cfg)
	s := judge.Usual(own, tests)
	ofMessages := lists.Count(m.Plan.Tests, func(t guidelines.Test) bool { return guidelines.IsMessage(t.Function) })
	if s.Several() && ofMessages > 0 && ofMessages == len(m.Plan.Tests) {
		s.Looks[0] = judge.SuspectAt
	}
	return s
}

type LooksSummary struct {
	Looks   []int     `json:"looks"`   // mpiruns
	Weights []float64 `json:"weights"` // share of the error of each look
	// Decided counts the tests of the family by the look that decided them.
	Decided []int `json:"decided"`
	// Screens lists the looks that find no violations: their mpiruns are too few to pair.
	Screens []int `json:"screens"`
	// Blind lists the looks that cannot find a single violation. The smallest p-value of their test
	// is above α·w/m.
	Blind []int `json:"blind"`
	// SpentS is the wall-clock time of all stage-2 mpiruns in seconds. FullS is the time that R
	// mpiruns of every case would have taken, at the mean of the first look's.
	SpentS float64 `json:"spent_s"`
	FullS  float64 `json:"full_s"`
}

// looksSummary returns nil for a single look with all of the error.
func (a *Analysis) looksSummary() *LooksSummary {
	d := a.family
	if !d.Several() {
		return nil
	}
	s := &LooksSummary{Looks: d.Looks, Weights: d.Weights, Decided: a.decided, Screens: []int{}, Blind: append([]int{}, d.Blind...)}
	for k, at := range d.Looks {
		if d.Screen(k) {
			s.Screens = append(s.Screens, at)
		}
	}
	var spent int64 // whole nanoseconds, so that the order of the map does not matter
	full := 0.0
	for _, mpiruns := range a.set.Took {
		var first, n int64
		for run, took := range mpiruns {
			spent += took.WallNS
			if run <= d.Looks[0] {
				first, n = first+took.WallNS, n+1
			}
		}
		if n > 0 {
			full += math.Round(float64(first) / float64(n) * float64(d.R()))
		}
	}
	s.SpentS, s.FullS = float64(spent)/1e9, full/1e9
	return s
}

// Interim says what an interim look has found.
type Interim struct {
	Needed map[int]bool // cases that tests still need, by index
	Found  []Verdict    // tests that are violated so far, the largest ratio first
}

// Look makes an interim look after these mpiruns. What
// split-robustness alone needs is dropped at the first look: its medians only suggest what the
// experiment then tests.
func Look(m *results.Manifest, set *medians.Set, cfg judge.Config, runs int) (out Interim, err error) {
	a, err := begin(m, set, cfg)
	if err != nil {
		return out, err
	}
	if err := a.look(); err != nil {
		return out, err
	}
	out.Needed = map[int]bool{}
	k := a.family.After(runs)
	for n, i := range a.tests {
		if o := &a.family.Outcomes[n]; o.Decided && o.Verdict == judge.Violated {
			out.Found = append(out.Found, a.verdicts[i])
			out.Found[len(out.Found)-1].Ratio = &o.Ratio
		}
		orig, other := a.sides(i)
		if a.family.Outcomes[n].Done() || a.verdicts[i].Verdict != "" || a.family.After(min(orig.Runs, other.Runs)) < k {
			continue
		}
		if problem(a.family.Schedule, orig) != "" || problem(a.family.Schedule, other) != "" {
			continue // more mpiruns do not mend it
		}
		t := &m.Plan.Tests[i]
		out.Needed[t.Case], out.Needed[t.Others[0]] = true, true
	}
	slices.SortStableFunc(out.Found, func(x, y Verdict) int { return cmp.Compare(*y.Ratio, *x.Ratio) })
	return out, nil
}
