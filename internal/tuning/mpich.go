package tuning

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pgmpi/mockups"
)

const TreeFile = "mpich.json"

const treeVariable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"

// mpichJSON writes MPICH's selection tree. A file replaces the library's whole tree, so it is made
// from that tree, and keeps what the choices do not affect.
var mpichJSON = Writer{
	Name: "mpich-json", Title: "selection tree of MPICH (JSON)",
	For:   func(l Library) bool { return l.Family == "mpich" && l.Major >= 4 },
	Write: writeTree, Read: readTree,
}

// sized lists the conditions on sizes that csel.c can answer for a collective. all tells that they
// compare the bytes of all processes together, not of the vector. With another condition MPICH ends
// the program. Gather and Scatter are compared in elements, by arguments that some ranks ignore.
var sized = map[string]struct {
	key string
	all bool
}{
	"MPI_Allgather":            {"total_msg_size", true},
	"MPI_Allgatherv":           {"total_msg_size", true},
	"MPI_Allreduce":            {"avg_msg_size", false},
	"MPI_Alltoall":             {"avg_msg_size", false},
	"MPI_Bcast":                {"avg_msg_size", false},
	"MPI_Reduce":               {"avg_msg_size", false},
	"MPI_Reduce_scatter":       {"total_msg_size", true},
	"MPI_Reduce_scatter_block": {"total_msg_size", true},
}

// treeSize returns the size that MPICH's tree compares for a block on np processes. ok tells
// whether it compares a reliable one.
func treeSize(function string, block int64, np int) (bytes int64, ok bool) {
	s, ok := sized[function]
	if s.all {
		block *= int64(np)
	}
	return block, ok
}

// guard names a condition that an algorithm needs. MPICH does not check it for a tree (for a CVAR
// it does, and falls back).
type guard struct{ no, yes string }

var (
	commutative = guard{"is_commutative=no", "is_commutative=yes"}
	builtIn     = guard{"is_op_built_in=no", "is_op_built_in=yes"}
	manyEnough  = guard{"count<pow2", "count=any"}
	notInPlace  = guard{"is_sendbuf_inplace=yes", "is_sendbuf_inplace=no"}
	regular     = guard{"is_block_regular=no", "is_block_regular=yes"}
)

func guards(function, algorithm string) (out []guard) {
	switch function {
	case "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw":
		out = append(out, notInPlace)
	case "MPI_Allreduce", "MPI_Reduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block":
		out = append(out, commutative)
	}
	switch algorithm {
	case "reduce_scatter_allgather", "reduce_scatter_gather":
		out = append(out, builtIn, manyEnough)
	case powersOfTwo:
		if function == "MPI_Reduce_scatter" {
			out = append(out, regular)
		}
	}
	return out
}

func refusesNode(c Choice, t *Tree) string {
	_, counted := treeSize(c.Function, 1, 1)
	pow2 := c.NP&(c.NP-1) == 0
	switch {
	case leafName(c, t) == "":
		return fmt.Sprintf("the library knows no algorithm %q of %s in a tree", c.Algorithm, c.Function)
	case !counted && !c.Everywhere():
		return fmt.Sprintf("MPICH's tree has no condition on the size of %s that is the same on all ranks: only a choice for all measured sizes can be written, with --extend", c.Function)
	case c.Algorithm == "smp":
		return "smp is for communicators that MPICH has split by nodes: a tree would call it for all of them"
	case c.Algorithm == "pairwise_sendrecv_replace":
		return "pairwise_sendrecv_replace is for calls in place, which are not measured"
	case !pow2 && (c.Algorithm == powersOfTwo || strings.Contains(c.Algorithm, "recursive_doubling") && needsPow2[c.Function]):
		return fmt.Sprintf("%s is for 2, 4, 8, … processes", c.Algorithm)
	}
	return ""
}

// powersOfTwo ends the program on other numbers of processes (Reduce_scatter and
// Reduce_scatter_block).
const powersOfTwo = "noncommutative"

// needsPow2 lists the collectives whose recursive doubling is for powers of two.
var needsPow2 = map[string]bool{"MPI_Allgather": true, "MPI_Allgatherv": true, "MPI_Bcast": true}

// leafParts stand in a leaf between its collective and its algorithm.
var leafParts = []string{"_intra_", "_allcomm_"}

