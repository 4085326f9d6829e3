package host

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// Layout tells where the ranks of an mpirun ran, and on which hosts: the factors of S-REVISITED, Table
// VI, that only the ranks can see. Facts that nodes share are stored once.
type Layout struct {
	Shape    string     `json:"shape,omitempty"`
	Since    string     `json:"since,omitempty"`   // the raw file of the mpirun that gathered it
	Command  []string   `json:"command,omitempty"` // the launcher's full argument list
	Kinds    []NodeKind `json:"kinds,omitempty"`
	Pinnings [][]Pin    `json:"pinnings,omitempty"`
	Nodes    []Node     `json:"nodes,omitempty"` // in the order of their first ranks
	// OtherEnv are the ranks that differ from the first one on their node. They differ in variables,
	// library or program.
	OtherEnv Ranges `json:"other_env,omitempty"`
	Seen     int    `json:"seen_nodes,omitempty"` // on which the library has the ranks; 0 if these are the hosts
	// Settings is nil where the library did not tell them, or the mpirun came to no end.
	Settings *Settings `json:"settings,omitempty"`
}

// Node has the facts of one host that it does not share. Unknown numbers are null or 0.
type Node struct {
	Host         string   `json:"host"`
	Kind         int      `json:"kind"`    // index into Layout.Kinds
	Pinning      int      `json:"pinning"` // index into Layout.Pinnings
	Ranks        Ranges   `json:"ranks"`
	MemTotal     int64    `json:"mem_total"`     // bytes
	MemAvailable int64    `json:"mem_available"` // bytes, before our buffers
	MHz          float64  `json:"mhz,omitempty"` // of the first rank's CPU at that moment
	Load         *float64 `json:"load"`
	OthersBusy   *float64 `json:"others_busy"` // CPUs that other programs kept busy while all ranks slept
}

// Pin is the affinity mask of consecutive ranks of a node (sched_getaffinity).
type Pin struct {
	CPUs  Ranges `json:"cpus"`
	Ranks int    `json:"ranks"`
}

// NodeKind has the facts that several nodes can share. Unknown strings are empty.
type NodeKind struct {
	Kernel      string            `json:"kernel"`
	CPU         string            `json:"cpu"` // model
	Online      Ranges            `json:"online"`
	Siblings    []Ranges          `json:"siblings,omitempty"`  // CPUs of one core, where it has several (SMT)
	Packages    []Ranges          `json:"packages,omitempty"`  // CPUs by socket
	NUMA        []Ranges          `json:"numa,omitempty"`      // CPUs by memory node
	LLC         int64             `json:"llc_bytes,omitempty"` // of the largest cache
	Governor    string            `json:"governor,omitempty"`
	FreqDriver  string            `json:"freq_driver,omitempty"`
	Turbo       string            `json:"turbo,omitempty"` // "on", "off"
	MinMHz      float64           `json:"min_mhz,omitempty"`
	MaxMHz      float64           `json:"max_mhz,omitempty"`
	TSC         []string          `json:"tsc,omitempty"` // the CPU flags about the time stamp counter
	Clocksource string            `json:"clocksource,omitempty"`
	Virtual     bool              `json:"virtual,omitempty"`   // a virtual machine, as the CPU says
	CPULimit    float64           `json:"cpu_limit,omitempty"` // CPUs that the cgroup allows; 0 if no limit
	Limits      *Limits           `json:"limits,omitempty"`    // of the ranks; nil where they are not known
	Devices     []string          `json:"devices,omitempty"`   // network devices with their state and speed
	Env         map[string]string `json:"env,omitempty"`       // variables that set MPI libraries, see Env
	Library     string            `json:"library"`             // its version text
	Program     string            `json:"program"`             // hash of the rank program
}

// Limits holds what processes of a node may have. Unlimited is -1, and unknown 0.
type Limits struct {
	Locked    int64 `json:"locked_bytes,omitempty"` // memory
	Files     int64 `json:"files,omitempty"`
	Processes int64 `json:"processes,omitempty"`
	Shared    int64 `json:"dev_shm_bytes,omitempty"` // where its mount has a size
}

// Place writes how many ranks are on how many nodes: "16x2" (nodes × ranks on each), or,
// where the nodes differ, "32(x15)+20", in the order of their first ranks.
func Place(ranks []int) string {
	var runs []string
	for i := 0; i < len(ranks); {
		n := 1
		for i+n < len(ranks) && ranks[i+n] == ranks[i] {
			n++
		}
		if n == len(ranks) {
			return fmt.Sprintf("%dx%d", n, ranks[0])
		}
		run := fmt.Sprint(ranks[i])
		if n > 1 {
			run += fmt.Sprintf("(x%d)", n)
		}
		runs = append(runs, run)
		i += n
	}
	return strings.Join(runs, "+")
}

