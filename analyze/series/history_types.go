package series

import "pgmpi/analyze"

const HistorySchema = "pgmpi-history/1"

// History is history.json: checks one after another, which are called nights.
type History struct {
	Schema  string    `json:"schema"` // HistorySchema
	Series  []Series  `json:"series"`
	Skipped []Skipped `json:"skipped"` // folders that could not be read
}

// Skipped is a folder or file that gave no night.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Series are the nights of one family of libraries on the same shapes with the same operation.
type Series struct {
	Library  string    `json:"library"` // family
	Shapes   []string  `json:"shapes"`
	Datatype string    `json:"datatype"`
	Op       string    `json:"op"`
	Root     int       `json:"root"`
	Nights   []Night   `json:"nights"`  // by time
	Changes  []Lasting `json:"changes"` // of ratios, that lasted
	Trends   []Trend   `json:"trends"`  // of the cells that were asked for
	Cells    []Trend   `json:"-"`       // all, in the order of the reports
}

type Night struct {
	Path string `json:"path"` // where its report was found
	analyze.Origin
	Version     string           `json:"pgmpi_version"`
	Library     analyze.Library  `json:"library"`
	R           int              `json:"r"`
	Tests       int              `json:"tests"` // checked
	Violated    int              `json:"violated"`
	Firm        int              `json:"firm"`
	Alarms      *int             `json:"alarms"` // of its gate, or null
	Gone        int              `json:"gone"`   // violated in the baseline, or where there is none in the night before, and kept now
	SlowMpiruns int              `json:"slow_mpiruns"`
	Probes      []analyze.Probes `json:"yardstick"`
	Exit        int              `json:"exit_code"`
	Changed     []Difference     `json:"changed"`       // against the night before: library, nodes, kernel, …
	Shift       *Shift           `json:"machine_shift"` // against the night before, or null
}

// Lasting is a change of a test's ratio that lasted three nights or more.
type Lasting struct {
	Asked
	Night int `json:"night"` // index into Nights: the first one that probably differs
	// LastBefore and FirstAfter are the nights between which it changed, with 95 %.
	LastBefore int     `json:"last_before"`
	FirstAfter int     `json:"first_after"`
	Before     float64 `json:"before"` // ratio; the median of the nights since the change before
	After      float64 `json:"after"`  // until the next change
}

type Trend struct {
	Asked
	Points []TrendPoint `json:"points"`
}

type TrendPoint struct {
	Night int `json:"night"` // index into Nights
	Answer
}
