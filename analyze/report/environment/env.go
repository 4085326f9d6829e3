// Package environment lists what can change a result on a machine, and doubts about it.
package environment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/remark"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

var Environments = document.Kind[Environment]{Name: "env", JSON: true, Parts: []document.Part[Environment]{
	document.Show(document.Screen, envScreen), document.Show(document.Full, envAnswer, Facts)}}

type Environment struct {
	Version string            `json:"pgmpi_version"`
	Rank    protocol.RankInfo `json:"rank"`
	Factors host.Factors      `json:"factors"`
	Doubts  []remark.Remark   `json:"doubts"` // of Factors and, in a folder, its mpiruns; never null
	Config  json.RawMessage   `json:"config"`
}

// On a screen of 24 lines: the answer, a line for each fact, and the first doubts.
const (
	doubtLines = 11
	lineWidth  = 62  // of a fact
	doubtWidth = 110 // of a doubt; its remedy is whole
)

func envScreen(e *Environment) []document.Section {
	f := &e.Factors
	s := envAnswer(e)[0]
	s.Text = nil
	fact := func(name, format string, args ...any) {
		s.Fact(name, "%s", cut(fmt.Sprintf(format, args...), lineWidth))
	}
	fact("MPI library", "%s", phrase.Known(phrase.ShortVersion(e.Rank.LibVersion)))
	fact("host", "%s%s", phrase.Known(f.Hostname), phrase.When(f.Cores > 0, ": Linux %s, %s", f.Kernel, conf.Plural(f.Cores, "CPU")))
	if len(f.Layouts) > 0 && len(f.Layouts[0].Kinds) > 0 {
		fact("launcher", "%s", launched(f.Layouts[0].Command))
		k := &f.Layouts[0].Kinds[0]
		fact("CPU", "%s%s; governor %s, turbo %s", phrase.Known(k.CPU), phrase.When(k.Virtual, " (virtual)"), phrase.Known(k.Governor), phrase.Known(k.Turbo))
		fact("limits", "%s", limitsOf(k))
		fact("in force", "%s", inForce(f))
	}
	shown, more := phrase.First(f.Layouts, 2, "%d more with --full")
	for i := range shown {
		fact(shown[i].Shape, "%s", placed(&shown[i]))
	}
	if more != "" {
		s.Item("%s", more)
	}
	left, spoils := doubtLines, func(d remark.Remark) bool { return slices.Contains(spoiling, d.ID) }
	first := slices.Concat(lists.Keep(e.Doubts, spoils), lists.Keep(e.Doubts, func(d remark.Remark) bool { return !spoils(d) }))
	for i, d := range first {
		text := strings.Replace(fmt.Sprintf("%s: %s. Remedy: %s.", d.ID, cut(d.Text, doubtWidth), d.Remedy), "….", "…", 1)
		if left -= 1 + len(text)/72; left < 1 && i > 0 {
			s.Item("%d more with --full", len(e.Doubts)-i)
			break
		}
		s.Item("%s", text)
	}
	return []document.Section{s}
}

// cut shortens a text to as many characters, after a clause if it can.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head := string(runes[:most-1])
	at := max(strings.LastIndex(head, ": "), strings.LastIndex(head, "; "), strings.LastIndex(head, ", "))
	if at > len(head)/2 {
		head = head[:at+2]
	}
	return head + "…"
}

// launched returns the launch command without the path of its program, and without the rank program.
func launched(argv []string) string {
	for i, word := range argv {
		if word == "--np" && i > 1 { // of the rank program
			argv = argv[:i-1]
			break
		}
	}
	if len(argv) == 0 {
		return "unknown"
	}
	return strings.Join(append([]string{path.Base(argv[0])}, argv[1:]...), " ")
}

