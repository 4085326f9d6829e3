package series

import (
	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/remark"
)

const CompareSchema = "pgmpi-compare/1"

// Change says how a case, or a guideline at one size, changed from A to B.
type Change string

const (
	Slower         Change = "slower"          // significant, and by at least min_slowdown
	Faster         Change = "faster"          // the same in the other direction
	SlightlySlower Change = "slightly_slower" // significant, but smaller than min_slowdown or two clock ticks
	SlightlyFaster Change = "slightly_faster"
	NoDifference   Change = "~"            // nothing significant; not a proof that there is none
	NotCompared    Change = "not_compared" // a side lacks valid data; Reason says which
	LeftOut        Change = Change(judge.NotMeasured)
)

const (
	NewlyViolated Change = "newly_violated"  // violated in B, not in A; the ratios are apart as the gate asks
	NewlyKept     Change = "newly_kept"      // violated in A; kept or marginal in B
	NewlyShown    Change = "newly_shown"     // violated in B, with a ratio that may be the same in A
	NoLongerShown Change = "no_longer_shown" // violated in A; undecided, or not tested, in B
)

// ExitOn names the changes that make a Comparison exit with 1.
type ExitOn string

// Values of --fail-on for a comparison.
const (
	ExitOnBoth       ExitOn = "both"       // guidelines newly violated, and run-times unless the machine changed
	ExitOnGuidelines ExitOn = "guidelines" // guidelines newly violated only
	ExitOnTimes      ExitOn = "times"      // both, and run-times even where the machine changed
)

var ExitOns = []ExitOn{ExitOnBoth, ExitOnGuidelines, ExitOnTimes}

type CompareConfig struct {
	judge.Config // Alpha, Adjust and MinSlowdown hold for the run-times too; the rest for the guidelines
	Alternative  judge.Alternative
	// Paired tells that the i-th mpiruns of A and of B were neighbours in time. `pgmpi ab` makes
	// them so, and the signed-rank test may be used.
	Paired bool
	All    bool // mock-ups too, not only collectives
	// Only selects the cases that are compared, and so the family; nil selects all.
	Only func(medians.Cell) bool
	// Yardstick selects the cases, at least 20, that cannot have changed with what is compared: in
	// each pair, B is divided by what they have in common. If it is nil, each folder is divided by
	// its own general factors, which leaves what all mpiruns of a folder share by chance.
	Yardstick func(medians.Cell) bool
	// FailOn defaults to ExitOnBoth.
	FailOn ExitOn
	// Need is a ratio that every case has to be able to show, or 0.
	Need float64
	// AllRows also shows people the cases that have not changed.
	AllRows bool
}

// Comparison says what changed from A to B, as compare.json has it. Undefined numbers are null.
type Comparison struct {
	Schema  string                 `json:"schema"` // CompareSchema
	Version string                 `json:"pgmpi_version"`
	A       analyze.ComparedFolder `json:"a"`
	B       analyze.ComparedFolder `json:"b"`
	analyze.Operation

	Alternative judge.Alternative `json:"alternative"`  // of B against A: two-sided, less, greater
	Paired      bool              `json:"paired"`       // by the number of the mpirun
	Test        judge.TestName    `json:"test"`         // ranksum or cappedrank
	Adjust      judge.Adjust      `json:"adjust"`       // bh, holm, none
	M           int               `json:"m"`            // cases that are compared: the family of the adjustment
	Alpha       float64           `json:"alpha"`        // level of the family
	MinSlowdown float64           `json:"min_slowdown"` // ratio from which a significant change counts
	PMin        float64           `json:"p_min"`        // smallest p-value attainable
	ClockTickS  float64           `json:"clock_tick_s"` // seconds; the coarser of both
	FailOn      ExitOn            `json:"fail_on"`
	// CouldHaveSeen is the change that at least half of the cases could show, or null.
	CouldHaveSeen *float64 `json:"could_have_seen"`
	Need          float64  `json:"need,omitempty"` // that every case had to be able to show
	Blind         int      `json:"blind"`          // cases without a change that could not have shown Need
	Shift         *Shift   `json:"machine_shift"`  // null if nothing points to the machine
	AllRows       bool     `json:"-"`

	Cases       []CaseChange          `json:"cases"`      // in the order of A's Plan
	Functions   []FunctionChange      `json:"functions"`  // geometric means
	Guidelines  []GuidelineChange     `json:"guidelines"` // only those that changed
	Algorithms  []AlgorithmChange     `json:"algorithms"` // of the library, where both folders have a which.json
	Differences []Difference          `json:"differences"`
	OnlyA       int                   `json:"only_a"` // cases that only A has
	OnlyB       int                   `json:"only_b"`
	Wrong       []analyze.CaseMessage `json:"wrong"` // in either folder
	Refused     *judge.Refusal        `json:"refused"`
	Warnings    []remark.Remark       `json:"warnings"`
	Exit        int                   `json:"exit_code"` // ExitCode()
}

// CaseChange compares one case in both folders. Times are seconds. Each field is a column of compare.csv; new ones go
// to the end.
type CaseChange struct {
	medians.Cell
	NP        int      `json:"np"`
	AMedianS  *float64 `json:"a_median_s"` // median of run medians
	BMedianS  *float64 `json:"b_median_s"`
	AR        int      `json:"a_r"`      // run medians of A
	BR        int      `json:"b_r"`      // of B
	Ratio     *float64 `json:"ratio"`    // B/A, Hodges-Lehmann (docs/dev/statistics.md)
	RatioLo   *float64 `json:"ratio_lo"` // 95 % interval
	RatioHi   *float64 `json:"ratio_hi"`
	PValue    *float64 `json:"p_value"`    // of the alternative
	PAdjusted *float64 `json:"p_adjusted"` // over the family
	Stars     string   `json:"stars"`      // by p_adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001
	Change    Change   `json:"change"`
	Reason    string   `json:"reason,omitempty"` // why it was not compared
	// CouldHaveSeen is the least visible change as a ratio above 1, or null. The case's data would have
	// shown it with a chance of 80 %.
	CouldHaveSeen *float64 `json:"could_have_seen"`
}

// FunctionChange sums a function up over the sizes that were compared.
type FunctionChange struct {
	Function string   `json:"function"`
	Shape    string   `json:"shape"`
	Sizes    int      `json:"sizes"`
	Ratio    *float64 `json:"ratio"` // geometric mean of the ratios B/A
	Slower   int      `json:"slower"`
	Faster   int      `json:"faster"`
	logs     float64  // the sum from which Ratio is made
}

// GuidelineChange names a planned test of both folders whose verdict changed.
type GuidelineChange struct {
	Change   Change        `json:"change"`
	Asked                  // MsizeOther is of the folder where it is violated
	AVerdict judge.Verdict `json:"a_verdict"`
	BVerdict judge.Verdict `json:"b_verdict"`
	ARatio   *float64      `json:"a_ratio"` // of the call to its other side
	BRatio   *float64      `json:"b_ratio"`
}

// AlgorithmChange names a call for which the library takes another of its algorithms in B.
type AlgorithmChange struct {
	medians.Cell
	A string `json:"a"`
	B string `json:"b"`
}

// Difference names a factor that is not the same in both folders.
type Difference struct {
	Factor string `json:"factor"`
	A      string `json:"a"`
	B      string `json:"b"`
}
