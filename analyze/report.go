package analyze

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/lists"
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
	r.Split, r.Messages = a.split.summary(), a.messages.summary()
	r.Exit = r.ExitCode()
	return r
}

func LibraryOf(m *results.Manifest) Library {
	return Library{Name: m.Rank.Library, Version: m.Rank.LibVersion, PML: PmlOf(m)}
}

// PmlOf names Open MPI's point-to-point messaging layers, each once.
func PmlOf(m *results.Manifest) string {
	names := lists.Map(m.Plan.Shapes, func(s guidelines.Shape) string { return m.PML[s.String()] })
	return strings.Join(Unique(names), ", ")
}

func (a *Analysis) untimed(which func(i int) bool) []CaseMessage {
	out := []CaseMessage{}
	for i, k := range a.manifest.Plan.Cases {
		if of := &a.set.Cases[i]; slices.Contains(protocol.NotTimed, of.Status) && which(i) {
			out = append(out, CaseMessage{medians.CellOf(k), of.Status, of.Message})
		}
	}
	return out
}

// isWrong tells whether a case has a fault that no program can tolerate: wrong data, or a call of
// the library that does not return or ends the program. Own algorithms, which nobody gets unasked,
// and mock-ups of the user's own are only left out where they do that.
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
		if t.Type != guidelines.Pattern || guidelines.OneOf(t.Guideline) || isOtherCall(t.Function) || isOtherCall(t.Mockup) { // it is about several functions
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

// Tests counts the tests that were planned. A comparison of medians that suspects a split, or does
// not, is no test.
func (r *Report) Tests() int {
	return len(r.Where(func(v *Verdict) bool { return v.Verdict.Tested() }))
}

// Made returns the most mpiruns that a test of the check rests on.
func (r *Report) Made() int {
	made := 0
	for i := range r.Verdicts {
		made = max(made, r.Verdicts[i].Runs)
	}
	return made
}

// Open returns the tests whose data show neither that they are violated nor that they are kept.
func (r *Report) Open() []*Verdict {
	return r.Where(func(v *Verdict) bool { return v.Verdict == judge.Undecided })
}

func summary(shapes []Shape, verdicts []Verdict) []SummaryRow {
	rows := []SummaryRow{}
	for _, s := range shapes {
		for _, t := range []guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern} {
			if row := summaryRow(verdicts, s, t); len(row.ByVerdict) > 0 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

func guidelineRows(plan *guidelines.Plan, verdicts []Verdict) []GuidelineRow {
	rows := []GuidelineRow{}
	at := map[string]int{}
	for _, g := range plan.Guidelines {
		at[g.ID+":"+g.Function] = len(rows)
		rows = append(rows, GuidelineRow{Guideline: g.ID, Type: g.Type, Function: g.Function,
			Mockup: g.Mockup, Formula: g.Formula(), ByShape: map[string]map[judge.Verdict]int{}})
	}
	for _, v := range verdicts {
		i, ok := at[v.Guideline+":"+v.Function]
		if !ok {
			continue
		}
		by := rows[i].ByShape
		if by[v.Shape] == nil {
			by[v.Shape] = map[judge.Verdict]int{}
		}
		by[v.Shape][v.Verdict]++
	}
	return rows
}

// summaryRow counts each function (monotony, split) or guideline (pattern) once over all sizes.
// Table 2 of S-PGMPI does the same.
func summaryRow(verdicts []Verdict, s Shape, t guidelines.Type) SummaryRow {
	row := SummaryRow{Shape: s.Name, NP: s.NP, Type: t, Unit: "functions", ByVerdict: map[judge.Verdict]int{}}
	if t == guidelines.Pattern {
		row.Unit = "guidelines"
	}
	checked, violated, suspected := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range verdicts {
		if v.Shape != s.Name || v.Type != t {
			continue
		}
		row.ByVerdict[v.Verdict]++
		unit := v.Function
		if t == guidelines.Pattern {
			unit = v.Guideline
		}
		switch v.Verdict {
		case judge.NotMeasured, judge.Wrong:
			continue
		case judge.Violated:
			row.Tests.Violated++
			violated[unit] = true
		case judge.Suspected:
			row.Tests.Suspected++
			suspected[unit] = true
		case judge.Marginal, judge.Kept, judge.Undecided, judge.NotSuspected, judge.SeenOnce:
		}
		row.Tests.Checked++
		checked[unit] = true
	}
	row.Units = Count{Checked: len(checked), Violated: len(violated), Suspected: len(suspected)}
	return row
}

// NothingMeasured tells whether no test could be judged, which would hide any violation.
func (r *Report) NothingMeasured() bool {
	return !slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return v.Verdict != judge.NotMeasured })
}

// NotJudged returns why tests could not be judged. It returns "" if they could, one is violated, or
// a gate says it.
func (r *Report) NotJudged() string {
	has := func(is judge.Verdict) bool {
		return slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return v.Verdict == is })
	}
	switch {
	case len(r.Wrong) > 0:
	case r.Refused != nil:
		return r.Refused.Reason
	case r.Gate != nil || has(judge.Violated) || has(judge.SeenOnce):
	case r.NothingMeasured():
		return "nothing could be measured of " + conf.Plural(len(r.Verdicts), "test")
	case len(r.Incomplete) > 0:
		return fmt.Sprintf("no data for %d of %s, and no other is violated", len(r.Incomplete), conf.Plural(len(r.Verdicts), "test"))
	}
	return ""
}

