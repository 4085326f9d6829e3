package guidelines

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"pgmpi/internal/lists"
	"pgmpi/mockups"
)

type Type string

const (
	Monotony Type = "monotony" // A(n) is not slower than A(n+k)
	Split    Type = "split"    // A(n) is not slower than k calls of A(n/k)
	Pattern  Type = "pattern"  // A(n) is not slower than its mock-up
)

type Guideline struct {
	ID       string  `json:"id"` // "GL8", or the user's
	Type     Type    `json:"type"`
	Function string  `json:"function"`           // the collective
	Mockup   string  `json:"mockup,omitempty"`   // pattern only
	Msizes   []int64 `json:"msizes"`             // bytes, ascending; where the guideline is checked
	Group    Group   `json:"group,omitempty"`    // selected as a whole; "" is the catalogue of blocking calls
	Tolerant bool    `json:"tolerant,omitempty"` // allows the call the price of a request beyond its mock-up (analyze.nb_tolerance)
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
		f, _ := mockups.Get(g.Function)
		left, tolerance := f.Formula, ""
		if g.Tolerant {
			tolerance = " + tolerance"
		}
		if m, ok := mockups.Get(g.Mockup); ok {
			return left + " ≤ " + m.Formula + tolerance
		}
		switch g.ID {
		case TextbookID:
			return left + " ≤ any textbook algorithm"
		case FewerID:
			return left + " ≤ " + left + " on fewer processes + messages"
		}
	}
	return a + "(n) ≤ " + g.Mockup
}

type Shape struct {
	NP    int `json:"np"`
	Nodes int `json:"nodes,omitempty"` // 0 if no nodes were given
	PPN   int `json:"ppn,omitempty"`   // processes per node
}

func (s Shape) String() string {
	if s.Nodes > 0 {
		return fmt.Sprintf("%dx%d", s.Nodes, s.PPN)
	}
	return fmt.Sprintf("p%d", s.NP)
}

func (s Shape) HasLanes() bool { return s.Nodes > 1 && s.PPN > 1 }

// MaxProcesses is more than any machine starts: above it is a typing error.
const MaxProcesses = 10_000_000

// ParseShape reads "16x2": nodes × processes per node.
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

// ShapeOf returns the shape of a name, "p4" or "16x2", on np processes.
func ShapeOf(name string, np int) Shape {
	if s, err := ParseShape(name); err == nil {
		return s
	}
	return Shape{NP: np}
}

type Case struct {
	Function string `json:"function"`
	Msize    int64  `json:"msize"` // bytes
	Shape    Shape  `json:"shape"`
	// Variant says how Function calls the collective: "@binomial" for the library's own
	// algorithm, a value of mockups.Call such as "nonblocking", or "" for the usual way.
	Variant string `json:"variant,omitempty"`
	// Elements are of a reduction that has others than the Plan's, "int/max", with a root that is not the Plan's:
	// "root=1", "int/max:root=1".
	Elements string `json:"elements,omitempty"`
}

type Test struct {
	Guideline string `json:"guideline"`
	Type      Type   `json:"type"`
	Function  string `json:"function"`
	Mockup    string `json:"mockup,omitempty"`
	Msize     int64  `json:"msize"` // bytes, where the call would be too slow
	Shape     Shape  `json:"shape"`
	Case      int    `json:"case"` // index into Plan.Cases
	// Others are indices into Plan.Cases: the mock-up for a pattern, all of a kind where OneOf, the next
	// larger size for monotony, smaller sizes (ascending) with
	// k = ⌈msize/m_i⌉ ≤ maxSplit for split, one for each power of two.
	Others   []int  `json:"others"`
	Tolerant bool   `json:"tolerant,omitempty"`
	Elements string `json:"elements,omitempty"` // of all its cases
}

// Apart tells whether medians suspect, and mpiruns of its own test.
func (t *Test) Apart() bool { return Apart(t.Type, t.Guideline, t.Function) }

// Apart tells the same of a guideline by its type and id, and by the function that it is about.
func Apart(t Type, id, function string) bool {
	return t == Split || OneOf(id) || IsMessage(function)
}

// IsMessage tells whether a function exchanges messages, in whatever way.
func IsMessage(function string) bool {
	f, _ := mockups.Get(function)
	return f.Message
}

// maxSplit is the largest k of a split-robustness test (docs/dev/statistics.md: k calls of
// 1/k of the data).
const maxSplit = 1024

// Plan lists everything that will be measured and tested. It is fixed before the start.
type Plan struct {
	Guidelines []Guideline `json:"guidelines"`
	Shapes     []Shape     `json:"shapes"`
	Datatype   string      `json:"datatype"`
	Op         string      `json:"op"` // of reductions, resolved: never "auto"
	Root       int         `json:"root"`
	Cases      []Case      `json:"cases"`
	Tests      []Test      `json:"tests"`
	Notes      []string    `json:"notes,omitempty"` // what was left out, for people
}

// Elements returns the datatype and the operator that a function is called with; no operator where
// it does not reduce.
func (p *Plan) Elements(function string) (datatype, op string) {
	return p.ElementsOf(Case{Function: function})
}

// ElementsOf returns the same of a case, which may have elements of its own.
func (p *Plan) ElementsOf(k Case) (datatype, op string) {
	f, _ := mockups.Get(k.Function)
	datatype, op = mockups.Kind(k.Elements, p.Datatype, p.Op)
	d, op := f.Elements(datatype, op)
	if !f.Reduces {
		op = ""
	}
	return cmp.Or(d.Name, datatype), op
}

// RootOf returns the root of a case, which may have one of its own.
func (p *Plan) RootOf(k Case) int { return mockups.RootOf(k.Elements, p.Root) }

// Sized returns the functions of cases with their sizes in elements.
func (p *Plan) Sized(cases []int) []mockups.Sized {
	return lists.Map(cases, func(i int) mockups.Sized {
		k := p.Cases[i]
		f, _ := mockups.Get(k.Function)
		datatype, _ := mockups.Kind(k.Elements, p.Datatype, p.Op)
		return mockups.Size(f, k.Msize, datatype)
	})
}

// Apart counts the send buffers that the reductions among cases need of their own.
func (p *Plan) Apart(cases []int) int {
	return mockups.Apart(p.Datatype, lists.Map(cases, func(i int) string { return p.Cases[i].Elements }))
}

func (p *Plan) CasesOf(s Shape) []int {
	var out []int
	for i, c := range p.Cases {
		if c.Shape == s {
			out = append(out, i)
		}
	}
	return out
}

// MockedUp maps the mock-ups of the Plan's patterns to their collectives. It leaves out
// collectives that others are compared with.
func (p *Plan) MockedUp() map[string]string {
	of := map[string]string{}
	for _, t := range p.Tests {
		its := []string{t.Mockup}
		if OneOf(t.Guideline) {
			its = AllOf(t.Guideline, t.Function, t.Shape.NP)
		}
		for _, id := range its {
			if t.Type == Pattern && !strings.HasPrefix(id, "MPI_") {
				of[id] = t.Function
			}
		}
	}
	return of
}
