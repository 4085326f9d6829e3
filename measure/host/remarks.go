package host

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/remark"
)

const (
	busyCPUs = 0.5 // kept busy by other programs on a node
	lowShare = 0.1 // of a node's memory that is free
)

// Remarks lists what is doubtful about all layouts (S-REVISITED, Table VI). Unknown facts
// are never doubtful. A remark that holds for several shapes is listed once.
func (f *Factors) Remarks() []remark.Remark {
	out := f.unused()
	shapes := map[string]int{}
	for i := range f.Layouts {
		l := &f.Layouts[i]
		if shapes[l.Shape]++; shapes[l.Shape] == 2 {
			out = append(out, remark.New(remark.PlacementChanged, l.Shape,
				"from %s on, the mpiruns of %s ran elsewhere or with other settings than before", l.Since, l.Shape))
		}
		for _, r := range l.Remarks() {
			out = lists.With(out, r)
		}
	}
	return out
}

func (n *Node) busy() bool { return n.OthersBusy != nil && *n.OthersBusy >= busyCPUs }

// Busy tells whether Remarks say that other programs kept cores busy.
func (f *Factors) Busy() bool {
	return slices.ContainsFunc(f.Layouts, func(l Layout) bool { return slices.ContainsFunc(l.Nodes, func(n Node) bool { return n.busy() }) })
}

// unused remarks on nodes of the batch job that had no ranks.
func (f *Factors) unused() []remark.Remark {
	most := 0
	for i := range f.Layouts {
		most = max(most, len(f.Layouts[i].Nodes))
	}
	if f.Job == nil || most == 0 || most >= f.Job.NodeCount {
		return nil
	}
	return []remark.Remark{remark.New(remark.NodesUnused, "", "the ranks ran on %s of the %d of the job", conf.Plural(most, "node"), f.Job.NodeCount)}
}

// misplaced remarks on ranks that are not where the shape places them; a check refuses to
// run like this.
func (l *Layout) misplaced() []remark.Remark {
	if got := l.Place(); strings.Contains(l.Shape, "x") && got != l.Shape {
		return []remark.Remark{remark.New(remark.Misplaced, l.Shape, "%s was asked for (nodes × ranks on each), and the ranks are placed as %s", l.Shape, got)}
	}
	return nil
}

// unseen remarks on hosts that the library does not take for its nodes: it sends between ranks of one as between hosts.
func (l *Layout) unseen() []remark.Remark {
	if l.Seen == 0 {
		return nil
	}
	return []remark.Remark{remark.New(remark.UnseenNodes, l.Shape, "the library has the ranks on %s, and they are on %s",
		conf.Plural(l.Seen, "node"), conf.Plural(len(l.Nodes), "host"))}
}

// Remarks lists what is doubtful about one layout: first where the ranks are, then
// the hosts.
func (l *Layout) Remarks() []remark.Remark {
	var pins, hosts findings
	for i := range l.Nodes {
		l.pinned(&l.Nodes[i], &pins)
		l.settled(&l.Nodes[i], &hosts)
	}
	return slices.Concat(l.misplaced(), l.unseen(), pins.remarks(l.Shape), hosts.remarks(""), l.differences(), l.tuned(), l.Settings.remarks())
}

type finding struct {
	id    remark.ID
	text  string // "{ranks}" and "{are}" are filled in when all ranks are known
	hosts []string
	ranks Ranges
}

type findings []*finding

func (f *findings) add(id remark.ID, n *Node, ranks Ranges, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, known := range *f {
		if known.id == id && known.text == text {
			known.hosts, known.ranks = append(known.hosts, n.Host), append(known.ranks, ranks...)
			return
		}
	}
	*f = append(*f, &finding{id, text, []string{n.Host}, ranks})
}