func limitsOf(k *host.NodeKind) string {
	l := k.Limits
	if l == nil {
		l = &host.Limits{}
	}
	of := func(name string, n int64, bytes bool) string {
		switch {
		case n < 0:
			return name + " unlimited"
		case n == 0:
			return ""
		case bytes:
			return name + " " + conf.HumanMemory(n)
		}
		return fmt.Sprint(name, " ", n)
	}
	known := lists.Keep([]string{phrase.When(k.CPULimit > 0, "%.4g CPUs", k.CPULimit), of("locked memory", l.Locked, true), of("/dev/shm", l.Shared, true),
		of("files", l.Files, false), of("processes", l.Processes, false)}, func(s string) bool { return s != "" })
	return phrase.Known(strings.Join(known, ", "))
}

func inForce(f *host.Factors) string {
	in, known := f.Settings()
	switch {
	case !known:
		return "unknown: the library has not told its settings"
	case len(in) == 0:
		return "nothing but what the library has by default"
	}
	return phrase.Join(" ", "%v", in)
}

func placed(l *host.Layout) string {
	names := lists.Map(l.Nodes, func(n host.Node) string { return n.Host })
	shown, more := phrase.First(names, 4, ", %d more")
	text := ranksOf(l) + ": " + strings.Join(shown, " ") + more
	pinned, more := phrase.First(rankCPUs(l, &l.Nodes[0]), 4, "; %d more with --full")
	for _, p := range pinned {
		text += "; " + p.Name + " on " + p.Value
	}
	return text + more
}

// spoiling doubts are about ranks that share what they need, or about other ranks than were meant: their times say
// little.
var spoiling = []remark.ID{remark.Oversubscribed, remark.SharedCore, remark.CPULimit, remark.OthersBusy, remark.MemoryLow, remark.Misplaced,
	remark.NodesDiffer, remark.EnvDiffers, remark.UnseenNodes, remark.TSCNotInvariant, remark.Clocksource}

// mentioned are no doubts about times.
var mentioned = []remark.ID{remark.LibrarySettings, remark.SettingIgnored, remark.NodesUnused}

func envAnswer(e *Environment) []document.Section {
	var ids []string
	for _, d := range e.Doubts {
		ids = lists.With(ids, string(d.ID))
	}
	any := func(of []remark.ID) bool {
		return slices.ContainsFunc(e.Doubts, func(d remark.Remark) bool { return slices.Contains(of, d.ID) })
	}
	doubts := lists.Keep(e.Doubts, func(d remark.Remark) bool { return !slices.Contains(mentioned, d.ID) })
	s, doubtful := document.Section{Tone: picture.Open}, phrase.When(len(ids) > 0, "DOUBTFUL: %s", strings.Join(ids, ", "))
	switch {
	case any(spoiling):
		s.Title = "A check says little here until this is mended. " + doubtful
	case len(e.Factors.Layouts) == 0:
		s = document.Titled("The nodes are not known: no mpirun was finished, or by an older pgmpi. %s", doubtful)
	case len(doubts) > 0:
		s.Title = "A check can be trusted here, with care. " + doubtful
	case len(ids) > 0:
		s.Title = "A check can be trusted here. Note: " + strings.Join(ids, ", ")
	default:
		s = document.Titled("A check can be trusted here: nothing doubtful was found.")
	}
	for _, d := range e.Doubts {
		s.Item("%s: %s. Remedy: %s.", d.ID, d.Text, d.Remedy)
	}
	return []document.Section{s}
}

// Facts lists the host, its processors, the library's settings and variables.
func Facts(e *Environment) []document.Section {
	f, r := &e.Factors, &e.Rank
	s := document.Titled("pgmpi %s on %s", e.Version, f.Hostname)
	s.Fact("MPI library", "%s, rank program built for %s", r.LibVersion, r.BuiltFor)
	s.Fact("compiler", "%s (%s) %s", r.MPICC, phrase.Known(r.Compiler), r.Flags)
	s.Fact("rank program", "version %s, hash %s", r.Version, r.Hash)
	for _, file := range slices.Sorted(maps.Keys(f.Mockups)) {
		s.Fact("own mock-ups", "%s, hash %s", file, f.Mockups[file])
	}
	s.Fact("driver", "%s, Linux %s, %d CPUs", f.Go, f.Kernel, f.Cores)
	out := []document.Section{s}
	if len(f.Layouts) == 0 {
		s.Fact("CPU", "%s", phrase.Known(f.CPU))
		variables(&s, f.Env)
		out = []document.Section{s}
	}
	if in, known := f.Settings(); known {
		s.Facts("settings in force", lists.Map(in, func(x host.Setting) string { return x.String() + " (" + x.From + ")" }))
	}
	out[0] = s
	shown := map[string]int{} // numbers of the kinds of nodes, by their JSON
	for i := range f.Layouts {
		out = append(out, LayoutSections(&f.Layouts[i], r.LibVersion, shown)...)
	}
	return append(out, settings(e.Config)...)
}

