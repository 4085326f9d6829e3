package tuning

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// node is a node of MPICH's selection tree (csel.c): a condition, and below it the next ones,
// in the order in which they are asked; or a leaf "algorithm=…".
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
	Algorithms []string // names that the library knows in such a file
}

const (
	treeBegins = `{"collective=bcast":`
	// treeHas is only in the tree of all collectives: the trees of lower layers have
	// other algorithms or fewer collectives.
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
