package host

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"reflect"
	"slices"
)

type RankFacts struct {
	Host string `json:"h"`
	CPUs Ranges `json:"c"` // affinity mask
	// Same is equal for ranks with the same variables, library and program.
	Same uint32 `json:"s"`
}

func ReadRank(host string, environ []string, library, program string) (RankFacts, error) {
	text, err := json.Marshal([]any{tuning(Env(environ)), library, program})
	return RankFacts{Host: host, CPUs: Affinity(), Same: crc32.ChecksumIEEE(text)}, err
}

type NodeFacts struct {
	Kind NodeKind `json:"kind"`
	Node Node     `json:"node"`
}

func ReadNode(root fs.FS, rank RankFacts, environ []string, library, program string) NodeFacts {
	f := NodeFacts{Kind: ReadKind(root), Node: Node{Host: rank.Host}}
	f.Kind.Env, f.Kind.Library, f.Kind.Program = Env(environ), library, program
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

// Merge makes a Layout of the facts of all ranks, and of the nodes, in the order of their
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