func (l *Layout) Place() string {
	return Place(lists.Map(l.Nodes, func(n Node) int { return len(n.Ranks) }))
}

func (f *Factors) Place(shape string) string {
	if l := lists.First(f.Layouts, func(l Layout) bool { return l.Shape == shape }); l != nil {
		return l.Place()
	}
	return ""
}

// Check refuses indices that are out of range, and ranks without a mask.
func (l *Layout) Check() error {
	for _, n := range l.Nodes {
		if n.Kind < 0 || n.Kind >= len(l.Kinds) || n.Pinning < 0 || n.Pinning >= len(l.Pinnings) {
			return fmt.Errorf("factors: node %q has kind %d of %d and pinning %d of %d", n.Host, n.Kind, len(l.Kinds), n.Pinning, len(l.Pinnings))
		}
		pinned := 0
		for _, p := range l.Pinnings[n.Pinning] {
			if p.Ranks < 1 || p.Ranks > len(n.Ranks)-pinned {
				pinned = -1
				break
			}
			pinned += p.Ranks
		}
		if pinned != len(n.Ranks) {
			return fmt.Errorf("factors: the masks of node %q do not fit its %d ranks", n.Host, len(n.Ranks))
		}
	}
	return nil
}

// Add appends a layout, unless the last one of its shape has the same settings.
func (f *Factors) Add(l Layout) {
	last := len(f.Layouts) - 1
	for last >= 0 && f.Layouts[last].Shape != l.Shape {
		last--
	}
	if last >= 0 && l.Settings != nil && f.Layouts[last].Settings == nil { // it may have been cut off, or be older
		f.Layouts[last].Settings = l.Settings
	}
	if last < 0 || f.Layouts[last].settings() != l.settings() {
		f.Layouts = append(f.Layouts, l)
	}
}

