package explore

import (
	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
)

const ExploreSchema = "pgmpi-explore/1"

// Advice is the answer for a collective at one size.
type Advice string

const (
	DefaultIsBest Advice = "default is best"     // what seemed faster is shown not to be
	NothingSeen   Advice = "nothing faster seen" // by the mpiruns that choose; nothing was tested
	OwnAlgorithm  Advice = "own algorithm"       // one of the library's own is faster, tested
	OnlyMockup    Advice = "only mock-up"        // none of the library's own is, a mock-up is, tested
	NotDecided    Advice = "undecided"           // a candidate is neither shown to be faster nor not to be
	NotExplored   Advice = "not measured"        // the default has no valid times
)

// Advices are in the order of interest.
var Advices = []Advice{OwnAlgorithm, OnlyMockup, NotDecided, DefaultIsBest, NothingSeen, NotExplored}

// Exploration is explore.json: what the library's own algorithms, and mock-ups, gain
// over what it chooses by itself. Undefined numbers are null.
type Exploration struct {
	Schema  string          `json:"schema"` // ExploreSchema
	Version string          `json:"pgmpi_version"`
	Library analyze.Library `json:"library"`
	Shapes  []analyze.Shape `json:"shapes"`
	analyze.Operation
	analyze.Origin

	Select      int            `json:"select"` // mpiruns that chose the candidates
	R           int            `json:"r"`      // other mpiruns, which test them; 0: there are no candidates
	Test        judge.TestName `json:"test"`   // what was used
	Adjust      judge.Adjust   `json:"adjust"`
	M           int            `json:"m"` // candidates: the family of the adjustment
	Alpha       float64        `json:"alpha"`
	MinSlowdown float64        `json:"min_slowdown"` // ratio from which the default is slower
	PMin        float64        `json:"p_min"`
	Refused     *judge.Refusal `json:"refused"` // null: R is large enough

	Cells []ExploreCell  `json:"cells"` // in the Plan's order
	Count map[Advice]int `json:"cells_by_word"`
	// Itself is the default against itself, in the cells that have a candidate.
	// Tests of it are two-sided: a way to the library's own algorithms that is slower would
	// be a handicap for all candidates.
	Itself      ErrorRate `json:"itself"`
	ItselfRatio *float64  `json:"itself_ratio"` // median of these tests: how many times slower the default is; null without tests
	// Unused are the library's own algorithms that cannot be used here, and why.
	Unused []Unused `json:"unused"`
	Exit   int      `json:"exit_code"`
}

type ExploreCell struct {
	medians.Cell
	NP       int        `json:"np"`
	Word     Advice     `json:"word"`
	DefaultS *float64   `json:"default_s"` // seconds, as the library chooses, in the mpiruns that choose
	Own      *Candidate `json:"own"`       // the fastest of the library's own in the selection; null if none could be timed
	Mockup   *Candidate `json:"mockup"`    // the same of the mock-ups
	Reason   string     `json:"reason,omitempty"`
}

// Candidate may be faster than the default. Its numbers come from the mpiruns that test it; of an
// untested one from the selection, without a p-value.
type Candidate struct {
	Function string   `json:"function"`
	MedianS  *float64 `json:"median_s"`
	DefaultS *float64 `json:"default_s"` // seconds, in the same mpiruns
	analyze.Tested
	Verdict judge.Verdict `json:"verdict,omitempty"` // of the guideline that the default is not slower; "": not tested
	test    int
}

// Faster tells whether the default is shown to be slower.
func (c *Candidate) Faster() bool { return c != nil && c.Verdict == judge.Violated }

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