func ranksOf(l *host.Layout) string {
	ranks := 0
	for _, n := range l.Nodes {
		ranks += len(n.Ranks)
	}
	return conf.Plural(ranks, "rank") + " on " + conf.Plural(len(l.Nodes), "node")
}

func LayoutSections(l *host.Layout, library string, shown map[string]int) []document.Section {
	s := document.Titled("%s: %s%s", l.Shape, ranksOf(l), phrase.When(l.Since != "", ", since %s", l.Since))
	s.Fact("command", "%s", phrase.Known(strings.Join(l.Command, " ")))
	out := []document.Section{s}
	for k := range l.Kinds {
		out = append(out, kindSection(l, k, library, shown))
	}
	own := min(len(l.Nodes), mostNodes)
	for i := range l.Nodes[:own] {
		out = append(out, nodeSection(l, &l.Nodes[i]))
	}
	if own < len(l.Nodes) {
		out = append(out, otherNodes(l, l.Nodes[own:]))
	}
	return out
}

const mostNodes = 32 // get a section of their own

func otherNodes(l *host.Layout, nodes []host.Node) document.Section {
	s := document.Titled("%s, %s more, each in manifest.json", l.Shape, conf.Plural(len(nodes), "node"))
	var load, busy float64
	most, least := 0, math.MaxInt
	for _, n := range nodes {
		most, least = max(most, len(n.Ranks)), min(least, len(n.Ranks))
		load, busy = max(load, analyze.Or(n.Load, 0)), max(busy, analyze.Or(n.OthersBusy, 0))
	}
	s.Fact("ranks", "%d to %d on each", least, most)
	s.Fact("before", "load of at most %.2f; other programs used at most %.1f CPUs", load, busy)
	return s
}

func kindSection(l *host.Layout, index int, library string, shown map[string]int) document.Section {
	k := &l.Kinds[index]
	nodes := lists.Keep(l.Nodes, func(n host.Node) bool { return n.Kind == index })
	hosts := lists.Map(nodes, func(n host.Node) string { return n.Host })
	text, _ := json.Marshal(k)
	number, again := shown[string(text)]
	if !again {
		number = len(shown) + 1
		shown[string(text)] = number
	}
	named, more := phrase.First(hosts, mostNodes, " and %d more")
	s := document.Titled("%s, nodes of kind %d: %s", l.Shape, number, strings.Join(named, " ")+more)
	if again {
		return s
	}
	s.Fact("CPU", "%s%s", phrase.Known(k.CPU), phrase.When(k.Virtual, " (virtual machine)"))
	s.Fact("CPUs", "%s", phrase.Known(k.Online.String()))
	s.Fact("packages", "%s", phrase.Known(sets(k.Packages)))
	s.Fact("memory nodes", "%s", phrase.Known(sets(k.NUMA)))
	if len(k.Online) > 0 {
		s.Fact("SMT siblings", "%s", cmp.Or(sets(k.Siblings), "none: every CPU is a core"))
	}
	s.Fact("last cache", "%s", memory(k.LLC))
	s.Fact("frequency", "governor %s, driver %s, turbo %s%s", phrase.Known(k.Governor), phrase.Known(k.FreqDriver), phrase.Known(k.Turbo),
		phrase.When(k.MaxMHz > 0, ", %.0f to %.0f MHz", k.MinMHz, k.MaxMHz))
	s.Fact("clock", "clocksource %s; CPU flags %s", phrase.Known(k.Clocksource), phrase.Known(strings.Join(k.TSC, " ")))
	s.Fact("kernel", "%s", phrase.Known(k.Kernel))
	s.Fact("cgroup limit", "%s", cmp.Or(phrase.When(k.CPULimit > 0, "%.4g CPUs", k.CPULimit), "none seen"))
	s.Fact("limits", "%s", limitsOf(k))
	s.Fact("network", "%s", cmp.Or(strings.Join(k.Devices, ", "), "none is up"))
	if k.Library != library {
		s.Fact("MPI library", "%s", phrase.Known(k.Library))
	}
	variables(&s, k.Env)
	return s
}

