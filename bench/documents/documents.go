// Package documents has what benches read of the documents of features. It names no feature, so that each can be
// deleted (docs/results-format.md has the fields).
package documents

import (
	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/tuning"
)

type Overlaps struct {
	Cases []struct {
		None Hidden `json:"none"`
		Best Hidden `json:"best"`
	} `json:"cases"`
}

type Hidden struct {
	Overlap struct {
		Median *float64 `json:"median"`
	} `json:"overlap"`
}

type Exploration struct {
	Itself struct {
		False int `json:"false"`
		Tests int `json:"tests"`
	} `json:"itself"`
	Cells []Explored `json:"cells"`
}

type Explored struct {
	medians.Cell
	Word string `json:"word"`
	Own  *struct {
		Function string `json:"function"`
		analyze.Tested
	} `json:"own"`
}

type Bisection struct {
	Cells    []any    `json:"cells"`
	Steps    []any    `json:"steps"`
	FirstBad []string `json:"first_bad"`
}

type Remedied struct {
	Folder  string     `json:"folder"`
	Cells   []Mendable `json:"cells"`
	Proofs  []any      `json:"proofs"`
	Effects []struct {
		Entry tuning.Entry `json:"entry"`
	} `json:"entries"`
}

// Mendable is a violated cell, with how many times faster a setting makes it.
type Mendable struct {
	medians.Cell
	State  string   `json:"state"`
	By     []string `json:"by"`
	Gain   *float64 `json:"gain"`
	GainLo *float64 `json:"gain_lo95"`
	GainHi *float64 `json:"gain_hi95"`
}

// Words of the documents.
const (
	OwnAlgorithm = "own algorithm" // one of the library's own is faster
	OnlyMockup   = "only mock-up"  // a mock-up is, none of these

	CellMended = "mended"
	CellFaster = "faster"
)
