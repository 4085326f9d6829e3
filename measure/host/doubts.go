package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Doubt is a setting under which a measured time may not be what it seems
// (S-REVISITED, Table VI). What is not known is never a doubt.
type Doubt struct {
	ID     string `json:"id"`     // stable
	Text   string `json:"text"`   // what was found, and where
	Remedy string `json:"remedy"` // what to do about it
}

// The ids of doubts.
const (
	DoubtGovernor    = "governor"
	DoubtTurbo       = "turbo"
	DoubtSMT         = "smt-siblings"
	DoubtSharedCore  = "shared-core"
	DoubtUnpinned    = "unpinned"
	DoubtOversub     = "oversubscribed"
	DoubtTSC         = "tsc-not-invariant"
	DoubtClocksource = "clocksource"
	DoubtBusy        = "others-busy"
	DoubtNodes       = "nodes-differ"
	DoubtEnv         = "env-differs"
	DoubtLimit       = "cpu-limit"
	DoubtMemory      = "memory-low"
	DoubtTuned       = "library-settings"
	DoubtChanged     = "placement-changed"
)

// Where a doubt begins.
const (
	busyCPUs = 0.5 // of other programs on a node
	lowShare = 0.1 // of its memory
)

// Doubts judges all layouts. Where several shapes give the same doubt it is there once.
func (f *Factors) Doubts() []Doubt {
	var out []Doubt
	shapes := map[string]int{}
	for i := range f.Layouts {
		l := &f.Layouts[i]
		if shapes[l.Shape]++; shapes[l.Shape] == 2 {
			out = append(out, Doubt{DoubtChanged, fmt.Sprintf("from %s on, the mpiruns of %s ran elsewhere or with other settings than before", l.Since, l.Shape),
				"measure again into a new folder (--out); factors.layouts of manifest.json has both"})
		}
		for _, d := range l.Doubts() {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// Doubts judges one layout: first where the ranks are, then what they run on.
func (l *Layout) Doubts() []Doubt {
	var out []Doubt
	out = append(out, l.pinDoubts()...)
	out = append(out, l.hostDoubts()...)
	out = append(out, l.differences()...)
	return append(out, l.tuned()...)
}

// finding is a doubt on several nodes.
type finding struct {
	doubt Doubt
	hosts []string
	ranks Ranges
	text  func(Ranges) string // nil: the doubt's
}

// findings tells what is the same on several nodes once.
type findings struct {
	order []*finding
	known map[string]*finding
}

func (f *findings) add(host string, d Doubt) { f.addRanks(host, d, nil, nil) }

// addRanks adds a doubt about some ranks, whose text names all of them.
func (f *findings) addRanks(host string, d Doubt, ranks Ranges, text func(Ranges) string) {
	key := d.ID + d.Text
	if text != nil {
		key += text(nil)
	}
	at := f.known[key]
	if at == nil {
		if f.known == nil {
			f.known = map[string]*finding{}
		}
		at = &finding{doubt: d, text: text}
		f.known[key] = at
		f.order = append(f.order, at)
	}
	at.hosts, at.ranks = append(at.hosts, host), append(at.ranks, ranks...)
}

func (f *findings) doubts(before string) []Doubt {
	var out []Doubt
	for _, at := range f.order {
		d := at.doubt
		if at.text != nil {
			d.Text = at.text(at.ranks.Union(nil))
		}
		d.Text = before + "on " + someOf(at.hosts) + ", " + d.Text
		out = append(out, d)
	}
	return out
}

// someOf names two, and counts the rest.
func someOf(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], len(names)-2)
	}
	return strings.Join(names, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// hostDoubts are those of each host's own settings.
func (l *Layout) hostDoubts() []Doubt {
	var f findings
	for i := range l.Nodes {
		n := &l.Nodes[i]
		k := &l.Kinds[n.Kind]
		if g := k.Governor; g != "" && g != "performance" {
			f.add(n.Host, Doubt{DoubtGovernor, fmt.Sprintf("the frequency governor is %s, so clock rates follow the load", g),
				"as root: cpupower frequency-set -g performance; in a batch system: srun --cpu-freq=performance"})
		}
		if k.Turbo == "on" {
			f.add(n.Host, Doubt{DoubtTurbo, "turbo is on, so clock rates depend on temperature and on how many cores are busy",
				"as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost"})
		}
		if slices.Contains(k.TSC, "tsc") && !(slices.Contains(k.TSC, "constant_tsc") && slices.Contains(k.TSC, "nonstop_tsc")) {
			f.add(n.Host, Doubt{DoubtTSC, "the time stamp counter is not invariant (constant_tsc and nonstop_tsc are missing)", "do not use it as clock: measure.clock = \"monotonic\""})
		}
		if slices.Contains([]string{"hpet", "acpi_pm", "jiffies", "refined-jiffies"}, k.Clocksource) {
			f.add(n.Host, Doubt{DoubtClocksource, fmt.Sprintf("the kernel takes the time from %s: reading it takes a microsecond or more", k.Clocksource),
				"dmesg says why the TSC is not used; short calls cannot be told apart on such a host"})
		}
		if k.CPULimit > 0 && k.CPULimit <= float64(len(n.Ranks)) {
			f.add(n.Host, Doubt{DoubtLimit, fmt.Sprintf("the cgroup allows the time of %.4g CPUs for %s: when it is used up, the kernel stops them all for a while",
				k.CPULimit, plural(len(n.Ranks), "rank", "ranks")), "a container or job with a higher limit (docker --cpus), or fewer processes (--np)"})
		}
		if b := n.OthersBusy; b != nil && *b >= busyCPUs {
			f.add(n.Host, Doubt{DoubtBusy, fmt.Sprintf("other programs used %.1f of %d CPUs while the ranks slept", *b, len(k.Online)),
				"end them, or take the node for yourself (srun --exclusive)"})
		}
		if n.MemAvailable > 0 && float64(n.MemAvailable) < lowShare*float64(n.MemTotal) {
			f.add(n.Host, Doubt{DoubtMemory, fmt.Sprintf("only %d MiB of %d MiB of memory are free", n.MemAvailable>>20, n.MemTotal>>20),
				"end what takes it; the largest sizes may not be measured, or may be slowed by paging"})
		}
	}
	return f.doubts("")
}

// pinDoubts are those of where the ranks may run.
func (l *Layout) pinDoubts() []Doubt {
	var f findings
	for i := range l.Nodes {
		l.pinDoubtsOf(&l.Nodes[i], &f)
	}
	return f.doubts(strings.TrimPrefix(l.Shape+" ", " "))
}

const pinRemedy = "one core for each rank: mpirun --bind-to core (Open MPI), -bind-to core (MPICH), srun --cpu-bind=cores"

func (l *Layout) pinDoubtsOf(n *Node, f *findings) {
	k, masks := &l.Kinds[n.Kind], l.masks(n)
	var all Ranges
	equal := true
	for _, m := range masks {
		if len(m) == 0 { // not known
			return
		}
		all = all.Union(m)
		equal = equal && slices.Equal(m, masks[0])
	}
	cores, _ := k.cores(all)
	if full := len(k.Online) > 0 && len(masks) > len(k.Online); full || equal && len(all) > 1 && len(masks) > len(all) {
		f.add(n.Host, Doubt{DoubtOversub, fmt.Sprintf("%d ranks run on %s (%s): times are those of the scheduler as much as of the library",
			len(masks), plural(len(all), "CPU", "CPUs"), all), "fewer processes (--np), or more nodes; that it shares cores is in the nature of such a measurement"})
		return
	}
	if ranks, cpus := crowded(n, masks, func(m Ranges) (Ranges, int) { return m, len(m) }); ranks != nil {
		f.addRanks(n.Host, Doubt{ID: DoubtSharedCore, Remedy: pinRemedy}, ranks, func(r Ranges) string {
			return fmt.Sprintf("ranks %s share CPU %s, though the node has %s", r, cpus, plural(len(k.Online), "CPU", "CPUs"))
		})
	} else if ranks, cpus := crowded(n, masks, func(m Ranges) (Ranges, int) { cores, cpus := k.cores(m); return cpus, len(cores) }); ranks != nil {
		f.addRanks(n.Host, Doubt{ID: DoubtSMT,
			Remedy: "one rank for each core: mpirun --bind-to core --map-by core (Open MPI), -bind-to core (MPICH), srun --hint=nomultithread"},
			ranks, func(r Ranges) string {
				return fmt.Sprintf("ranks %s run on both siblings of a core (CPUs %s)", r, cpus)
			})
	}
	if free := unpinned(k, n, masks, cores); len(free) > 0 {
		mask := masks[slices.Index(n.Ranks, free[0])]
		f.addRanks(n.Host, Doubt{ID: DoubtUnpinned, Remedy: pinRemedy}, free, func(r Ranges) string {
			return fmt.Sprintf("%s not pinned to a core, but may run on CPUs %s", ranksAre(r), mask)
		})
	}
}

func ranksAre(r Ranges) string {
	if len(r) == 1 {
		return "rank " + r.String() + " is"
	}
	return "ranks " + r.String() + " are"
}

// crowded finds ranks that have less room than one place each: all that may run
// nowhere but in one mask. room gives the CPUs of a mask and how many ranks fit.
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

// unpinned are the ranks that may move between cores: to any core of the node,
// or to any that a rank of this mpirun may use.
func unpinned(k *NodeKind, n *Node, masks []Ranges, usable Ranges) Ranges {
	var free Ranges
	for i, m := range masks {
		cores, _ := k.cores(m)
		everywhere := len(k.Online) > 0 && k.Online.Within(m)
		if len(cores) > 1 && (everywhere || len(masks) > 1 && len(cores) == len(usable)) {
			free = append(free, n.Ranks[i])
		}
	}
	return free
}

// differences are those between nodes, and between ranks of one node.
func (l *Layout) differences() []Doubt {
	var out []Doubt
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
		seen := map[string]bool{}
		var values []string
		for i := range l.Kinds {
			if v := of.get(&l.Kinds[i]); !seen[v] {
				seen[v] = true
				values = append(values, fmt.Sprintf("%q", v))
			}
		}
		if len(values) > 1 {
			what = append(what, of.name+" ("+someOf(values)+")")
		}
	}
	if len(what) > 0 {
		out = append(out, Doubt{DoubtNodes, "the nodes are not alike: " + strings.Join(what, ", "), "take nodes of one kind (srun --constraint), with the same installation"})
	}
	env := map[string]bool{}
	for i := range l.Kinds {
		env[strings.Join(pairs(l.Kinds[i].Env), "\n")] = true
	}
	switch {
	case len(l.OtherEnv) > 0:
		out = append(out, Doubt{DoubtEnv, fmt.Sprintf("ranks %s have other variables, another library or another rank program than the first rank on their node", l.OtherEnv),
			"start all ranks in the same way"})
	case len(env) > 1:
		out = append(out, Doubt{DoubtEnv, "variables that set the MPI library differ between nodes", "let the launcher forward them: -x NAME (Open MPI), -genv NAME VALUE (MPICH); `pgmpi env` shows them"})
	}
	return out
}

// noTuning begin the names of variables that only say who may start, and where:
// that shows in the layout.
var noTuning = []string{"SLURM_", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_hwloc_base_binding", "OMPI_MCA_rmaps_", "OMPI_MCA_plm", "OMPI_MCA_oob", "PRTE_MCA_"}

// tuned names the variables that change what the library does.
func (l *Layout) tuned() []Doubt {
	set := map[string]string{}
	for i := range l.Kinds {
		for name, value := range l.Kinds[i].Env {
			if !slices.ContainsFunc(noTuning, func(p string) bool { return strings.HasPrefix(name, p) }) {
				set[name] = value
			}
		}
	}
	if len(set) == 0 {
		return nil
	}
	return []Doubt{{DoubtTuned, "the MPI library is not as installed: " + someOf(pairs(set)), "nothing, if that is what you want to measure; else unset them, or see [mpi] env"}}
}

// pairs are sorted NAME=VALUE.
func pairs(env map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}
