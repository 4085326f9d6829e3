package main

import (
	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/tuning"
)

// These types hold what benches read of the documents of features. They name no feature, so that each
// can be deleted (docs/results-format.md has the fields).

type overlaps struct {
	Cases []struct {
		None hidden `json:"none"`
		Best hidden `json:"best"`
	} `json:"cases"`
}

type hidden struct {
	Overlap struct {
		Median *float64 `json:"median"`
	} `json:"overlap"`
}

type exploration struct {
	Itself struct {
		False int `json:"false"`
		Tests int `json:"tests"`
	} `json:"itself"`
	Cells []explored `json:"cells"`
}

type explored struct {
	medians.Cell
	Word string `json:"word"`
	Own  *struct {
		Function string `json:"function"`
		analyze.Tested
	} `json:"own"`
}

type bisection struct {
	Cells    []any    `json:"cells"`
	Steps    []any    `json:"steps"`
	FirstBad []string `json:"first_bad"`
}

type remedied struct {
	Folder  string     `json:"folder"`
	Cells   []mendable `json:"cells"`
	Proofs  []any      `json:"proofs"`
	Effects []struct {
		Entry tuning.Entry `json:"entry"`
	} `json:"entries"`
}

// mendable is a violated cell, with how many times faster a setting makes it.
type mendable struct {
	medians.Cell
	State  string   `json:"state"`
	By     []string `json:"by"`
	Gain   *float64 `json:"gain"`
	GainLo *float64 `json:"gain_lo95"`
	GainHi *float64 `json:"gain_hi95"`
}

// Words of the documents.
const (
	ownAlgorithm = "own algorithm" // one of the library's own is faster
	onlyMockup   = "only mock-up"  // a mock-up is, none of these

	cellMended = "mended"
	cellFaster = "faster"
)
