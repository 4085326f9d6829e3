package analyze

import (
	"encoding/json"

	"pgmpi/analyze/medians"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

// Measured is what the verdicts of a report were made from. A report that was read
// from report.json has none of it.
type Measured struct {
	Cases   []medians.CaseMedians // with a valid run median, in the Plan's order
	Mpiruns []MpirunFactors       // by shape
	Rank    protocol.RankInfo
	Factors host.Factors    // what could change the result
	Config  json.RawMessage // the settings
}

// MpirunFactors are how much slower each mpirun was in general than the others of its shape.
type MpirunFactors struct {
	Shape   string
	Factors []float64 // from mpirun 1; nil if not known
}

// RunMedians are all that the tests rest on.
func (a *Analysis) RunMedians() []medians.CaseMedians { return a.set.AllMedians() }