func (f findings) remarks(shape string) []remark.Remark {
	var out []remark.Remark
	for _, at := range f {
		ranks, are := "rank "+at.ranks.String(), "is"
		if len(at.ranks) > 1 {
			ranks, are = "ranks "+at.ranks.Union(nil).String(), "are"
		}
		text := strings.NewReplacer("{ranks}", ranks, "{are}", are).Replace(at.text)
		out = append(out, remark.New(at.id, shape, "%s", strings.TrimPrefix(shape+" on "+someOf(at.hosts)+", "+text, " ")))
	}
	return out
}

// someOf names up to three; of more it names two and counts the rest.
func someOf(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], len(names)-2)
	}
	return strings.Join(names, ", ")
}

func (l *Layout) settled(n *Node, f *findings) {
	k := &l.Kinds[n.Kind]
	note := func(found bool, id remark.ID, format string, args ...any) {
		if found {
			f.add(id, n, nil, format, args...)
		}
	}
	note(k.Governor != "" && k.Governor != "performance", remark.Governor, "the frequency governor is %s, so clock rates follow the load", k.Governor)
	note(k.Turbo == "on", remark.Turbo, "turbo is on, so clock rates depend on temperature and on how many cores are busy")
	note(slices.Contains(k.TSC, "tsc") && !(slices.Contains(k.TSC, "constant_tsc") && slices.Contains(k.TSC, "nonstop_tsc")),
		remark.TSCNotInvariant, "the time stamp counter is not invariant (constant_tsc and nonstop_tsc are missing)")
	note(slices.Contains([]string{"hpet", "acpi_pm", "jiffies", "refined-jiffies"}, k.Clocksource),
		remark.Clocksource, "the kernel takes the time from %s: reading it takes a microsecond or more", k.Clocksource)
	note(k.CPULimit > 0 && k.CPULimit <= float64(len(n.Ranks)), remark.CPULimit,
		"the cgroup allows the time of %.4g CPUs for %s: when it is used up, the kernel stops them all for a while", k.CPULimit, conf.Plural(len(n.Ranks), "rank"))
	if n.busy() {
		f.add(remark.OthersBusy, n, nil, "other programs used %.1f of %d CPUs while the ranks slept", *n.OthersBusy, len(k.Online))
	}
	note(n.MemAvailable > 0 && float64(n.MemAvailable) < lowShare*float64(n.MemTotal),
		remark.MemoryLow, "only %d MiB of %d MiB of memory are free", n.MemAvailable>>20, n.MemTotal>>20)
}

func (l *Layout) pinned(n *Node, f *findings) {
	k, masks := &l.Kinds[n.Kind], l.masks(n)
	if slices.ContainsFunc(masks, func(m Ranges) bool { return len(m) == 0 }) { // not known
		return
	}
	all := slices.Concat(masks...).Union(nil)
	equal := !slices.ContainsFunc(masks, func(m Ranges) bool { return !slices.Equal(m, masks[0]) })
	cores, _ := k.cores(all)
	if full := len(k.Online) > 0 && len(masks) > len(k.Online); full || equal && len(all) > 1 && len(masks) > len(all) {
		f.add(remark.Oversubscribed, n, nil, "%d ranks run on %s: times depend on the scheduler as much as on the library", len(masks), fmt.Sprintf("%s (%s)", conf.Plural(len(all), "CPU"), all))
		return
	}
	onCPU := func(m Ranges) (Ranges, int) { return m, len(m) }
	onCore := func(m Ranges) (Ranges, int) { cores, cpus := k.cores(m); return cpus, len(cores) }
	if ranks, cpus := crowded(n, masks, onCPU); ranks != nil {
		f.add(remark.SharedCore, n, ranks, "{ranks} share CPU %s, though the node has %s", cpus, conf.Plural(len(k.Online), "CPU"))
	} else if ranks, cpus := crowded(n, masks, onCore); ranks != nil {
		f.add(remark.SMTSiblings, n, ranks, "{ranks} run on both siblings of a core (CPUs %s)", cpus)
	}
	if free := unpinned(k, n, masks, len(cores)); len(free) > 0 {
		f.add(remark.Unpinned, n, free, "{ranks} {are} not pinned to a core, but may run on CPUs %s", masks[slices.Index(n.Ranks, free[0])])
	}
}

