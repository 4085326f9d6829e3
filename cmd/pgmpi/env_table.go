package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pgmpi/internal/remark"
	"pgmpi/measure/host"
)

// sheetWidth is the widest line of a sheet, in columns; sheetIndent is where values begin.
const (
	sheetWidth  = 100
	sheetIndent = 16
)

// sheet writes "name  value" lines, wrapped.
type sheet struct {
	w     *bufio.Writer
	kinds map[string]string // numbers of the kinds of nodes that were shown, by their JSON
}

func (s sheet) head(format string, args ...any) { fmt.Fprintf(s.w, "\n"+format+"\n", args...) }

// row says "unknown" for what is empty.
func (s sheet) row(name, value string) {
	if value == "" {
		value = "unknown"
	}
	for _, line := range wrapped(value, sheetWidth-sheetIndent) {
		s.line(name, line)
		name = ""
	}
}

// line writes one line whatever its width.
func (s sheet) line(name, value string) {
	fmt.Fprintf(s.w, "  %-*s %s\n", sheetIndent-3, name, value)
}

// command writes a command line that can be copied: its words stay whole, and a
// line that goes on ends in a backslash.
func (s sheet) command(name string, argv []string) {
	text := ""
	for _, word := range argv {
		word = quote(word)
		if text != "" && len([]rune(text))+len([]rune(word)) > sheetWidth-sheetIndent-len(" "+` \`) {
			s.line(name, text+` \`)
			name, text = "", ""
		}
		text = strings.TrimSpace(text + " " + word)
	}
	s.line(name, text)
}

// paragraph writes a text without a name.
func (s sheet) paragraph(text string) {
	for i, line := range wrapped(text, sheetWidth-4) {
		indent := "  "
		if i > 0 {
			indent = "    "
		}
		fmt.Fprintf(s.w, "%s%s\n", indent, line)
	}
}

// wrapped breaks a text at blanks, and words that are too long for a line.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for len([]rune(word)) > width {
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			r := []rune(word)
			lines, word = append(lines, string(r[:width])), string(r[width:])
		}
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// table is the form for people.
func (e *environmentShown) table(w io.Writer) error {
	s := sheet{bufio.NewWriter(w), map[string]string{}}
	f, r := &e.Factors, &e.Rank
	fmt.Fprintf(s.w, "pgmpi %s on %s\n", e.Version, f.Hostname)
	s.row("MPI library", fmt.Sprintf("%s, rank program built for %s", r.LibVersion, r.BuiltFor))
	s.row("compiler", strings.TrimSpace(r.MPICC+" ("+or(r.Compiler, "unknown")+") "+r.Flags))
	s.row("rank program", "version "+r.Version+", hash "+r.Hash)
	s.row("driver", fmt.Sprintf("%s, Linux %s, %d CPUs", f.Go, f.Kernel, f.Cores))
	if len(f.Layouts) == 0 {
		s.row("CPU", f.CPU)
		s.variables(f.Env)
		s.head("The nodes are not known: no mpirun was finished, or by an older pgmpi.")
	}
	for i := range f.Layouts {
		s.layout(&f.Layouts[i], r.LibVersion)
	}
	s.settings(e.Config)
	s.doubts(e.Doubts, len(f.Layouts) > 0)
	return s.w.Flush()
}

func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}

func (s sheet) layout(l *host.Layout, library string) {
	ranks := 0
	for _, n := range l.Nodes {
		ranks += len(n.Ranks)
	}
	since := ""
	if l.Since != "" {
		since = ", since " + l.Since
	}
	s.head("%s: %s on %s%s", l.Shape, count(ranks, "rank"), count(len(l.Nodes), "node"), since)
	s.row("command", strings.Join(l.Command, " "))
	for k := range l.Kinds {
		s.kind(&l.Kinds[k], l, k, library)
	}
	for i := range l.Nodes {
		s.node(l, &l.Nodes[i])
	}
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// kind shows what nodes have in common, once.
func (s sheet) kind(k *host.NodeKind, l *host.Layout, index int, library string) {
	var hosts []string
	for _, n := range l.Nodes {
		if n.Kind == index {
			hosts = append(hosts, n.Host)
		}
	}
	key, _ := json.Marshal(k)
	number, shown := s.kinds[string(key)]
	if !shown {
		number = fmt.Sprint(len(s.kinds) + 1)
		s.kinds[string(key)] = number
	}
	text := fmt.Sprintf("nodes of kind %s: %s", number, strings.Join(hosts, " "))
	s.head("  %s", strings.Join(wrapped(text, sheetWidth-2), "\n  "))
	if shown {
		return
	}
	virtual := ""
	if k.Virtual {
		virtual = " (virtual machine)"
	}
	s.row("CPU", k.CPU+virtual)
	s.row("CPUs", k.Online.String())
	s.row("packages", sets(k.Packages))
	s.row("memory nodes", sets(k.NUMA))
	if len(k.Online) > 0 {
		s.row("SMT siblings", or(sets(k.Siblings), "none: every CPU is a core"))
	}
	s.row("last cache", known(k.LLC))
	s.row("frequency", fmt.Sprintf("governor %s, driver %s, turbo %s%s", or(k.Governor, "unknown"), or(k.FreqDriver, "unknown"), or(k.Turbo, "unknown"), mhzRange(k)))
	s.row("clock", fmt.Sprintf("clocksource %s; CPU flags %s", or(k.Clocksource, "unknown"), or(strings.Join(k.TSC, " "), "unknown")))
	s.row("kernel", k.Kernel)
	limit := "none seen"
	if k.CPULimit > 0 {
		limit = fmt.Sprintf("%.4g CPUs", k.CPULimit)
	}
	s.row("cgroup limit", limit)
	s.row("network", or(strings.Join(k.Devices, ", "), "none is up"))
	if k.Library != library {
		s.row("MPI library", k.Library)
	}
	s.variables(k.Env)
}

func mhzRange(k *host.NodeKind) string {
	if k.MaxMHz == 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f to %.0f MHz", k.MinMHz, k.MaxMHz)
}

// sets counts sets of CPUs and lists them.
func sets(list []host.Ranges) string {
	if len(list) == 0 {
		return ""
	}
	var out []string
	for _, s := range list {
		out = append(out, s.String())
	}
	return fmt.Sprintf("%d: CPUs %s", len(list), strings.Join(out, " | "))
}

// known is a size, or nothing for 0: it is not known.
func known(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return size(bytes)
}

func (s sheet) variables(env map[string]string) {
	if len(env) == 0 {
		s.row("variables", "none")
	}
	name := "variables"
	for _, v := range slices.Sorted(maps.Keys(env)) {
		s.row(name, v+"="+env[v])
		name = ""
	}
}

func (s sheet) node(l *host.Layout, n *host.Node) {
	s.head("  node %s", n.Host)
	memory := known(n.MemTotal)
	if n.MemAvailable > 0 {
		memory += ", " + size(n.MemAvailable) + " of it free"
	}
	s.row("memory", memory)
	load := "load unknown"
	if n.Load != nil {
		load = fmt.Sprintf("load %.2f in the minute before", *n.Load)
	}
	busy := "others unknown"
	if n.OthersBusy != nil {
		busy = fmt.Sprintf("other programs used %.1f CPUs", *n.OthersBusy)
	}
	if n.MHz > 0 {
		busy += fmt.Sprintf("; CPU at %.0f MHz", n.MHz)
	}
	s.row("at the start", load+"; "+busy)
	first := 0
	for _, p := range l.Pinnings[n.Pinning] {
		ranks := n.Ranks[first : first+p.Ranks]
		first += p.Ranks
		word := "rank "
		if p.Ranks > 1 {
			word = "ranks "
		}
		s.row(word+ranks.String(), place(&l.Kinds[n.Kind], p.CPUs))
	}
}

// place says what a mask is: its CPUs, and the packages that they are in.
func place(k *host.NodeKind, mask host.Ranges) string {
	if len(mask) == 0 {
		return ""
	}
	text := "CPU " + mask.String()
	if len(mask) > 1 {
		text = "CPUs " + mask.String()
	}
	if len(k.Packages) < 2 {
		return text
	}
	var in []string
	for i, p := range k.Packages {
		for _, cpu := range mask {
			if (host.Ranges{cpu}).Within(p) {
				in = append(in, fmt.Sprint(i))
				break
			}
		}
	}
	return text + ", package " + strings.Join(in, " and ")
}

// settings shows the sections of gl.toml that measuring depends on.
func (s sheet) settings(config json.RawMessage) {
	var sections map[string]json.RawMessage
	if json.Unmarshal(config, &sections) != nil {
		return // by an older pgmpi, or damaged: nothing rests on it here
	}
	s.head("Settings of gl.toml and flags")
	for _, name := range []string{"job", "mpi", "nrep", "measure"} {
		var values map[string]json.RawMessage
		if json.Unmarshal(sections[name], &values) != nil {
			continue
		}
		var keys []string
		for _, key := range slices.Sorted(maps.Keys(values)) {
			var compact bytes.Buffer
			_ = json.Compact(&compact, values[key]) // it has been decoded, so it is JSON
			keys = append(keys, key+"="+compact.String())
		}
		s.row("["+name+"]", strings.Join(keys, " "))
	}
}

func (s sheet) doubts(doubts []remark.Remark, known bool) {
	if len(doubts) == 0 {
		if known {
			s.head("Nothing doubtful was found.")
		}
		return
	}
	s.head("DOUBTFUL")
	for _, d := range doubts {
		fmt.Fprintf(s.w, "  %s\n", d.ID)
		for _, line := range wrapped(d.Text+". Remedy: "+d.Remedy+".", sheetWidth-4) {
			fmt.Fprintf(s.w, "    %s\n", line)
		}
	}
}
