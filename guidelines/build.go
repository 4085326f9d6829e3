package guidelines

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/mockups"
)

type Settings struct {
	Check    Config
	Users    []User
	Msizes   []string // as in gl.toml
	Datatype string
	Op       string // may be "auto"
	Root     int
	Shapes   []Shape
	// Measured has the sizes of every function, if the data exist already: guidelines are
	// checked at the sizes that both sides have.
	Measured map[string][]int64
}

// Build makes the Plan. The error joins everything that is wrong; if the caller
// has validated the sections, it can only be that no test is possible, that
// the root is not a rank of every shape, or that auto is two datatypes in one comparison.
func Build(s Settings) (*Plan, error) {
	sel, op, err := s.check()
	if err != nil {
		return nil, err
	}
	p := &Plan{Shapes: s.Shapes, Datatype: s.Datatype, Op: op, Root: s.Root, Notes: s.slips(sel)}
	if err := p.setGuidelines(s, sel); err != nil {
		return nil, err
	}
	var tests []pending
	p.Shapes = nil
	for _, shape := range s.Shapes {
		before := len(tests)
		for _, g := range p.Guidelines {
			if why := g.unfit(shape); why != "" {
				p.note(why)
				continue
			}
			for _, g := range sel.between(g, shape) {
				its := sel.tests(g, shape)
				if len(its) == 0 && len(sel.calls) == 0 {
					p.note(fmt.Sprintf("%s is not tested: its sizes allow no %s test", g.ID, g.Type))
				}
				tests = append(tests, its...)
			}
		}
		if len(tests) > before { // no mpirun without cases
			p.Shapes = append(p.Shapes, shape)
		}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("nothing to check: %s", p.nothing(s.Shapes[0]))
	}
	p.setTests(tests)
	p.noteElements()
	return p, nil
}

func (p *Plan) note(text string) {
	p.Notes = lists.With(p.Notes, text+".")
}

func (p *Plan) nothing(s Shape) string {
	if len(p.Guidelines) == 0 && len(p.Notes) > 0 {
		return strings.TrimSuffix(p.Notes[len(p.Notes)-1], ".")
	}
	if len(p.Guidelines) > 0 && !slices.ContainsFunc(p.Guidelines, func(g Guideline) bool { return g.unfit(s) == "" }) {
		return p.Guidelines[0].unfit(s)
	}
	return fmt.Sprintf("monotony and split-robustness need at least two sizes, split-robustness a ratio of at most %d", maxSplit)
}

func (g Guideline) unfit(s Shape) string {
	why := ""
	switch {
	case g.Group == Messages && s.NP == 1:
		return fmt.Sprintf("Messages are not tested on %s: one needs two processes", s)
	case g.Group == Fewer && s.NP == 1:
		why = "a message needs two processes"
	case g.Group != Lanes || s.HasLanes():
		return ""
	case s.Nodes == 0:
		why = "it divides the work among nodes, which only a shape such as 2x2 gives (job.shapes, --shape)"
	case s.Nodes == 1:
		why = "all its processes are on one node, and there is nothing to divide among nodes"
	default:
		why = "each node has one process, and there is nothing to divide on a node"
	}
	return fmt.Sprintf("%s is not tested on %s: %s", g.ID, s, why)
}

func (s Settings) check() (*selection, string, error) {
	op, errs := s.checkShapes()
	sel, wrong := s.Check.selection(s.Users)
	for _, f := range slices.Concat(wrong, ValidateUsers(s.Users, Extent(s.Datatype, ""))) {
		errs = append(errs, f)
	}
	return sel, op, errors.Join(errs...)
}

func (s Settings) checkShapes() (op string, errs []error) {
	if len(s.Shapes) == 0 {
		errs = append(errs, errors.New("no number of processes is given"))
	}
	for i, shape := range s.Shapes {
		if shape.NP < 1 {
			errs = append(errs, fmt.Errorf("%d is no number of processes", shape.NP))
		} else if s.Root < 0 || s.Root >= shape.NP {
			errs = append(errs, fmt.Errorf("root %d is no rank of %d processes", s.Root, shape.NP))
		}
		if slices.Contains(s.Shapes[:i], shape) {
			errs = append(errs, fmt.Errorf("shape %s is given twice", shape))
		}
	}
	op, wrong := ResolveOp(s.Datatype, s.Op)
	for _, f := range wrong {
		errs = append(errs, f)
	}
	return op, errs
}