// settings returns a layout as text, without facts that pass. It leaves out what changes from minute to
// minute or from one job of a batch system to the next; the nodes show where a job ran.
func (l Layout) settings() string {
	l.Since, l.Nodes, l.Kinds = "", slices.Clone(l.Nodes), slices.Clone(l.Kinds)
	for i := range l.Kinds {
		l.Kinds[i].Limits = nil
		l.Kinds[i].Env = maps.Clone(l.Kinds[i].Env)
		maps.DeleteFunc(l.Kinds[i].Env, func(name, _ string) bool { return strings.HasPrefix(name, "SLURM_") })
	}
	// The rank program and its arguments do not count: the kind has its hash, and how the
	// job reaches it changes nothing.
	at := len(l.Command) - 1
	for at > 0 && l.Command[at] != "--np" {
		at--
	}
	if at > 0 {
		l.Command = l.Command[:at-1]
	}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		n.MemTotal, n.MemAvailable, n.MHz, n.Load, n.OthersBusy = 0, 0, 0, nil, nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (l *Layout) masks(n *Node) []Ranges {
	out := make([]Ranges, 0, len(n.Ranks))
	for _, p := range l.Pinnings[n.Pinning] {
		for range p.Ranks {
			out = append(out, p.CPUs)
		}
	}
	return out
}

func (k *NodeKind) cores(mask Ranges) (cores, cpus Ranges) {
	for _, c := range mask {
		core := Ranges{c}
		if i := slices.IndexFunc(k.Siblings, core.Within); i >= 0 {
			core = k.Siblings[i]
		}
		cores, cpus = append(cores, core[0]), append(cpus, core...)
	}
	return cores.Union(nil), cpus.Union(nil)
}

const nodesPerLine = 32

// Parts cuts a Layout into smaller ones that make short lines; Join puts them together.
func (l *Layout) Parts() []Layout {
	var out []Layout
	for kind := range slices.Chunk(l.Kinds, 1) {
		out = append(out, Layout{Kinds: kind})
	}
	for pinning := range slices.Chunk(l.Pinnings, 1) {
		out = append(out, Layout{Pinnings: pinning})
	}
	for nodes := range slices.Chunk(l.Nodes, nodesPerLine) {
		out = append(out, Layout{Nodes: nodes})
	}
	return append(out, Layout{OtherEnv: l.OtherEnv, Seen: l.Seen})
}

func (l *Layout) Join(p *Layout) {
	l.Kinds = append(l.Kinds, p.Kinds...)
	l.Pinnings = append(l.Pinnings, p.Pinnings...)
	l.Nodes = append(l.Nodes, p.Nodes...)
	l.OtherEnv = l.OtherEnv.Union(p.OtherEnv)
	l.Seen = max(l.Seen, p.Seen)
}

// Factors holds the settings that can change a result: those that the driver found on
// its own host at the start, and those that the ranks found on theirs.
type Factors struct {
	Hostname string            `json:"hostname"`
	Kernel   string            `json:"kernel"`
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`            // of the driver's affinity mask
	Env      map[string]string `json:"env"`              // the driver's; see Env
	EnvOf    []string          `json:"env_of,omitempty"` // prefixes of the variables in Env; of older versions ofMPI
	Go       string            `json:"go"`
	Mockups  map[string]string `json:"mockups,omitempty"` // hashes of the files with the user's own mock-ups, by path
	Job      *Job              `json:"job,omitempty"`     // the batch job that the folder was begun in, if any
	// Layouts has one of every shape, from its first mpirun. It has one more for every --resume that
	// found other settings. Older manifests have none.
	Layouts []Layout `json:"layouts,omitempty"`
}

type RankFacts struct {
	Host string `json:"h"`
	CPUs Ranges `json:"c"` // affinity mask
	Same uint32 `json:"s"` // equal for ranks with the same variables, library and program
}

func ReadRank(host string, environ, asked []string, library, program string) (RankFacts, error) {
	text, err := json.Marshal([]any{tuning(EnvAsked(environ, asked)), library, program})
	return RankFacts{Host: host, CPUs: Affinity(), Same: crc32.ChecksumIEEE(text)}, err
}

type NodeFacts struct {
	Kind NodeKind `json:"kind"`
	Node Node     `json:"node"`
}

func ReadNode(root fs.FS, rank RankFacts, environ, asked []string, library, program string) NodeFacts {
	f := NodeFacts{Kind: ReadKind(root), Node: Node{Host: rank.Host}}
	f.Kind.Env, f.Kind.Library, f.Kind.Program = EnvAsked(environ, asked), library, program
	f.Node.MemTotal, f.Node.MemAvailable = Memory(root)
	if len(rank.CPUs) > 0 {
		f.Node.MHz = mhz(root, rank.CPUs[0])
	}
	if load := Load(root); load >= 0 {
		f.Node.Load = &load
	}
	return f
}

// Leaders returns the first rank of every host, in the order of ranks.
func Leaders(ranks []RankFacts) []int {
	var leaders []int
	seen := map[string]bool{}
	for r, f := range ranks {
		if !seen[f.Host] {
			seen[f.Host] = true
			leaders = append(leaders, r)
		}
	}
	return leaders
}

// Merge makes a Layout of the facts of all ranks and nodes. The nodes are in the order of their
// leaders.
func Merge(ranks []RankFacts, nodes []NodeFacts) (*Layout, error) {
	leaders := Leaders(ranks)
	if len(nodes) != len(leaders) {
		return nil, fmt.Errorf("facts of %d nodes, and ranks on %d", len(nodes), len(leaders))
	}
	sameplacing(nodes)
	l := &Layout{}
	at := map[string]int{} // index into l.Nodes
	for i, leader := range leaders {
		l.Nodes = append(l.Nodes, nodes[i].Node)
		l.Nodes[i].Kind = index(&l.Kinds, nodes[i].Kind)
		at[ranks[leader].Host] = i
	}
	for r, f := range ranks {
		i := at[f.Host]
		l.Nodes[i].Ranks = append(l.Nodes[i].Ranks, r)
		if f.Same != ranks[leaders[i]].Same {
			l.OtherEnv = append(l.OtherEnv, r)
		}
	}
	for i := range l.Nodes {
		l.Nodes[i].Pinning = index(&l.Pinnings, pins(ranks, l.Nodes[i].Ranks))
	}
	return l, nil
}

// sameplacing deletes variables about placement that nodes do not share: on the first node
// the batch script sets them, on the others the launcher's step. The layout shows their
// effect.
func sameplacing(nodes []NodeFacts) {
	for _, n := range nodes {
		for name, value := range n.Kind.Env {
			differs := func(o NodeFacts) bool { other, there := o.Kind.Env[name]; return !there || other != value }
			if begins(name, placing) && slices.ContainsFunc(nodes, differs) {
				for _, o := range nodes {
					delete(o.Kind.Env, name)
				}
			}
		}
	}
}

// pins joins neighbours with equal masks.
func pins(facts []RankFacts, ranks Ranges) []Pin {
	var out []Pin
	for _, r := range ranks {
		if n := len(out); n == 0 || !slices.Equal(out[n-1].CPUs, facts[r].CPUs) {
			out = append(out, Pin{CPUs: facts[r].CPUs})
		}
		out[len(out)-1].Ranks++
	}
	return out
}

func index[T any](table *[]T, v T) int {
	at := slices.IndexFunc(*table, func(known T) bool { return reflect.DeepEqual(known, v) })
	if at < 0 {
		at = len(*table)
		*table = append(*table, v)
	}
	return at
}