func leafName(c Choice, t *Tree) string {
	for _, part := range leafParts {
		name := "MPIR_" + strings.TrimPrefix(c.Function, "MPI_") + part + c.Algorithm
		if slices.Contains(t.Algorithms, name) {
			return name
		}
	}
	return ""
}

func writeTree(t Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "mpich-json"}
	if t.Tree == nil {
		for _, c := range choices {
			s.reject(c, cmp.Or(c.check(), "the library's own selection tree was not found: a file with a part of it would end every program"))
		}
		return s, nil
	}
	root, err := parseTree("the library's tree", t.Tree.Text)
	if err != nil {
		return nil, err
	}
	functions, of := accepted(choices, s, func(c Choice) string { return refusesNode(c, t.Tree) })
	for _, f := range functions {
		n := root.find("collective=" + lower(f))
		if n == nil {
			return nil, fmt.Errorf("the library's tree has no %s", f)
		}
		groups := byProcesses(of[f], s)
		entries, err := insert(n, f, groups, t.Tree)
		if err != nil {
			return nil, err
		}
		s.Entries = append(s.Entries, entries...)
	}
	if len(s.Entries) == 0 {
		return s, nil
	}
	var b strings.Builder
	root.write(&b, 0)
	b.WriteString("\n")
	if b.Len()%4096 == 0 {
		b.WriteString("\n") // MPICH maps the file, and needs a zero after it
	}
	s.Files = []File{{TreeFile, []byte(b.String())}}
	s.Env = map[string]string{treeVariable: filepath.Join(t.Folder, TreeFile)}
	s.Notes = []string{"mpich.json is made from the tree of this version of MPICH, and is for no other. If it is missing, every MPI program ends in MPI_Init."}
	return s, nil
}

// insert puts choices before a collective's conditions in the tree, for their processes only. The
// rest stays.
func insert(n *node, function string, groups map[int][]part, t *Tree) (entries []Entry, err error) {
	intra := n.find("comm_type=intra")
	if intra == nil { // both kinds of communicators go one way
		old := n.below
		intra = &node{key: "comm_type=intra", below: old}
		n.below = []*node{intra, {key: "comm_type=inter", below: old}}
	}
	old := &node{below: intra.below}
	var below []*node
	for _, np := range slices.Sorted(maps.Keys(groups)) {
		usual, err := old.on(np, false)
		if err != nil {
			return nil, fmt.Errorf("%s in the library's tree: %w", function, err)
		}
		if np > 1 {
			below = append(below, &node{key: fmt.Sprintf("comm_size<=%d", np-1), below: old.below})
		}
		here := &node{key: fmt.Sprintf("comm_size<=%d", np)}
		parts := groups[np]
		if _, ok := treeSize(function, 1, 1); !ok { // one choice for all sizes, even unmeasured ones
			parts = []part{{interval{0, 0}, parts[0].choice}}
		}
		for _, p := range parts {
			entries = append(entries, Entry{Choice: p.choice, From: p.from, To: p.to, Where: TreeFile, Variable: treeVariable, Value: TreeFile, Proof: ByFile})
		}
		here.below = bySize(function, np, parts, usual, t)
		below = append(below, here)
	}
	intra.below = append(below, &node{key: "comm_size=any", below: old.below})
	return entries, nil
}

func bySize(function string, np int, parts []part, usual []*node, t *Tree) []*node {
	if len(parts) == 1 && parts[0].to == 0 {
		return guarded(function, parts[0].choice, usual, t)
	}
	key := sized[function].key
	below := func(block int64, then []*node) *node {
		bytes, _ := treeSize(function, block, np)
		return &node{key: key + "<" + strconv.FormatInt(min(bytes, math.MaxInt32), 10), below: then}
	}
	var out []*node
	end := int64(0)
	for _, p := range parts {
		if p.from > end {
			out = append(out, below(p.from, usual))
		}
		out = append(out, below(p.to, guarded(function, p.choice, usual, t)))
		end = p.to
	}
	return append(out, &node{key: key + "=any", below: usual})
}

// guarded uses an algorithm where it may be called, and the library's choice elsewhere.
func guarded(function string, c Choice, usual []*node, t *Tree) []*node {
	out := []*node{{key: "algorithm=" + leafName(c, t)}}
	for _, g := range slices.Backward(guards(function, c.Algorithm)) {
		out = []*node{{key: g.no, below: usual}, {key: g.yes, below: out}}
	}
	return out
}