func (p *Plan) setGuidelines(s Settings, sel *selection) error {
	extent := Extent(s.Datatype, "")
	msizes, leftOut, err := FitMsizes(s.Msizes, extent)
	if err != nil {
		return fmt.Errorf("msizes: %w", err)
	}
	p.noteLeftOut("", "sizes", leftOut, s.Datatype)
	p.settle(sel.calls)
	for _, g := range sel.guidelines() {
		its, prefix := sel.only(g, msizes, slices.Equal(MsizeList(s.Msizes), UsualMsizes())), ""
		if left, _ := p.Elements(g.Function); g.Type == Pattern && !OneOf(g.ID) { // whose mock-ups reduce as the collective does
			if right, _ := p.Elements(g.Mockup); left != right {
				return fmt.Errorf("guideline %s: datatype \"auto\" is %s for %s and %s for %s: choose a datatype (job.datatype)", g.ID, left, g.Function, right, g.Mockup)
			}
		}
		i := slices.IndexFunc(s.Users, func(u User) bool { return u.ID == g.ID })
		if i >= 0 && len(s.Users[i].Msizes) > 0 {
			prefix = "Guideline " + g.ID + ": "
			if its, leftOut, err = FitMsizes(s.Users[i].Msizes, extent); err != nil {
				return fmt.Errorf("guideline %s: msizes: %w", g.ID, err)
			}
			p.noteLeftOut(prefix, "sizes", leftOut, s.Datatype)
		}
		own := lists.Keep(its, func(size int64) bool {
			return slices.ContainsFunc(sel.calls[mockups.Collective(g.Function)], func(c called) bool { return c.bytes == size && c.ownElements() != "" })
		})
		g.Msizes = ascending(append(own, p.fitting(prefix, g.Function, lists.Keep(its, func(size int64) bool { return !slices.Contains(own, size) }))...))
		if !HasSize(g.Function) {
			g.Msizes = []int64{0}
		}
		if s.Measured != nil {
			g.Msizes = slices.DeleteFunc(slices.Clone(g.Msizes), func(size int64) bool {
				return !slices.Contains(s.Measured[g.Function], size) || g.Type == Pattern && !slices.Contains(s.Measured[g.Mockup], size)
			})
		}
		if len(g.Msizes) > 0 {
			p.Guidelines = append(p.Guidelines, g)
		}
	}
	return nil
}

// settle leaves out calls at sizes that the Plan's elements do not divide, if they have none of their own. Elements and
// roots that are the Plan's are not a call's own.
func (p *Plan) settle(calls map[string][]called) {
	for _, function := range slices.Sorted(maps.Keys(calls)) {
		datatype, op := p.Elements(function)
		var plain []int64
		for i, c := range calls[function] {
			elements, root := mockups.Own(c.elements)
			if elements == datatype+"/"+op {
				elements = ""
			}
			if root == p.Root {
				root = mockups.JobsRoot
			}
			c.elements = mockups.WithRoot(elements, root)
			if calls[function][i] = c; elements == "" {
				plain = append(plain, c.bytes)
			}
		}
		fit := p.fitting("", function, plain)
		calls[function] = lists.Keep(calls[function], func(c called) bool { return c.ownElements() != "" || slices.Contains(fit, c.bytes) })
	}
}

// noteElements says that tests have elements or a root of their own.
func (p *Plan) noteElements() {
	var own []string
	for _, t := range p.Tests {
		if t.Elements != "" {
			own = lists.With(own, t.Elements)
		}
	}
	slices.Sort(own)
	if len(own) > 0 {
		p.note("Some calls have elements or a root of their own, which their rows name: " + strings.Join(own, ", "))
	}
}

// fitting returns the sizes that a function can have: under auto, some have larger elements
// than the others.
func (p *Plan) fitting(prefix, function string, sizes []int64) (fit []int64) {
	var leftOut []int64
	f, _ := mockups.Get(function)
	d, _ := f.Elements(p.Datatype, p.Op)
	for _, size := range sizes {
		if size%d.Bytes == 0 {
			fit = append(fit, size)
		} else {
			leftOut = append(leftOut, size)
		}
	}
	of := "sizes of reductions"
	if f.Derived != "" {
		of = "sizes of blocks with gaps"
	}
	p.noteLeftOut(prefix, of, leftOut, d.Name)
	return fit
}

func (p *Plan) noteLeftOut(prefix, what string, sizes []int64, datatype string) {
	if len(sizes) == 0 {
		return
	}
	d, _ := mockups.GetDatatype(datatype)
	names := lists.Map(sizes, conf.FormatSize)
	p.note(fmt.Sprintf("%sleft out %s that are no multiple of the %d bytes of %s: %s", prefix, what, d.Bytes, d.Name, strings.Join(names, ", ")))
}

// pending is a test whose cases have no indices yet: first the case that would be too slow,
// then the others.
type pending struct {
	Test
	cases  []Case
	beside []Case // measured, but not compared
}

