package series

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// sameOperation refuses folders whose functions did other things under the
// same name.
func sameOperation(a, b *analyze.Side) error {
	name, inA, inB := otherOperation(analyze.OperationOf(&a.Manifest.Plan), analyze.OperationOf(&b.Manifest.Plan))
	if name == "" {
		return nil
	}
	return &analyze.NotComparable{Reason: fmt.Sprintf("%s is %s in %s and %s in %s: these are other operations, so their times cannot be compared; measure both with the same %s",
		name, inA, a.Name, inB, b.Name, name)}
}

// otherOperation names the first key by which operations differ, with both values.
func otherOperation(a, b analyze.Operation) (name, inA, inB string) {
	for _, f := range [][3]string{{"job.datatype", a.Datatype, b.Datatype}, {"job.op", a.Op, b.Op}, {"job.root", fmt.Sprint(a.Root), fmt.Sprint(b.Root)}} {
		if f[1] != f[2] {
			return f[0], f[1], f[2]
		}
	}
	return "", "", ""
}

// Remedies for a factor that should not differ.
const (
	sameMachine = "what differs may be the machine, not the set-up; measure both on one machine, best with `pgmpi ab`"
	sameState   = "the difference may be the machine's; measure both alternately, with `pgmpi ab`"
	sameMethod  = "it changes what is timed, whatever the set-ups do; measure both with the same"
	sameEffort  = "it changes how well the medians are known; better measure both with the same"
)

// doubtful names the factors that make a comparison doubtful, by prefix, with the remedy. Others
// that differ, such as the library, are the ones to compare.
var doubtful = []struct{ prefix, remedy string }{
	{"hostname", sameMachine}, {"kernel", sameMachine}, {"cpu", sameMachine}, {"cores", sameMachine}, {machineState, sameState},
	{"measure.", sameMethod}, {"thread level", sameMethod}, {"nrep.", sameEffort},
}

// unimportant lists settings that limit a measurement and do not change it.
var unimportant = []string{"measure.stall", "measure.temp_memory", "measure.alternate"}

const unset = "(unset)"

// differences lists every factor that is known of both folders and differs.
func differences(a, b *analyze.Side, byTurns bool) []Difference {
	out := []Difference{}
	fa, fb := factorsOf(a.Manifest), factorsOf(b.Manifest)
	names := maps.Clone(fa)
	maps.Copy(names, fb)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		known := fa[name] != "" && fb[name] != "" || tells(a.Manifest, name) && tells(b.Manifest, name)
		if fa[name] != fb[name] && known && !slices.Contains(unimportant, name) {
			out = append(out, Difference{Factor: name, A: cmp.Or(fa[name], unset), B: cmp.Or(fb[name], unset)})
		}
	}
	return append(out, machineStates(a, b, byTurns)...)
}

const (
	ofEnv     = "env "
	ofSetting = "setting "
)

// tells tells whether a folder would have the factor if it were set.
func tells(m *results.Manifest, factor string) bool {
	if strings.HasPrefix(factor, ofSetting) {
		_, known := m.SettingsInForce()
		return known
	}
	return looksAt(m, factor)
}

// looksAt tells whether a folder would have the factor if it were set. All folders have what
// mpi.env sets.
func looksAt(m *results.Manifest, factor string) bool {
	variable := strings.TrimPrefix(factor, ofEnv)
	newest := host.Factors{EnvOf: host.EnvOf()}
	return !newest.LooksAt(variable) || m.Factors.LooksAt(variable)
}

// factorsOf returns the factors of S-REVISITED, Table VI, as far as the manifest has them.
func factorsOf(m *results.Manifest) map[string]string {
	version, _, _ := strings.Cut(m.Rank.LibVersion, "\n")
	f := map[string]string{
		"library": strings.Join(strings.Fields(version), " "), "rank program": m.Rank.Hash, "pgmpi": m.Version, "mpiruns": fmt.Sprint(m.R),
		"hostname": m.Factors.Hostname, "kernel": m.Factors.Kernel, "cpu": m.Factors.CPU, "cores": fmt.Sprint(m.Factors.Cores),
		"pml":           analyze.PmlOf(m),
		"thread level":  threadLevelOf(m),
		"measure.turns": "1", "measure.malloc": protocol.MallocFresh, // in folders that do not say it
	}
	for file, hash := range m.Factors.Mockups {
		f["mockup "+filepath.Base(file)] = hash
	}
	for shape, argv := range m.Launch {
		f["launch "+shape] = strings.Join(argv, " ")
	}
	for name, value := range m.Factors.Env {
		if !strings.HasPrefix(name, "SLURM_") { // older folders have numbers of jobs and steps, which differ every time
			f[ofEnv+name] = value
		}
	}
	var config struct {
		Measure, NRep map[string]any
		MPI           struct{ Env map[string]any }
	}
	_ = json.Unmarshal(m.Config, &config) // what cannot be read is unknown
	inForce, _ := m.SettingsInForce()
	for _, s := range inForce {
		name, value, _ := strings.Cut(s, "=")
		f[ofSetting+name] = strings.TrimPrefix(f[ofSetting+name]+" "+cmp.Or(value, `""`), " ")
	}
	for prefix, keys := range map[string]map[string]any{"measure.": config.Measure, "nrep.": config.NRep, ofEnv: config.MPI.Env} {
		for key, value := range keys {
			f[prefix+key] = asText(value)
		}
	}
	for _, t := range m.Timing {
		if t.Malloc == "" { // of an older version, or a C library that cannot be told
			f["measure.malloc"] += ", until other calls free larger blocks"
			break
		}
	}
	return f
}