// crowded finds ranks that have less room than one CPU or core each: all that may
// run only within one mask. room returns the CPUs of a mask and how many ranks fit.
func crowded(n *Node, masks []Ranges, room func(Ranges) (Ranges, int)) (ranks, cpus Ranges) {
	seen := map[string]bool{}
	for _, m := range masks {
		if seen[m.String()] {
			continue
		}
		seen[m.String()] = true
		cpus, fit := room(m)
		var inside Ranges
		for r, other := range masks {
			if other.Within(cpus) {
				inside = append(inside, n.Ranks[r])
			}
		}
		if len(inside) > fit {
			return inside, cpus
		}
	}
	return nil, nil
}

// unpinned returns the ranks that may move between cores: to any core of the node,
// or to any that the ranks of this mpirun may use.
func unpinned(k *NodeKind, n *Node, masks []Ranges, usable int) Ranges {
	var free Ranges
	for i, m := range masks {
		cores, _ := k.cores(m)
		everywhere := len(k.Online) > 0 && k.Online.Within(m)
		if len(cores) > 1 && (everywhere || len(masks) > 1 && len(cores) == usable) {
			free = append(free, n.Ranks[i])
		}
	}
	return free
}

func (l *Layout) differences() []remark.Remark {
	var out []remark.Remark
	var what []string
	for _, of := range []struct {
		name string
		get  func(*NodeKind) string
	}{
		{"kernel", func(k *NodeKind) string { return k.Kernel }},
		{"CPU model", func(k *NodeKind) string { return k.CPU }},
		{"number of CPUs", func(k *NodeKind) string { return k.Online.String() }},
		{"governor", func(k *NodeKind) string { return k.Governor }},
		{"turbo", func(k *NodeKind) string { return k.Turbo }},
		{"version of the MPI library", func(k *NodeKind) string { return k.Library }},
		{"rank program", func(k *NodeKind) string { return k.Program }},
	} {
		if values := l.values(of.get); len(values) > 1 {
			what = append(what, of.name+" ("+someOf(values)+")")
		}
	}
	if len(what) > 0 {
		out = append(out, remark.New(remark.NodesDiffer, "", "the nodes are not alike: %s", strings.Join(what, ", ")))
	}
	switch env := l.values(func(k *NodeKind) string { return strings.Join(pairs(tuning(k.Env)), "\n") }); {
	case len(l.OtherEnv) > 0:
		out = append(out, remark.New(remark.EnvDiffers, "",
			"ranks %s have other variables, another library or another rank program than the first rank on their node", l.OtherEnv))
	case len(env) > 1:
		r := remark.New(remark.EnvDiffers, "", "variables that set the MPI library or its processes differ between nodes")
		r.Remedy = "let the launcher forward them: -x NAME (Open MPI), -genv NAME VALUE (MPICH); `pgmpi env` shows them"
		out = append(out, r)
	}
	return out
}

func (l *Layout) values(get func(*NodeKind) string) []string {
	var out []string
	for i := range l.Kinds {
		out = lists.With(out, fmt.Sprintf("%q", get(&l.Kinds[i])))
	}
	return out
}

func (l *Layout) tuned() []remark.Remark {
	set := map[string]string{}
	for i := range l.Kinds {
		env := tuning(l.Kinds[i].Env)
		maps.DeleteFunc(env, func(name, _ string) bool { return !Reads(name, l.Kinds[i].Library) })
		maps.Copy(set, env)
	}
	if l.Settings != nil {
		for _, s := range l.Settings.InForce {
			if begins(s.From, ofMPI) { // the environment, also by an older name
				set[s.From] = cmp.Or(set[s.From], s.Value)
			} else if !ofSite.MatchString(s.From) {
				set[s.Name] = s.Value + " (" + s.From + ")"
			}
		}
	}
	if len(set) == 0 {
		return nil
	}
	return []remark.Remark{remark.New(remark.LibrarySettings, "", "the MPI library does not run as installed: %s", someOf(pairs(set)))}
}

func pairs(env map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}
