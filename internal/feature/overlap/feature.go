// Package overlap tells how much of a nonblocking call computation hides (S-NETGAUGE §4.1, 4.2).
//
// Every mpirun times each nonblocking collective as post and Wait. It times them again with computation
// of the same length in between, with and without progress tests. This yields medians over the mpiruns,
// and two guidelines: that Wait takes no longer than tests in a row (NB5), and that MPI takes no more
// of the processor during computation than alone (NB7).
package overlap

import (
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/feature"
)

// Feature is `pgmpi overlap`.
var Feature = &feature.Feature{
	Sections:  []conf.Section{section},
	Kinds:     []*run.Experiment{experiment},
	Commands:  []feature.Command{{Group: "Data", Make: newCommand}},
	Documents: []document.Forms{kind},
}