// on specialises the tree for np processes. asked tells that a condition above is about calls.
func (n *node) on(np int, asked bool) ([]*node, error) {
	var out []*node
	for _, c := range n.below {
		holds, about, err := aboutProcesses(compared(c.key, &asked), np)
		switch {
		case err != nil:
			return nil, err
		case about && holds:
			rest, err := c.on(np, asked)
			if err != nil {
				return nil, err
			}
			return append(out, rest...), nil
		case about:
			continue
		}
		below, err := c.on(np, asked)
		if err != nil {
			return nil, err
		}
		out = append(out, &node{key: c.key, below: below})
	}
	if len(n.below) > 0 && len(out) == 0 {
		return nil, errors.New("no condition holds on " + strconv.Itoa(np) + " processes")
	}
	return out, nil
}

func aboutProcesses(key string, np int) (holds, about bool, err error) {
	rest, about := strings.CutPrefix(key, "comm_size")
	if !about {
		return false, false, nil
	}
	limit := func(text string) int64 {
		var n int64
		if n, err = strconv.ParseInt(text, 10, 32); err != nil {
			err = fmt.Errorf("%.40q is no condition on the number of processes", key)
		}
		return n
	}
	switch {
	case rest == "=any":
		return true, true, nil
	case rest == "=pow2":
		return np&(np-1) == 0, true, nil
	case rest == "=node_comm_size":
		return false, false, nil // not about the number alone
	case strings.HasPrefix(rest, "<="):
		return int64(np) <= limit(rest[2:]), true, err
	case strings.HasPrefix(rest, "<"):
		return int64(np) < limit(rest[1:]), true, err
	}
	return false, true, fmt.Errorf("%.40q is no condition on the number of processes", key)
}

// readTree refuses a tree that MPICH would end a program with: without every collective, or
// with a place where no condition holds. It returns no Rules, since nobody needs them.
func readTree(name string, text []byte) ([]Rule, error) {
	root, err := parseTree(name, text)
	if err != nil {
		return nil, err
	}
	for _, f := range mockups.Collectives() {
		n := root.find("collective=" + lower(f))
		if n == nil {
			return nil, fmt.Errorf("%s:1: %s is missing: MPICH ends a program that calls it; a file must have the whole tree", name, f)
		}
		if err := n.complete(name); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (n *node) complete(name string) error {
	if len(n.below) == 0 {
		return fmt.Errorf("%s:%d: nothing is chosen below %.60q", name, n.line, n.key)
	}
	for i, c := range n.below {
		if _, ok := c.leaf(); ok {
			if len(n.below) > 1 || slices.ContainsFunc(c.below, func(p *node) bool { return !p.isParameter() }) {
				return fmt.Errorf("%s:%d: an algorithm has a condition beside or below it", name, c.line)
			}
			return nil
		}
		mayFail, err := conditional(c.key)
		switch {
		case err != nil:
			return fmt.Errorf("%s:%d: %w", name, c.line, err)
		case mayFail && i == len(n.below)-1:
			return fmt.Errorf("%s:%d: what is behind %.60q falls through: the last condition must be \"any\"", name, c.line, c.key)
		}
		if err := c.complete(name); err != nil {
			return err
		}
	}
	return nil
}

// isParameter tells whether a node below an algorithm is a parameter of it, such as "k=2" in the trees of 4.2 and later.
// MPICH ignores conditions there.
func (n *node) isParameter() bool {
	name, value, ok := strings.Cut(n.key, "=")
	_, condition := plain[n.key]
	return ok && name != "" && value != "any" && !condition && len(n.below) == 0 && !strings.Contains(name, "<") &&
		!strings.HasPrefix(name, "comm_") && name != "algorithm"
}

// conditional tells whether the last of several conditions may fail: a limit, or a power of two.
func conditional(key string) (mayFail bool, err error) {
	at := strings.IndexAny(key, "<=")
	if at < 1 {
		return false, fmt.Errorf("%.60q is no condition", key)
	}
	limit, less := strings.CutPrefix(key[at:], "<")
	if !less || key == "count<pow2" || key == "count<=pow2" {
		return less || key == "comm_size=pow2", nil
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(limit, "="), 10, 32); err != nil || n < 0 {
		return false, fmt.Errorf("%.60q is no condition", key)
	}
	return true, nil
}
