package explore

import (
	"cmp"
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/lists"
	"pgmpi/internal/reading"
	"pgmpi/internal/stats"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// data belong to an exploration. Its tests are patterns: a collective against itself once more, against
// its own algorithms and its mock-ups.
type data struct {
	m   *results.Manifest
	set *medians.Set
	cfg judge.Config
}

// planTests chooses, by the mpiruns of stage 2, what other mpiruns test. For every collective and size
// these are the fastest of the library's own algorithms, mock-ups and textbook algorithms, where the default is
// slower by min_slowdown or more; and there the default against itself. Data that choose never test. r
// mpiruns test, or for 0 as many as suit the number of candidates. It is nil without candidates.
func planTests(m *results.Manifest, set *medians.Set, cfg judge.Config, r int) *results.FollowUps {
	x := &data{m, set, cfg}
	plan, candidates := &results.FollowUps{}, 0
	for _, tests := range x.cells() {
		var chosen []int
		for _, c := range x.fastest(tests) {
			if c != nil && c.Ratio != nil && *c.Ratio >= cfg.MinSlowdown {
				chosen = append(chosen, c.test)
				candidates++
			}
		}
		itself := lists.First(tests, func(i int) bool { return isItself(m.Plan.Tests[i].Mockup) })
		if itself != nil && len(chosen) > 0 {
			chosen = append(chosen, *itself)
		}
		for _, i := range chosen {
			c, _ := analyze.Compare(&m.Plan, i, m.Plan.Tests[i].Msize)
			plan.Comparisons = append(plan.Comparisons, c)
		}
	}
	if candidates == 0 {
		return nil
	}
	if plan.R = r; r == 0 {
		plan.R = testsFor(cfg.Alpha, candidates)
	}
	return plan
}

// candidatesOf counts the candidates that a plan tests: the family of the adjustment.
func candidatesOf(m *results.Manifest, plan *results.FollowUps) int {
	return lists.Count(plan.Comparisons, func(f results.Comparison) bool { return !isItself(m.Plan.Tests[f.Test].Mockup) })
}

// leastTesting is the number of mpiruns that test at least, unless another number is asked for.
const leastTesting = 10

func testsFor(alpha float64, candidates int) int {
	return max(leastTesting, judge.Pairing(alpha, candidates))
}

// cells groups the tests by collective, size and shape, in the Plan's order.
func (x *data) cells() (out [][]int) {
	byDefault := func(test int) int { return x.m.Plan.Tests[test].Case }
	var patterns []int
	for i, t := range x.m.Plan.Tests {
		if t.Type == guidelines.Pattern && mockups.Variant(t.Function) == "" && len(t.Others) > 0 {
			patterns = append(patterns, i)
		}
	}
	out = analyze.Grouped(patterns, byDefault)
	slices.SortStableFunc(out, func(a, b []int) int { return cmp.Compare(byDefault(a[0]), byDefault(b[0])) })
	return out
}

func isItself(function string) bool { return mockups.Variant(function) == "@"+mockups.DefaultAlgorithm }

// unknownOwn is the Reason of a cell whose collective was compared with mock-ups alone.
const unknownOwn = "its own algorithms are not known for this version of the library"

// isOwn tells whether a test is about one of the library's own algorithms.
func (x *data) isOwn(test int) bool {
	other := x.m.Plan.Tests[test].Mockup
	return mockups.Algorithm(other) != "" && !isItself(other)
}

// What a candidate may be, in the order of how little it takes to use one.
const (
	ownKind      = iota // one of the library's own algorithms
	mockupKind          // other collectives of the library
	textbookKind        // messages alone
	kinds
)

// fastest returns the fastest candidate of each kind in a cell of stage 2. It compares
// median ratios within mpiruns, and returns nil where none has times.
func (x *data) fastest(tests []int) (best [kinds]*Candidate) {
	for _, i := range tests {
		c, kind := x.candidate(i)
		if b := best[kind]; c.Ratio != nil && !isItself(c.Function) && (b == nil || *c.Ratio > *b.Ratio) {
			best[kind] = c
		}
	}
	return best
}

// candidate describes the other side of a test by stage 2.
func (x *data) candidate(test int) (c *Candidate, kind int) {
	t := x.m.Plan.Tests[test]
	orig, other := &x.set.Cases[t.Case], &x.set.Cases[t.Others[0]]
	if f, _ := mockups.Get(t.Mockup); f.Textbook != "" {
		kind = textbookKind
	} else if mockups.Algorithm(t.Mockup) == "" {
		kind = mockupKind
	}
	return &Candidate{Function: t.Mockup, DefaultS: analyze.Seconds(orig.Median()), MedianS: analyze.Seconds(other.Median()), Tested: analyze.Tested{Effect: analyze.Effect{Ratio: medianRatio(orig, other)}}, test: test}, kind
}

// candidates returns the planned ones, whatever is fastest by the data and the configuration of today;
// for a kind without any, the fastest.
func (x *data) candidates(tests []int) [kinds]*Candidate {
	best := x.fastest(tests)
	for _, f := range x.m.Following(protocol.ModeExplore) {
		if c, kind := x.candidate(f.Test); slices.Contains(tests, f.Test) && !isItself(c.Function) {
			best[kind] = c
		}
	}
	return best
}

func medianRatio(slow, fast *medians.Case) *float64 {
	if slow.Status != protocol.StatusOK || fast.Status != protocol.StatusOK {
		return nil
	}
	var ratios []float64
	for run, ns := range slow.Medians {
		if r := ns / fast.Medians[run]; !math.IsNaN(r) && !math.IsInf(r, 0) {
			ratios = append(ratios, r)
		}
	}
	return analyze.Number(stats.MedianFinite(ratios))
}

func Judge(m *results.Manifest, set *medians.Set, cfg judge.Config) (*Exploration, error) {
	if err := analyze.CheckManifest(m); err != nil {
		return nil, err
	}
	x := &data{m, set, cfg}
	e := &Exploration{Schema: Schema, Version: m.Version, Library: analyze.LibraryOf(m), Shapes: []analyze.Shape{}, Operation: analyze.OperationOf(&m.Plan), Origin: analyze.OriginOf(m),
		Select: m.Runs(protocol.ModeMeasure), Adjust: cfg.Adjust, Alpha: cfg.Alpha, MinSlowdown: cfg.MinSlowdown, Cells: []Cell{}, Count: map[Advice]int{}, Unused: x.unused()}
	for _, s := range m.Plan.Shapes {
		e.Shapes = append(e.Shapes, analyze.Shape{Name: s.String(), Shape: s})
	}
	outcomes, err := x.outcomes(e)
	if err != nil {
		return nil, err
	}
	takes, err := takesOf(m)
	if err != nil {
		return nil, err
	}
	for _, tests := range x.cells() {
		cell := x.cell(tests, outcomes)
		cell.take(takes)
		e.Count[cell.Word]++
		e.Cells = append(e.Cells, cell)
	}
	e.Exit = e.exitCode()
	return e, nil
}

// outcomes judges the candidates, and says in the Exploration how. The default against itself
// is a family of its own, two-sided.
func (x *data) outcomes(e *Exploration) (map[int]analyze.Answered, error) {
	out := map[int]analyze.Answered{}
	if x.m.FollowUps[protocol.ModeExplore] == nil {
		return out, nil
	}
	defaults := func(c results.Comparison) bool { return isItself(x.m.Plan.Tests[c.Test].Mockup) }
	itself := lists.Keep(x.m.Following(protocol.ModeExplore), defaults)
	candidates := slices.DeleteFunc(slices.Clone(x.m.Following(protocol.ModeExplore)), defaults)
	r := max(1, x.m.Runs(protocol.ModeExplore))
	follow := func(d *judge.Design, err error, list []results.Comparison) (*analyze.FollowedUp, error) {
		if err != nil {
			return nil, err
		}
		f, err := analyze.Follow(x.m, x.set, protocol.ModeExplore, d, list)
		if err == nil {
			for _, a := range f.Answers {
				out[a.Test] = a
			}
		}
		return f, err
	}
	d, err := judge.NewDesign(x.cfg, judge.Once(r), len(candidates))
	if _, err = follow(d, err, candidates); err != nil {
		return nil, err
	}
	e.R, e.Test, e.Adjust, e.M, e.PMin, e.Refused = d.R(), d.Test(d.Last()).Name, d.Adjust, d.M, d.PMin(d.Last()), d.Refused
	d, err = judge.NewComparison(x.cfg, judge.TwoSided, true, r, r, len(itself))
	f, err := follow(d, err, itself)
	if err != nil {
		return nil, err
	}
	var ratios []float64
	for _, o := range f.Outcomes {
		if o.Runs == 0 {
			continue
		}
		e.Itself.Tests++
		ratios = append(ratios, o.Ratio)
		if o.PAdjusted <= x.cfg.Alpha && max(o.Ratio, 1/o.Ratio) >= x.cfg.MinSlowdown {
			e.Itself.False++
		}
	}
	e.ItselfRatio = analyze.Number(stats.MedianFinite(ratios))
	return out, nil
}

func (x *data) cell(tests []int, outcomes map[int]analyze.Answered) Cell {
	t := x.m.Plan.Tests[tests[0]]
	c := Cell{Cell: medians.CellOf(x.m.Plan.Cases[t.Case]), NP: t.Shape.NP}
	whole := x.set.Worst(protocol.ModeExplore, t.Case)
	if c.DefaultS = analyze.Seconds(whole.Median()); c.DefaultS == nil {
		c.Word, c.Reason = NotExplored, cmp.Or(whole.Message, "it has no valid times")
		return c
	}
	best := x.candidates(tests)
	c.Own, c.Mockup, c.Textbook = best[ownKind], best[mockupKind], best[textbookKind]
	if !slices.ContainsFunc(tests, x.isOwn) {
		c.Reason = unknownOwn
	}
	var open [kinds]bool
	for kind, k := range best {
		if k == nil {
			continue
		}
		o, tested := outcomes[k.test]
		if !tested {
			if open[kind] = k.Ratio != nil && *k.Ratio >= x.cfg.MinSlowdown; open[kind] {
				c.Reason = cmp.Or(c.Reason, k.Function+": no mpirun was planned to test it")
			}
			continue
		}
		if o.Runs > 0 { // else the numbers stay the selection's
			k.Verdict, k.Tested, k.DefaultS, k.MedianS = o.Verdict, analyze.TestedBy(o.Outcome), o.WholeS, o.PartS
		}
		if k.Verdict == judge.Undecided || k.Verdict == "" {
			open[kind] = true
			c.Reason = cmp.Or(c.Reason, o.Problem)
		}
	}
	switch {
	case c.Own.Faster():
		c.Word = OwnAlgorithm
	case !open[ownKind] && c.Mockup.Faster():
		c.Word = OnlyMockup
	case !open[ownKind] && !open[mockupKind] && c.Textbook.Faster():
		c.Word = OnlyTextbook
	case slices.Contains(open[:], true):
		c.Word = NotDecided
	case c.Own.tested() || c.Mockup.tested() || c.Textbook.tested():
		c.Word = DefaultIsBest
	default:
		c.Word = NothingSeen
	}
	if c.Own.Faster() {
		library := tuning.LibraryOf(x.m.Rank.Library, x.m.Rank.LibVersion)
		c.unsafe = tuning.Unsafe(library, c.Function, mockups.Algorithm(c.Own.Function))
		c.Reason = cmp.Or(c.Reason, c.unsafe)
	}
	c.MendBy = c.mendBy()
	return c
}

// takesOf returns what the library takes by itself, as it was asked before the first mpirun.
func takesOf(m *results.Manifest) (map[medians.Cell][]string, error) {
	out := map[medians.Cell][]string{}
	if len(m.Config) == 0 { // another program has measured it
		return out, nil
	}
	f, err := reading.ConfigOf(m)
	if err != nil {
		return nil, err
	}
	for _, t := range glfile.Of(f, Section).Takes {
		out[t.Cell] = t.Algorithms
	}
	return out, nil
}

// take notes what the library takes. Where that is the algorithm that is faster, the way to it is what costs.
func (c *Cell) take(of map[medians.Cell][]string) {
	c.Takes = of[c.Cell]
	if c.Word == OwnAlgorithm && len(c.Takes) == 1 && c.Takes[0] == mockups.Algorithm(c.Own.Function) {
		c.Word = SameAlgorithm
	}
}

// unused lists the algorithms and mock-ups without times, each once for a shape and a
// reason.
func (x *data) unused() []Unused {
	out := []Unused{}
	for i, k := range x.m.Plan.Cases {
		c := x.set.Worst(protocol.ModeExplore, i)
		if c.Status == protocol.StatusOK {
			continue
		}
		fresh := Unused{Function: k.Function, Shape: k.Shape.String(), Status: string(c.Status), Message: c.Message}
		same := func(u Unused) bool {
			return u.Function == fresh.Function && u.Shape == fresh.Shape && u.Status == fresh.Status
		}
		lists.FirstOrNew(&out, same, fresh).Cases++
	}
	return out
}

// exitCode is 1 where one of the library's own algorithms beats its default, be it the same one. An own algorithm with
// wrong data is only named, since nobody gets it unasked; wrong data of anything else are a fault.
func (e *Exploration) exitCode() int {
	wrong := slices.ContainsFunc(e.Unused, func(u Unused) bool {
		return u.Status == string(protocol.StatusWrong) && mockups.Algorithm(u.Function) == ""
	})
	return analyze.ExitCode(wrong, e.Count[OwnAlgorithm]+e.Count[SameAlgorithm] > 0, e.NotJudged() != "")
}

// NotJudged returns why no cell could be judged, or "" if some could.
func (e *Exploration) NotJudged() string {
	switch n := len(e.Cells); {
	case e.Refused != nil:
		return e.Refused.Reason
	case e.Count[NotExplored] == n:
		return "nothing could be measured of " + conf.Plural(n, "cell")
	}
	return ""
}

const Schema = "pgmpi-explore/1"

// Advice is the answer for a collective at one size.
type Advice string

const (
	DefaultIsBest Advice = "default is best"        // what seemed faster is shown not to be
	NothingSeen   Advice = "nothing faster seen"    // by the mpiruns that choose; nothing was tested
	OwnAlgorithm  Advice = "own algorithm"          // one of the library's own is faster, tested
	SameAlgorithm Advice = "same algorithm by hand" // faster, tested, and the one that the library takes
	OnlyMockup    Advice = "only mock-up"           // none of the library's own is, a mock-up is, tested
	OnlyTextbook  Advice = "only textbook"          // nor a mock-up; a textbook algorithm is, tested
	NotDecided    Advice = "undecided"              // a candidate is neither shown to be faster nor not to be
	NotExplored   Advice = "not measured"           // the default has no valid times
)

// Advices are in the order of interest.
var Advices = []Advice{OwnAlgorithm, SameAlgorithm, OnlyMockup, OnlyTextbook, NotDecided, DefaultIsBest, NothingSeen, NotExplored}

// Exploration is explore.json: what the library's own algorithms, and mock-ups, gain
// over what it chooses by itself. Undefined numbers are null.
type Exploration struct {
	Schema  string          `json:"schema"`
	Version string          `json:"pgmpi_version"`
	Library analyze.Library `json:"library"`
	Shapes  []analyze.Shape `json:"shapes"`
	analyze.Operation
	analyze.Origin

	Select      int            `json:"select"` // mpiruns that chose the candidates
	R           int            `json:"r"`      // other mpiruns, which test them, or 0 without candidates
	Test        judge.TestName `json:"test"`   // what was used
	Adjust      judge.Adjust   `json:"adjust"`
	M           int            `json:"m"` // candidates: the family of the adjustment
	Alpha       float64        `json:"alpha"`
	MinSlowdown float64        `json:"min_slowdown"` // ratio from which the default is slower
	PMin        float64        `json:"p_min"`
	Refused     *judge.Refusal `json:"refused"` // null if R is large enough

	Cells []Cell         `json:"cells"` // in the Plan's order
	Count map[Advice]int `json:"cells_by_word"`
	// Itself is the default against itself, in the cells that have a candidate.
	// Tests of it are two-sided: a way to the library's own algorithms that is slower would
	// be a handicap for all candidates.
	Itself      ErrorRate `json:"itself"`
	ItselfRatio *float64  `json:"itself_ratio"` // median: how many times slower the default is; null without tests
	// Unused are the library's own algorithms that cannot be used here, and why.
	Unused []Unused `json:"unused"`
	Exit   int      `json:"exit_code"`
}

type Cell struct {
	medians.Cell
	NP       int        `json:"np"`
	Word     Advice     `json:"word"`
	Takes    []string   `json:"takes,omitempty"` // by itself, as far as that is known; several cannot be told apart
	DefaultS *float64   `json:"default_s"`       // seconds, as the library chooses, in the mpiruns that choose
	Own      *Candidate `json:"own"`             // the fastest own algorithm of the selection; null if none was timed
	Mockup   *Candidate `json:"mockup"`          // the same of the mock-ups
	Textbook *Candidate `json:"textbook"`        // and of the textbook algorithms
	MendBy   Mending    `json:"mend_by"`         // what mends it with least; "" where nothing is shown to be faster
	Reason   string     `json:"reason,omitempty"`
	unsafe   string     // why no setting of the library should take the algorithm of its own, or ""
}

// Mending is a way to a faster call.
type Mending string

const (
	BySetting Mending = "setting" // of the library: pgmpi remedy
	ByApply   Mending = "apply"   // a program's call is replaced: pgmpi apply
	ByReport  Mending = "report"  // neither can: the library's developers, or whoever writes the program
)

// mendBy returns what mends a cell with least. A mock-up that pgmpi apply can put into a program comes before a
// faster textbook algorithm that it cannot.
func (c *Cell) mendBy() Mending {
	can := func(k *Candidate) bool { return k.Faster() && mockups.Applies(k.Function) }
	switch c.Word {
	case OwnAlgorithm, SameAlgorithm, OnlyMockup, OnlyTextbook:
		if c.Own.Faster() && c.unsafe == "" {
			return BySetting
		}
		if can(c.Mockup) || can(c.Textbook) {
			return ByApply
		}
		return ByReport
	case DefaultIsBest, NothingSeen, NotDecided, NotExplored:
	}
	return ""
}

// Candidate may be faster than the default. Its numbers come from the mpiruns that test it; of an
// untested one from the selection, without a p-value.
type Candidate struct {
	Function string   `json:"function"`
	MedianS  *float64 `json:"median_s"`
	DefaultS *float64 `json:"default_s"` // seconds, in the same mpiruns
	analyze.Tested
	Verdict judge.Verdict `json:"verdict,omitempty"` // that the default is not slower, or "" if not tested
	test    int
}

func (c *Candidate) Faster() bool { return c != nil && c.Verdict == judge.Violated }

// SelectionS returns the seconds by which the library's way to an algorithm is longer than the algorithm itself.
func (c *Candidate) SelectionS() *float64 {
	if c == nil || c.DefaultS == nil || c.MedianS == nil {
		return nil
	}
	return analyze.Number(*c.DefaultS - *c.MedianS)
}

func (c *Candidate) tested() bool { return c != nil && c.Verdict != "" }

// ErrorRate counts tests that must not find anything.
type ErrorRate struct {
	Tests int `json:"tests"`
	False int `json:"false"`
}

// Unused is one of the library's own algorithms that gave no times.
type Unused struct {
	Function string `json:"function"`
	Shape    string `json:"shape"`
	Status   string `json:"status"` // unavailable, wrong, hangs, crashes, not_measured
	Message  string `json:"message"`
	Cases    int    `json:"cases"` // sizes
}
