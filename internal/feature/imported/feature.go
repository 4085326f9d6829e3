// Package imported judges what other benchmarks have measured, by `pgmpi analyze --from`.
//
// In come files of other benchmarks, which package readers reads; out come results folders
// of kind imported, one for each job, judged as checks are. Too few mpiruns for a verdict, or means, get none. The
// package starts nothing.
package imported

import (
	"pgmpi/internal/command"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/feature"
)

// Feature is `pgmpi analyze --from`.
var Feature = &feature.Feature{
	Kinds:   []*run.Experiment{experiment},
	Extends: []command.Extension{{Of: "analyze", Add: extend}},
}
