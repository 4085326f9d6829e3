package analyze

import "pgmpi/analyze/medians"

// GateState is what a test of a night is, held against the baselines.
type GateState string

const (
	New        GateState = "new"         // violated now and in the confirmation; tested and not violated in the baselines
	Worse      GateState = "worse"       // violated in both, by clearly more now
	Known      GateState = "known"       // violated in both
	Expected   GateState = "expected"    // violated, and an expectation names it
	Expired    GateState = "expired"     // violated, and the date of its expectation has passed
	Xpass      GateState = "xpass"       // expected, and kept
	Gone       GateState = "gone"        // violated in the baseline, kept now
	FirstShown GateState = "shown_first" // violated, and no baseline has tested it
	Unsure     GateState = "unsure"      // might have changed, and cannot be told
	Lost       GateState = "lost"        // judged in the baseline, and not measured now
)

// Gate is how a night stands against its baselines.
type Gate struct {
	Baselines []Baseline        `json:"baselines"`
	FailOn    string            `json:"fail_on"` // new, sure (or firm), violated, times
	Strict    bool              `json:"strict"`
	Alarms    int               `json:"alarms"`           // what makes the night red
	Slower    []SlowerCase      `json:"slower,omitempty"` // with fail_on times: these are alarms, too
	ByState   map[GateState]int `json:"tests_by_state"`
	// NotJudged are the shapes on which the machine was in a state that no baseline has.
	NotJudged []string `json:"not_judged,omitempty"`
	MustJudge bool     `json:"must_judge,omitempty"`  // then the check exits with 4
	First     bool     `json:"first_night,omitempty"` // there is no night before this one
	Notes     []string `json:"notes"`                 // what could not be compared, expectations that match nothing
}

// SlowerCase is a case that became slower than in every baseline; the numbers are
// against the oldest of them.
type SlowerCase struct {
	medians.Cell
	BeforeS  *float64 `json:"before_s"` // median of run medians, seconds
	NowS     *float64 `json:"now_s"`
	Ratio    *float64 `json:"ratio"`
	Baseline string   `json:"baseline"`
}

// Baseline is a check that a night is held against.
type Baseline struct {
	Folder  string `json:"folder"`
	Created string `json:"created,omitempty"` // RFC 3339
	Library string `json:"library"`
}

type Gated struct {
	State       GateState `json:"state"`
	Alarm       bool      `json:"alarm"`
	StateReason string    `json:"state_reason,omitempty"`      // a sentence
	Ticket      string    `json:"ticket,omitempty" column:"-"` // of the expectation
}

type Origin struct {
	Created    string            `json:"created,omitempty"`      // RFC 3339; when the folder was made
	Finished   string            `json:"finished,omitempty"`     // when the last mpirun ended
	Host       string            `json:"host,omitempty"`         // of pgmpi
	Nodes      []string          `json:"nodes,omitempty"`        // that ranks ran on
	Kernel     string            `json:"kernel,omitempty"`       // of the nodes; where they are not known, of Host
	Command    []string          `json:"command,omitempty"`      // that made the folder
	Folder     string            `json:"folder,omitempty"`       // its name, without the path
	Label      map[string]string `json:"label,omitempty"`        // of --label
	GLTomlHash string            `json:"gl_toml_hash,omitempty"` // empty: the defaults
	RankHash   string            `json:"rank_hash,omitempty"`    // of the rank program
	WallClockS float64           `json:"wall_clock_s,omitempty"` // from Created to Finished
}