func sets(list []host.Ranges) string {
	return phrase.When(len(list) > 0, "%d: CPUs %s", len(list), phrase.Join(" | ", "%v", list))
}

func memory(bytes int64) string {
	return phrase.Known(phrase.When(bytes > 0, "%s", conf.HumanMemory(bytes)))
}

func variables(s *document.Section, env map[string]string) {
	list := phrase.Settings(env)
	if len(list) == 0 {
		list = []string{"none"}
	}
	s.Facts("variables", list)
}

func nodeSection(l *host.Layout, n *host.Node) document.Section {
	s := document.Titled("%s, node %s", l.Shape, n.Host)
	load, busy := "load unknown", "others unknown"
	if n.Load != nil {
		load = fmt.Sprintf("load %.2f in the minute before", *n.Load)
	}
	if n.OthersBusy != nil {
		busy = fmt.Sprintf("other programs used %.1f CPUs", *n.OthersBusy)
	}
	s.Fact("memory", "%s%s", memory(n.MemTotal), phrase.When(n.MemAvailable > 0, ", %s of it free", memory(n.MemAvailable)))
	s.Fact("at the start", "%s; %s%s", load, busy, phrase.When(n.MHz > 0, "; CPU at %.0f MHz", n.MHz))
	for _, p := range rankCPUs(l, n) {
		s.Fact(p.Name, "%s", p.Value)
	}
	return s
}

func rankCPUs(l *host.Layout, n *host.Node) (out []document.Label) {
	first := 0
	for _, p := range l.Pinnings[n.Pinning] {
		ranks := n.Ranks[first : first+p.Ranks]
		first += p.Ranks
		out = append(out, document.Label{Name: "rank" + phrase.When(p.Ranks > 1, "s") + " " + ranks.String(), Value: cpus(&l.Kinds[n.Kind], p.CPUs)})
	}
	return out
}

func cpus(k *host.NodeKind, mask host.Ranges) string {
	if len(mask) == 0 {
		return "unknown"
	}
	var in []string
	for i, p := range k.Packages {
		if slices.ContainsFunc(mask, func(cpu int) bool { return (host.Ranges{cpu}).Within(p) }) {
			in = append(in, fmt.Sprint(i))
		}
	}
	return fmt.Sprintf("CPU%s %s%s", phrase.When(len(mask) > 1, "s"), mask, phrase.When(len(k.Packages) > 1, ", package %s", strings.Join(in, " and ")))
}

func settings(config json.RawMessage) []document.Section {
	var sections map[string]map[string]json.RawMessage
	if json.Unmarshal(config, &sections) != nil {
		return nil // an older pgmpi made it, or it is damaged: nothing rests on it here
	}
	s := document.Titled("Settings of gl.toml and flags")
	for _, name := range []string{"job", "mpi", "nrep", "measure"} {
		values, ok := sections[name]
		if !ok {
			continue
		}
		var keys []string
		for _, key := range slices.Sorted(maps.Keys(values)) {
			var compact bytes.Buffer
			_ = json.Compact(&compact, values[key]) // it has been decoded, so it is JSON
			keys = append(keys, key+"="+compact.String())
		}
		s.Fact("["+name+"]", "%s", strings.Join(keys, " "))
	}
	return []document.Section{s}
}