// FailOnSeen is the word of gate.fail_on with which what was seen once is an alarm.
const FailOnSeen = "seen"

// CannotAlarm tells whether the gate asks for verdicts, and imported data have none.
func (r *Report) CannotAlarm() bool {
	return r.Gate != nil && r.SeenOnce != "" && r.Gate.Alarms == 0 && r.Gate.FailOn != FailOnSeen
}

// ExitCode sums the report up. With a gate only alarms count as violated.
func (r *Report) ExitCode() int {
	slow, judged := false, true
	for i := range r.Verdicts {
		slow = slow || r.Verdicts[i].Verdict == judge.Violated
	}
	if r.Gate != nil {
		slow, judged = r.Gate.Alarms > 0, !r.Gate.MustJudge || len(r.Gate.NotJudged) == 0
	}
	return ExitCode(len(r.Wrong) > 0, slow, r.Refused != nil || len(r.Incomplete) > 0 || r.NothingMeasured() || r.CannotAlarm() || !judged)
}

// ExitCode returns the code of the first condition that holds.
func ExitCode(wrong, slow, incomplete bool) int {
	switch {
	case wrong:
		return exitcode.Failed
	case slow:
		return exitcode.Violated
	case incomplete:
		return exitcode.NoVerdict
	}
	return exitcode.OK
}

func OriginOf(m *results.Manifest) Origin {
	o := Origin{Created: m.Created, Host: m.Factors.Hostname, Command: m.Command, Label: maps.Clone(m.Label), RankHash: m.Rank.Hash, Env: []string{}}
	for _, name := range slices.Sorted(maps.Keys(m.Factors.Env)) {
		o.Env = append(o.Env, name+"="+m.Factors.Env[name])
	}
	if inForce, known := m.SettingsInForce(); known {
		o.Settings = append([]string{}, inForce...)
	}
	if m.TOML != "" {
		sum := sha256.Sum256([]byte(m.TOML))
		o.GLTomlHash = hex.EncodeToString(sum[:8])
	}
	var kernels []string
	for _, l := range m.Factors.Layouts {
		for _, n := range l.Nodes {
			o.Nodes = append(o.Nodes, n.Host)
			if n.Kind >= 0 && n.Kind < len(l.Kinds) {
				kernels = append(kernels, l.Kinds[n.Kind].Kernel)
			}
		}
	}
	o.Nodes = Unique(o.Nodes)
	o.Kernel = cmp.Or(strings.Join(Unique(kernels), ", "), m.Factors.Kernel)
	return o
}

// origin adds what the raw files say to what the manifest says.
func (a *Analysis) origin() Origin {
	o := OriginOf(a.manifest)
	last := a.set.LastFinished()
	if last.IsZero() {
		return o
	}
	o.Finished = last.UTC().Format(time.RFC3339)
	if begun, err := time.Parse(time.RFC3339, o.Created); err == nil && last.After(begun) {
		o.WallClockS = last.Sub(begun).Seconds()
	}
	return o
}

func (a *Analysis) yardstick() (out []Probes) {
	for _, shape := range a.manifest.Plan.Shapes {
		y := Probes{Shape: shape.String(), Speed: a.set.Speed(shape)}
		if (y != Probes{Shape: y.Shape}) {
			out = append(out, y)
		}
	}
	return out
}

// Grouped puts together what shares a key, in the order of the keys' first places.
func Grouped[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, x := range list {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// Unique returns the texts that are not empty, each once, in their order.
func Unique(texts []string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = lists.With(out, t)
		}
	}
	return out
}
