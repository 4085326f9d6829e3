package remedy

import (
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/tuning"
	"pgmpi/measure/results"
)

// Folder names the folder of a remedy in the folder of a check, and File marks it.
const Folder, File = "remedy", "remedy.json"

const Schema = "pgmpi-remedy/1"

// Result is remedy.json. It tells which violations a setting mends, how that was proved, and what was
// tried in vain. Undefined numbers are null.
type Result struct {
	Schema  string       `json:"schema"`
	Version string       `json:"pgmpi_version"`
	Created string       `json:"created"` // RFC 3339, UTC
	Library string       `json:"library"`
	Kind    results.Kind `json:"kind"`   // of that folder: check, or explore
	Host    string       `json:"host"`   // that starts the mpiruns of the proofs
	Check   string       `json:"check"`  // the results folder with the violations
	Folder  string       `json:"folder"` // of the setting

	Alpha       float64 `json:"alpha"`
	MinSlowdown float64 `json:"min_slowdown"` // a gain below this ratio is none
	Harm        float64 `json:"harm"`         // the same of a harm
	Mpiruns     int     `json:"mpiruns"`      // of the proof that holds, both sides together, or 0 if none does

	Cells       []Cell            `json:"cells"`   // those that the check calls violated, firm ones first
	Env         map[string]string `json:"env"`     // the setting; empty without one
	Files       []string          `json:"files"`   // that belong to it
	Effects     []effect.Effect   `json:"entries"` // what it chooses, and by what that is seen
	Rejected    []tuning.Rejected `json:"dropped"` // what was tried, and is not in the setting
	Trades      []Trade           `json:"trades"`  // what mends some calls and slows others; unset
	Proofs      []Proof           `json:"proofs"`  // in the order in which they were made
	Conformance int               `json:"legal"`   // conformance calls that were made under the setting
	Notes       []string          `json:"notes"`
	Exit        int               `json:"exit_code"`
}

type CellState string

// A proof ends with one of the first four. Cells that are faster or undecided go on being tried.
const (
	CellMended    CellState = "mended"         // faster, tested, and all its guidelines are shown to be kept
	CellFaster    CellState = "faster"         // faster, tested, but not shown to keep its guidelines
	CellUndecided CellState = "undecided"      // not shown to be faster
	CellNotAgain  CellState = "not seen again" // its guidelines are shown to be kept without the setting
	CellTakenBack CellState = "taken back"     // faster, tested, by what harms something else
	CellNotProved CellState = "not tried"      // there was nothing to try
)

// Settled tells whether nothing more is tried for a cell.
func (s CellState) Settled() bool { return s == CellMended || s == CellNotAgain }

var CellStates = []CellState{CellMended, CellFaster, CellTakenBack, CellUndecided, CellNotProved, CellNotAgain}

// Cell is a collective at a size that violates guidelines.
type Cell struct {
	medians.Cell
	NP         int      `json:"np"`
	Guidelines []string `json:"guidelines"` // that it violates in the check
	Firm       bool     `json:"firm"`       // one of them is firm
	Ratio      *float64 `json:"ratio"`      // the largest of them, in the check
	// SplitOf is the smaller size of which k calls were faster there, or 0 if none was.
	SplitOf    int64     `json:"-"`
	PageFaults *float64  `json:"page_faults"` // a call
	State      CellState `json:"state"`
	By         []string  `json:"by"`       // what was set for it
	BeforeS    *float64  `json:"before_s"` // seconds, in the proof; null without one
	AfterS     *float64  `json:"after_s"`
	Gain       *float64  `json:"gain"` // how many times faster (Hodges-Lehmann)
	GainLo     *float64  `json:"gain_lo95"`
	GainHi     *float64  `json:"gain_hi95"`
	PAdjusted  *float64  `json:"p_adjusted"`       // over the violated cells
	Mockup     string    `json:"mockup,omitempty"` // the fastest that the check measured
	// Gone tells that a mock-up was faster only where each side was repeated in a row.
	Gone bool `json:"gone_in_turns,omitempty"`
	// MockupRatio tells how many times slower than the mock-up the cell was there.
	MockupRatio float64 `json:"-"`
	// Explored tells what the exploration found of the library's own algorithms, or is "" without one.
	Explored string `json:"explored,omitempty"`
}

// Proof is one comparison of the library without and with a setting, in mpiruns of its own.
type Proof struct {
	Folder  string   `json:"folder"` // of `pgmpi ab`, within the remedy's folder
	Tried   []string `json:"tried"`
	Mpiruns int      `json:"mpiruns"` // of both sides together
	Cases   int      `json:"cases"`   // that were tested for harm
	Helped  int      `json:"helped"`  // violated cells that became faster
	Harms   []Harm   `json:"harms"`
	// Reached counts the cases that the setting can change, Harmless those in which harm is excluded:
	// the 95 % interval of the slowdown ends below Result.Harm. NotExcluded is where the intervals of
	// the others end at most; it is null without others, or if one has no end.
	Reached     int      `json:"reached"`
	Harmless    int      `json:"harmless"`
	NotExcluded *float64 `json:"harm_not_excluded"`
	// Control counts the cases that the setting cannot change. Noise is the largest slowdown that is shown among them;
	// what is slower by no more is no harm. It is null if none is slower.
	Control int      `json:"control"`
	Noise   *float64 `json:"control_slower"`
	Visible *float64 `json:"harm_visible"` // from this on it would have been seen in half of the cases
	// SetUp tells by how much an mpirun takes longer to set up with the setting, null if that is not shown.
	SetUp *series.SetUp `json:"set_up"`
	Holds bool          `json:"holds"` // nothing was taken back
	// Dropped counts the choices without which it holds: they reach no case of the others.
	Dropped int `json:"dropped,omitempty"`
}

// Holding returns the proof of the setting, or nil without one.
func (r *Result) Holding() *Proof {
	for _, p := range slices.Backward(r.Proofs) {
		if p.Holds {
			return &p
		}
	}
	return nil
}

// Trade is a choice that makes some cells faster and other cases slower, shown in one proof.
type Trade struct {
	Label  string            `json:"what"`
	Env    map[string]string `json:"env"`
	Folder string            `json:"folder"` // of its env.sh, within the remedy's folder
	Mends  []Traded          `json:"mends"`
	Harms  []Traded          `json:"harms"`
	SetUp  *series.SetUp     `json:"set_up"` // as in the proof; a component's, where others were tried with it
	choice tuning.Choice
}

// Traded is a case that a trade changes.
type Traded struct {
	medians.Cell
	NP    int      `json:"np"`
	Ratio *float64 `json:"ratio"` // how many times faster, or how many times slower
	Lo    *float64 `json:"ratio_lo95"`
	Hi    *float64 `json:"ratio_hi95"`
}

type Harm struct {
	medians.Cell
	Text string `json:"text"`
	// Mockup is the other side of a guideline that is newly violated.
	Mockup string `json:"-"`
}

// SettingTOML is the configuration of the check with the setting.
const SettingTOML = "gl.toml"
