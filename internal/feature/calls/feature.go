// Package calls shows the run-times of single calls: quartiles of each, and all samples of one.
//
// In come mpiruns of a results folder, or of one case that is measured for it; out come tables of run-times, and
// fingerprints (MPI-MiBFi, S-THESIS §4.7) with the values of counters and the times of each rank. Nothing gets a
// verdict.
package calls

import (
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/feature"
)

// Feature is `pgmpi times` and `pgmpi fingerprint`.
var Feature = &feature.Feature{
	Kinds:     []*run.Experiment{fingerprint},
	Commands:  []feature.Command{{Group: "Data", Make: timesCommand}, {Group: "Data", Make: fingerprintCommand}},
	Documents: []document.Forms{runTimes, fingerprints, quantileLists},
}
