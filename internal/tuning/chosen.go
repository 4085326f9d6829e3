package tuning

import (
	"fmt"
	"strconv"
	"strings"
)

// Call is a call of a collective on processes of one node, with a built-in operator that commutes.
// Block (bytes) and Elements are what each has.
type Call struct {
	Function        string
	NP              int
	Block, Elements int64

	asked bool // MPICH has looked at the call, and no longer only at the communicator
}

// Chooser returns what tells the algorithm that MPICH's tree has for a call.
func (t *Tree) Chooser() (func(Call) (string, error), error) {
	root, err := parseTree("the library's tree", t.Text)
	if err != nil {
		return nil, err
	}
	return root.algorithm, nil
}

func (n *node) algorithm(c Call) (string, error) {
	n = n.find("collective=" + lower(c.Function))
	if n == nil {
		return "", fmt.Errorf("the library's tree has no %s", c.Function)
	}
	leaf, err := n.chosen(&c)
	if err == nil && leaf == "" {
		err = fmt.Errorf("the library's tree has no algorithm for %s of %d bytes on %d processes", c.Function, c.Block, c.NP)
	}
	for _, part := range leafParts {
		if _, name, found := strings.Cut(leaf, part); found {
			return name, err
		}
	}
	return leaf, err
}

// chosen goes the way that csel.c goes: the first condition that holds, and back where there is
// nothing below it.
func (n *node) chosen(c *Call) (string, error) {
	for _, below := range n.below {
		if leaf, is := below.leaf(); is {
			return leaf, nil
		}
		holds, err := c.holds(below.key)
		if err != nil {
			return "", err
		}
		if !holds {
			continue
		}
		if leaf, err := below.chosen(c); leaf != "" || err != nil {
			return leaf, err
		}
	}
	return "", nil
}

// plain are conditions that hold for a Call or not, whatever its size and processes. One node has
// no hierarchy of nodes.
var plain = map[string]bool{
	"comm_type=intra": true, "comm_type=inter": false, "is_commutative=yes": true, "is_commutative=no": false,
	"is_op_built_in=yes": true, "is_op_built_in=no": false, "is_sendbuf_inplace=yes": false, "is_sendbuf_inplace=no": true,
	"is_block_regular=yes": true, "is_block_regular=no": false, "is_node_consecutive=yes": true, "is_node_consecutive=no": false,
	"comm_hierarchy=parent": false, "comm_hierarchy=node": false, "comm_hierarchy=node_roots": false,
}

// compared returns a condition as MPICH 4.0.2 compares it: when it makes a communicator it goes as far as no
// condition asks about a call, and behind such a one it takes "comm_size<8" for "comm_size<=8" (csel.c:1212).
func compared(key string, asked *bool) string {
	of, size, less := strings.Cut(key, "<")
	*asked = *asked || !strings.HasPrefix(of, "comm_") && !strings.HasPrefix(of, "is_node")
	if *asked && less && of == "comm_size" && !strings.HasPrefix(size, "=") {
		return of + "<=" + size
	}
	return key
}

func (c *Call) holds(key string) (bool, error) {
	key = compared(key, &c.asked)
	if known, ok := plain[key]; ok || strings.HasSuffix(key, "=any") {
		return known || !ok, nil
	}
	if holds, about, err := aboutProcesses(key, c.NP); about {
		return holds, err
	}
	bytes := c.Block
	if s, counted := sized[c.Function]; counted && s.all && strings.HasPrefix(key, "total_msg_size") {
		bytes *= int64(c.NP)
	}
	if c.Function == "MPI_Gather" || c.Function == "MPI_Scatter" { // compared in elements
		bytes = c.Elements
	}
	pow2 := int64(1)
	for pow2*2 <= int64(c.NP) {
		pow2 *= 2
	}
	for _, about := range []struct {
		name  string
		value int64
	}{{"avg_msg_size", bytes}, {"total_msg_size", bytes}, {"count", c.Elements}, {"comm_avg_ppn", int64(c.NP)}} {
		rest, is := strings.CutPrefix(key, about.name)
		if !is {
			continue
		}
		limit, orEqual := strings.CutPrefix(strings.TrimPrefix(rest, "<"), "=")
		n, err := strconv.ParseInt(limit, 10, 64)
		if limit == "pow2" {
			n, err = pow2, nil
		}
		if err != nil || !strings.HasPrefix(rest, "<") {
			break
		}
		return about.value < n || orEqual && about.value == n, nil
	}
	return false, fmt.Errorf("%.40q is no condition that is known here", key)
}