// threadLevelOf returns the level that the library provided. It returns all levels if shapes
// differ, and "" if nothing was measured.
func threadLevelOf(m *results.Manifest) string {
	var levels []string
	for _, s := range m.Plan.Shapes {
		if t, measured := m.Timing[s.String()]; measured {
			levels = lists.With(levels, cmp.Or(t.ThreadLevel, "funneled")) // what all asked for before it could be chosen
		}
	}
	return strings.Join(levels, ", ")
}

func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func compareWarnings(c *Comparison, a, b *analyze.Side) []remark.Remark {
	out := analyze.Remarks{}
	for _, d := range c.Differences {
		for _, f := range doubtful {
			if strings.HasPrefix(d.Factor, f.prefix) {
				out.Differs(d.Factor, f.remedy, "%s is %s in A and %s in B", d.Factor, d.A, d.B)
			}
		}
	}
	if a.Manifest.Rank.LibVersion != b.Manifest.Rank.LibVersion && (entersByMPIBarrier(a) || entersByMPIBarrier(b)) {
		out.Add(remark.LibraryBarrier, "A and B are different libraries, and MPI_Barrier, which begins each repetition, is the library's own: "+
			"the times of short calls also differ by its skew")
	}
	if x, y := a.Manifest.Imported, b.Manifest.Imported; x != nil && y != nil && x.Name() != y.Name() {
		out.Add(remark.OtherJob, "A and B are imported from different jobs (%s, %s), perhaps on other nodes and at another time", x.Name(), y.Name())
	}
	if reason := placedUnlike(a, b); reason != "" {
		out.Add(remark.DiffersCases, "%s", reason)
	}
	if c.OnlyA+c.OnlyB > 0 {
		out.Add(remark.DiffersCases, "%d cases (functions, sizes or numbers of processes) are in A only and %d in B only; they are not compared",
			c.OnlyA, c.OnlyB)
	}
	for i, side := range []*analyze.Side{a, b} {
		if refused := side.Report.Refused; refused != nil {
			out.Add(remark.Undecided, "the guidelines of %c have no verdict (%s), so what is newly violated or kept cannot be said", "AB"[i], refused.Reason)
		}
	}
	if c.Shift != nil {
		out.Add(remark.MachineShift, "%s", c.Shift)
	}
	if names := changedNames(c.Guidelines, NewlyShown); len(names) > 0 {
		out.Add(remark.NewlyShown, "violated in B, and not shown to be new (A has no test of them, or the intervals of the ratios overlap): %s", atMost(5, names))
	}
	if names := changedNames(c.Guidelines, NoLongerShown); len(names) > 0 {
		out.Add(remark.NoLongerShown, "violated in A, and not shown to be kept in B (undecided there, or not tested): %s", atMost(5, names))
	}
	return out
}

func changedNames(list []GuidelineChange, change Change) (out []string) {
	of := func(v judge.Verdict, ratio *float64) string {
		text := phrase.Words(v)
		if ratio != nil {
			text += fmt.Sprintf(" %.2f×", *ratio)
		}
		return text
	}
	for _, g := range list {
		if g.Change == change {
			out = append(out, fmt.Sprintf("%s %s %s on %s (%s → %s)", g.Guideline, phrase.Function(g.Function), conf.HumanSize(g.Msize), g.Shape,
				of(g.AVerdict, g.ARatio), of(g.BVerdict, g.BRatio)))
		}
	}
	return out
}

func atMost(most int, names []string) string {
	shown, more := phrase.First(names, most, " and %d more")
	return strings.Join(shown, ", ") + more
}

// entersByMPIBarrier tells whether the library itself synchronised the processes. Older folders do
// not say it; there it did.
func entersByMPIBarrier(s *analyze.Side) bool {
	for _, t := range s.Manifest.Timing {
		if !slices.Contains([]string{"", "barrier", "double_barrier"}, t.Sync) {
			return false
		}
	}
	return true
}
