package guidelines

import (
	"fmt"
	"strconv"
	"strings"

	"pgmpi/mockups"
)

// Type is the kind of a guideline (S-PGMPI §2).
type Type string

const (
	Monotony Type = "monotony" // A(n) is not slower than A(n+k)
	Split    Type = "split"    // A(n) is not slower than k calls of A(n/k)
	Pattern  Type = "pattern"  // A(n) is not slower than its mock-up
)

// Guideline is one promise about one collective.
type Guideline struct {
	ID       string  `json:"id"` // "GL8", or the user's
	Type     Type    `json:"type"`
	Function string  `json:"function"`         // the collective
	Mockup   string  `json:"mockup,omitempty"` // pattern only
	Msizes   []int64 `json:"msizes"`           // bytes, ascending; where the guideline is checked
	// Group is selected as a whole; "": the catalogue of blocking calls.
	Group Group `json:"group,omitempty"`
	// Tolerant allows the call the price of a request beyond its mock-up (analyze.nb_tolerance).
	Tolerant bool `json:"tolerant,omitempty"`
}

// Formula writes the guideline as S-PGMPI, Appendix A does: "Reduce(n) ≤ Allreduce(n)".
func (g Guideline) Formula() string {
	a := strings.TrimPrefix(g.Function, "MPI_")
	switch g.Type {
	case Monotony:
		return a + "(n) ≤ " + a + "(n+k)"
	case Split:
		return a + "(n) ≤ k·" + a + "(n/k)"
	case Pattern:
		left, tolerance := a+"(n)", ""
		if f, ok := mockups.Get(g.Function); ok && f.Call != "" {
			left = f.Formula
		}
		if g.Tolerant {
			tolerance = " + tolerance"
		}
		if m, ok := mockups.Get(g.Mockup); ok {
			return left + " ≤ " + m.Formula + tolerance
		}
	}
	return a + "(n) ≤ " + g.Mockup
}

// Shape is how many processes, and on how many nodes.
type Shape struct {
	NP    int `json:"np"`
	Nodes int `json:"nodes,omitempty"` // 0: no nodes were given
	PPN   int `json:"ppn,omitempty"`   // processes per node
}

func (s Shape) String() string {
	if s.Nodes > 0 {
		return fmt.Sprintf("%dx%d", s.Nodes, s.PPN)
	}
	return fmt.Sprintf("p%d", s.NP)
}

// HasLanes tells whether there are several nodes with several processes each.
func (s Shape) HasLanes() bool { return s.Nodes > 1 && s.PPN > 1 }

// MaxProcesses is more than any machine starts, so that a slip of the keyboard is found.
const MaxProcesses = 10_000_000

// ParseShape reads what String writes where nodes are given: "16x2", nodes ×
// processes per node.
func ParseShape(text string) (Shape, error) {
	nodes, ppn, ok := strings.Cut(text, "x")
	n, errN := strconv.Atoi(nodes)
	k, errK := strconv.Atoi(ppn)
	s := Shape{NP: n * k, Nodes: n, PPN: k}
	switch {
	case !ok || errN != nil || errK != nil || n < 1 || k < 1 || s.String() != text:
		return Shape{}, fmt.Errorf("%q is no shape NODESxPPN, such as 16x2: 16 nodes with 2 processes on each", text)
	case n > MaxProcesses || k > MaxProcesses || s.NP > MaxProcesses:
		return Shape{}, fmt.Errorf("%q is more than %d processes", text, MaxProcesses)
	}
	return s, nil
}

// Case is what is measured: one function at one message size in one shape.
type Case struct {
	Function string `json:"function"`
	Msize    int64  `json:"msize"` // bytes
	Shape    Shape  `json:"shape"`
	// Variant is how Function calls the collective: "@binomial", the library's own
	// algorithm; "nonblocking" and the other values of mockups.Call; "": as usual.
	Variant string `json:"variant,omitempty"`
}

// Test is one planned question: is Case slower than it may be?
type Test struct {
	Guideline string `json:"guideline"`
	Type      Type   `json:"type"`
	Function  string `json:"function"`
	Mockup    string `json:"mockup,omitempty"`
	Msize     int64  `json:"msize"` // bytes, where the call would be too slow
	Shape     Shape  `json:"shape"`
	Case      int    `json:"case"` // index into Plan.Cases
	// Others are indices into Plan.Cases: the mock-up for a pattern, the next
	// larger size for monotony, all smaller sizes (ascending) with
	// k = ⌈msize/m_i⌉ ≤ maxSplit for split.
	Others   []int `json:"others"`
	Tolerant bool  `json:"tolerant,omitempty"`
}

// maxSplit is the largest k of a split-robustness test (docs/dev/statistics.md: k calls of
// 1/k of the data).
const maxSplit = 1024

// Plan is everything that will be measured and tested, fixed before the start.
type Plan struct {
	Guidelines []Guideline `json:"guidelines"`
	Shapes     []Shape     `json:"shapes"`
	Datatype   string      `json:"datatype"`
	Op         string      `json:"op"` // resolved: never "auto"
	Root       int         `json:"root"`
	Cases      []Case      `json:"cases"`
	Tests      []Test      `json:"tests"`
	// Notes says what was left out, in sentences for people.
	Notes []string `json:"notes,omitempty"`
}

// CasesOf returns the indices into Cases of one shape, in Plan order.
func (p *Plan) CasesOf(s Shape) []int {
	var out []int
	for i, c := range p.Cases {
		if c.Shape == s {
			out = append(out, i)
		}
	}
	return out
}

// MockedUp maps the mock-ups of the patterns of the Plan to their collectives. A collective
// that another is compared with is not among them.
func (p *Plan) MockedUp() map[string]string {
	of := map[string]string{}
	for _, t := range p.Tests {
		if t.Type == Pattern && !strings.HasPrefix(t.Mockup, "MPI_") {
			of[t.Mockup] = t.Function
		}
	}
	return of
}
