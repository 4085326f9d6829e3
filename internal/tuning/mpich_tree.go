package tuning

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// node holds a condition of MPICH's selection tree (csel.c), or a leaf "algorithm=…". Below a
// condition are the next ones, in the order in which they are asked.
type node struct {
	key   string
	line  int
	below []*node
}

// Limits of a tree; MPICH 4.0.2's has 8 levels and 600 nodes.
const (
	deepest  = 64
	mostNode = 1 << 16
)

func parseTree(name string, text []byte) (*node, error) {
	p := &treeParser{name: name, text: text, in: json.NewDecoder(bytes.NewReader(text))}
	root := &node{}
	if err := p.open(); err != nil {
		return nil, err
	}
	if err := p.object(root, 0); err != nil {
		return nil, err
	}
	if _, err := p.in.Token(); !errors.Is(err, io.EOF) {
		return nil, p.errorf("there is something behind the tree")
	}
	return root, nil
}

type treeParser struct {
	name  string
	text  []byte
	in    *json.Decoder
	nodes int
}

func (p *treeParser) line() int {
	at := min(int(p.in.InputOffset()), len(p.text))
	return 1 + bytes.Count(p.text[:at], []byte("\n"))
}

func (p *treeParser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.name, p.line(), fmt.Sprintf(format, args...))
}

func (p *treeParser) open() error {
	t, err := p.in.Token()
	if err != nil || t != json.Delim('{') {
		return p.errorf("a { is wanted: a tree has objects in objects, and nothing else")
	}
	return nil
}

func (p *treeParser) object(n *node, depth int) error {
	if depth > deepest {
		return p.errorf("more than %d levels", deepest)
	}
	for p.in.More() {
		t, err := p.in.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return p.errorf("a condition is wanted")
		}
		if p.nodes++; p.nodes > mostNode {
			return p.errorf("more than %d conditions", mostNode)
		}
		child := &node{key: key, line: p.line()}
		n.below = append(n.below, child)
		if err := p.open(); err != nil {
			return err
		}
		if err := p.object(child, depth+1); err != nil {
			return err
		}
	}
	if _, err := p.in.Token(); err != nil {
		return p.errorf("the tree is not closed: %v", err)
	}
	return nil
}

func (n *node) leaf() (algorithm string, ok bool) { return strings.CutPrefix(n.key, "algorithm=") }

func (n *node) find(key string) *node {
	for _, c := range n.below {
		if c.key == key {
			return c
		}
	}
	return nil
}

func (n *node) write(b *strings.Builder, indent int) {
	b.WriteString("{")
	for i, c := range n.below {
		if i > 0 {
			b.WriteString(",")
		}
		key, _ := json.Marshal(c.key)
		key = bytes.ReplaceAll(key, []byte(`\u003c`), []byte("<"))
		fmt.Fprintf(b, "\n%s%s: ", strings.Repeat(" ", indent+1), key)
		c.write(b, indent+1)
	}
	if len(n.below) > 0 {
		b.WriteString("\n" + strings.Repeat(" ", indent))
	}
	b.WriteString("}")
}

type Tree struct {
	Text       []byte   // JSON
	Algorithms []string // that the library knows in such a file
}

const (
	treeBegins = `{"collective=bcast":`
	// Only the tree of all collectives has treeHas: the trees of lower layers have other algorithms
	// or fewer collectives.
	treeHas        = `"collective=ibarrier":`
	largestLibrary = 1 << 29
	leafWord       = "algorithm=MPIR_"
)

// FindTree looks for the tree in MPICH's shared library, which contains it as text.
func FindTree(library string) (*Tree, error) {
	f, err := os.Open(library)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := io.ReadAll(io.LimitReader(f, largestLibrary))
	if err != nil {
		return nil, err
	}
	t := &Tree{Algorithms: words(all)}
	for rest := all; ; {
		at := bytes.Index(rest, []byte(treeBegins))
		if at < 0 {
			return nil, fmt.Errorf("%s has no selection tree of MPICH's as text", library)
		}
		rest = rest[at:]
		end := bytes.IndexByte(rest, 0)
		if end > 0 && bytes.Contains(rest[:end], []byte(treeHas)) && bytes.Contains(rest[:end], []byte(leafWord)) {
			t.Text = bytes.Clone(rest[:end])
			_, err := parseTree(library, t.Text)
			return t, err
		}
		rest = rest[1:]
	}
}

func words(library []byte) (out []string) {
	for rest := library; ; {
		at := bytes.Index(rest, []byte(leafWord))
		if at < 0 {
			return out
		}
		end := bytes.IndexByte(rest[at:], 0)
		if end > 0 && end < 200 {
			out = append(out, string(rest[at+len("algorithm="):at+end]))
		}
		rest = rest[at+1:]
	}
}

// Call describes a collective call on one node, with a built-in operator that commutes. Block
// (bytes) and Elements are per process.
type Call struct {
	Function        string
	NP              int
	Block, Elements int64

	asked bool // MPICH has looked at the call, and not only at the communicator
}

// Chooser returns a function that names the algorithm for a call in MPICH's tree.
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

// chosen searches as csel.c does: it takes the first condition that holds, and goes back if nothing
// is below it.
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

// plain lists conditions that hold for a Call or not, whatever its size and processes. One node has
// no hierarchy of nodes.
var plain = map[string]bool{
	"comm_type=intra": true, "comm_type=inter": false, "is_commutative=yes": true, "is_commutative=no": false,
	"is_op_built_in=yes": true, "is_op_built_in=no": false, "is_sendbuf_inplace=yes": false, "is_sendbuf_inplace=no": true,
	"is_block_regular=yes": true, "is_block_regular=no": false, "is_node_consecutive=yes": true, "is_node_consecutive=no": false,
	"comm_hierarchy=parent": false, "comm_hierarchy=node": false, "comm_hierarchy=node_roots": false,
}

// compared returns a condition as MPICH 4.0.2 compares it. When MPICH makes a communicator it goes
// as far as no condition asks about a call, and after such a condition it takes "comm_size<8" for
// "comm_size<=8" (csel.c:1212).
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
