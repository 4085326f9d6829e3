package analyze

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

func (a *Analysis) report(states []medians.State) *Report {
	m, d, cfg := a.manifest, a.family, a.cfg
	r := &Report{
		Schema: Schema, Version: m.Version, Library: LibraryOf(m), Shapes: []Shape{},
		Operation: OperationOf(&m.Plan), Origin: a.origin(), R: d.R(), Method: cfg.Method, Test: d.Test(d.Last()).Name, Adjust: d.Adjust, M: d.M, Alpha: cfg.Alpha, FamilyAlpha: d.Alpha,
		MinSlowdown: cfg.MinSlowdown, SplitTolerance: cfg.SplitTolerance, NBTolerance: cfg.NBTolerance, NBAllowance: time.Duration(cfg.NBAllowance).Seconds(), PMin: d.PMin(d.Last()), ClockTickS: float64(a.set.TickNS) / 1e9,
		Rho: Number(stats.MedianFinite(a.rhos)), TiedTests: a.ties, ZeroDifferences: a.zeros,
		Looks: a.looksSummary(), Guidelines: guidelineRows(&m.Plan, a.verdicts), Verdicts: a.verdicts,
		RunsNeededHalf: a.half, Refused: d.Refused, Incomplete: a.incomplete, Exclude: a.exclude(),
		Wrong: a.untimed(a.isWrong), NotMeasured: a.untimed(func(i int) bool { return !a.isWrong(i) }), NotConverged: a.notConverged(),
		OutOfSync: a.set.OutOfSync(), States: states, Probes: a.yardstick(), SlowMpiruns: a.set.Slow(), PageFaults: a.set.Faulting(), Bounds: a.set.Bounds(), Dependence: a.set.Dependence(),
		Notes: append([]string{}, m.Plan.Notes...), Measured: Measured{Cases: a.set.CaseMedians(), Rank: m.Rank, Factors: m.Factors, Config: m.Config},
	}
	for _, s := range m.Plan.Shapes {
		shape := Shape{Name: s.String(), Shape: s}
		if place := m.Factors.Place(s.String()); s.Nodes == 0 && place != "" && !strings.HasPrefix(place, "1x") {
			shape.Place = place
			r.Notes = append(r.Notes, fmt.Sprintf("%s: the launcher placed the ranks as %s (nodes × ranks on each); only folders with this placement are compared. To ask for a placement, give --shape", s, place))
		}
		r.Shapes = append(r.Shapes, shape)
		r.Measured.Mpiruns = append(r.Measured.Mpiruns, MpirunFactors{s.String(), a.set.LastGeneral(s)})
		if t := m.Timing[s.String()]; t.Why != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: sync = \"auto\" has chosen %s (sample = %q): %s", s, t.Sync, t.Sample, t.Why))
		}
	}
	if r.Imported = m.Imported; m.SeenOnce() {
		r.SeenOnce, r.Refused = once(m), nil // there are no tests that R could be too small for
	}
	r.Summary = summary(r.Shapes, a.verdicts)
	r.Warnings = a.warnings(r)
	if s := a.split; s != nil {
		r.Split = &SplitExperiment{s.R(), s.Test(0).Name, s.Adjust, s.M, s.Alpha, s.PMin(0), s.Refused}
	}
	r.Exit = r.ExitCode()
	return r
}

func LibraryOf(m *results.Manifest) Library {
	return Library{Name: m.Rank.Library, Version: m.Rank.LibVersion, PML: PmlOf(m)}
}

// PmlOf names Open MPI's point-to-point messaging layer, each that a shape uses once.
func PmlOf(m *results.Manifest) string {
	var names []string
	for _, s := range m.Plan.Shapes {
		if name := m.PML[s.String()]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// untimed lists cases without times, with what happened to them.
func (a *Analysis) untimed(which func(i int) bool) []CaseMessage {
	out := []CaseMessage{}
	for i, k := range a.manifest.Plan.Cases {
		if of := &a.set.Cases[i]; slices.Contains(protocol.NotTimed, of.Status) && which(i) {
			out = append(out, CaseMessage{medians.CellOf(k), of.Status, of.Message})
		}
	}
	return out
}

// isWrong tells whether a case is a fault that no program can live with: wrong data, or a
// call of the library that does not return or ends the program. Own algorithms, which nobody
// gets unasked, and mock-ups of the user's own are only left out where they do that.
func (a *Analysis) isWrong(i int) bool {
	switch a.set.Cases[i].Status {
	case protocol.StatusWrong:
		return true
	case protocol.StatusHangs, protocol.StatusCrashes:
		return isOtherCall(a.manifest.Plan.Cases[i].Function)
	default:
		return false
	}
}

// isOtherCall tells whether a function is another way to call a collective.
func isOtherCall(id string) bool {
	f, _ := mockups.Get(id)
	return f.Call != ""
}

func (a *Analysis) notConverged() []NotConverge {
	out := []NotConverge{}
	for i, k := range a.manifest.Plan.Cases {
		if n, ok := a.manifest.NRep[i]; ok && !n.Converged && a.set.Cases[i].Status == protocol.StatusOK {
			out = append(out, NotConverge{medians.CellOf(k), n.N, n.Reason})
		}
	}
	return out
}

// exclude names the guidelines that need a wrong case, as
// check.exclude takes them.
func (a *Analysis) exclude() []string {
	out := []string{}
	for _, t := range a.manifest.Plan.Tests {
		id := t.Guideline
		if t.Type != guidelines.Pattern || isOtherCall(t.Function) || isOtherCall(t.Mockup) { // it is about several functions
			id += ":" + t.Function
		}
		if (a.isWrong(t.Case) || slices.ContainsFunc(t.Others, a.isWrong)) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func (r *Report) Where(holds func(*Verdict) bool) (out []*Verdict) {
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; holds(v) {
			out = append(out, v)
		}
	}
	return out
}
