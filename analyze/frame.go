package analyze

import (
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// pmlOf names Open MPI's point-to-point messaging layer, that of each shape once.
func pmlOf(m *results.Manifest) string {
	var names []string
	for _, s := range m.Plan.Shapes {
		if name := m.PML[s.String()]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// frame is the Report before any test: what was measured, and what was not.
func (c *Collector) frame(cfg Config) *Report {
	m := c.manifest
	r := &Report{
		Schema: Schema, Version: m.Version, Library: Library{Name: m.Rank.Library, Version: m.Rank.LibVersion, PML: pmlOf(m)},
		Datatype: m.Plan.Datatype, Op: m.Plan.Op, Root: m.Plan.Root, MsizeUnits: Legend,
		R: c.schedule.Looks[len(c.schedule.Looks)-1], Method: cfg.Method, Alpha: cfg.Alpha, MinSlowdown: cfg.MinSlowdown, SplitTolerance: cfg.SplitTolerance,
		ClockTickS: float64(c.tickNS) / 1e9,
		Shapes:     []Shape{}, Verdicts: make([]Verdict, len(m.Plan.Tests)), Incomplete: []Incomplete{}, Wrong: []CaseMessage{},
		NotMeasured: []CaseMessage{}, NotConverged: []NotConverge{},
		OutOfSync: []OutOfSync{}, Dependence: Dependence{Lags: dependenceLags, Strong: []DependentCase{}}, Notes: append([]string{}, m.Plan.Notes...),
	}
	for _, s := range m.Plan.Shapes {
		r.Shapes = append(r.Shapes, Shape{Name: s.String(), Shape: s})
	}
	for i, t := range m.Plan.Tests {
		r.Verdicts[i] = Verdict{Guideline: t.Guideline, Type: t.Type, Function: t.Function, Mockup: t.Mockup,
			Msize: t.Msize, MsizeOther: t.Msize, Shape: t.Shape.String(), NP: t.Shape.NP}
	}
	for i, k := range m.Plan.Cases {
		what := CaseMessage{Function: k.Function, Msize: k.Msize, Shape: k.Shape.String(), Message: c.cases[i].message}
		switch c.cases[i].status {
		case protocol.StatusWrong:
			r.Wrong = append(r.Wrong, what)
		case protocol.StatusNotMeasured:
			r.NotMeasured = append(r.NotMeasured, what)
		default:
			if n, ok := m.NRep[i]; ok && !n.Converged {
				r.NotConverged = append(r.NotConverged, NotConverge{Function: k.Function, Msize: k.Msize,
					Shape: k.Shape.String(), NRep: n.N, Reason: n.Reason})
			}
		}
	}
	c.samples(r)
	r.Exclude = c.exclude()
	c.timing(r)
	c.slow(r)
	return r
}

// exclude names the guidelines that need a case whose data were wrong, as
// check.exclude takes them.
func (c *Collector) exclude() []string {
	out := []string{}
	seen := map[string]bool{}
	for _, t := range c.manifest.Plan.Tests {
		wrong := c.cases[t.Case].status == protocol.StatusWrong
		for _, o := range t.Others {
			wrong = wrong || c.cases[o].status == protocol.StatusWrong
		}
		id := t.Guideline
		if t.Type != guidelines.Pattern {
			id += ":" + t.Function
		}
		if wrong && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