func testsOf(g Guideline, shape Shape, elements string) (tests []pending) {
	caseOf := func(function string, msize int64) Case {
		c := Case{Function: function, Msize: msize, Shape: shape, Variant: mockups.Variant(function)}
		if f, _ := mockups.Get(function); f.Reduces {
			c.Elements = elements
		} else {
			_, root := mockups.Own(elements)
			c.Elements = mockups.WithRoot("", root)
		}
		return c
	}
	for i, size := range g.Msizes {
		cases := []Case{caseOf(g.Function, size)}
		switch g.Type {
		case Monotony:
			if i+1 < len(g.Msizes) {
				cases = append(cases, caseOf(g.Function, g.Msizes[i+1]))
			}
		case Split:
			for _, part := range parts(g.Msizes[:i], size) {
				cases = append(cases, caseOf(g.Function, part))
			}
		case Pattern:
			others := []string{g.Mockup}
			if OneOf(g.ID) {
				others = AllOf(g.ID, g.Function, shape.NP)
			}
			for _, id := range others {
				cases = append(cases, caseOf(id, size))
			}
		}
		if len(cases) > 1 {
			beside := lists.Map(besides(g), func(id string) Case { return caseOf(id, size) })
			test := Test{Guideline: g.ID, Type: g.Type, Function: g.Function, Mockup: g.Mockup, Msize: size, Shape: shape, Tolerant: g.Tolerant, Elements: elements}
			tests = append(tests, pending{test, cases, beside})
		}
	}
	return tests
}

// parts chooses, of ascending smaller sizes, those that a split is compared with: for each power of two
// up to maxSplit the one that takes the most calls up to it. So tests grow with the number of sizes,
// and not with its square.
func parts(smaller []int64, size int64) (out []int64) {
	power := 0
	for _, part := range smaller {
		k := SplitFactor(size, part)
		if at := bits.Len64(uint64(k - 1)); k <= maxSplit && (len(out) == 0 || at != power) {
			out, power = append(out, part), at
		}
	}
	return out
}

// besides returns what is measured next to a test about a request's whole life. Both tell
// from how many uses on the request pays.
func besides(g Guideline) (ids []string) {
	m, _ := mockups.Get(g.Mockup)
	beside := map[mockups.Call][]mockups.Call{
		mockups.NonblockingTimes: {mockups.PersistentOnce, mockups.Nonblocking},
		mockups.PersistentOnce:   {mockups.Persistent},
	}
	for _, c := range beside[m.Call] {
		ids = append(ids, mockups.CallOf(m.Of, c))
	}
	return ids
}

// SplitFactor is k = ⌈size/small⌉, the number of calls on small bytes that replace one on size bytes.
func SplitFactor(size, small int64) int64 {
	return (size-1)/small + 1
}

// setTests orders the cases by shape, function and size, and sets the indices of the tests.
func (p *Plan) setTests(tests []pending) {
	index, position := map[Case]int{}, map[string]int{}
	for _, t := range tests {
		for _, c := range slices.Concat(t.cases, t.beside) {
			index[c] = 0
		}
	}
	for i, f := range mockups.All() {
		position[f.ID] = i
	}
	for c := range index { // the user's own mock-ups come last
		if f, ok := mockups.Get(c.Function); ok && f.User {
			position[c.Function] = len(mockups.All())
		}
	}
	p.Cases = slices.SortedFunc(maps.Keys(index), func(x, y Case) int {
		return cmp.Or(
			cmp.Compare(slices.Index(p.Shapes, x.Shape), slices.Index(p.Shapes, y.Shape)),
			cmp.Compare(position[mockups.Collective(x.Function)], position[mockups.Collective(y.Function)]),
			cmp.Compare(x.Variant, y.Variant),
			cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Elements, y.Elements),
			cmp.Compare(x.Msize, y.Msize))
	})
	for i, c := range p.Cases {
		index[c] = i
	}
	for _, t := range tests {
		t.Case = index[t.cases[0]]
		for _, c := range t.cases[1:] {
			t.Others = append(t.Others, index[c])
		}
		p.Tests = append(p.Tests, t.Test)
	}
}

// CasesOnly makes a Plan that tests nothing: every function at every size, in bytes, on all
// shapes.
func CasesOnly(s Settings, functions []string, sizes []int64) (*Plan, error) {
	op, errs := s.checkShapes()
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	p := &Plan{Shapes: s.Shapes, Datatype: s.Datatype, Op: op, Root: s.Root, Guidelines: []Guideline{}, Tests: []Test{}}
	for _, shape := range s.Shapes {
		for _, function := range functions {
			for _, size := range p.fitting("", function, sizes) {
				p.Cases = append(p.Cases, Case{Function: function, Msize: size, Shape: shape})
			}
		}
	}
	if len(p.Cases) == 0 {
		return nil, fmt.Errorf("nothing to measure: %s", strings.Join(p.Notes, " "))
	}
	return p, nil
}
