// Package which finds which of its own algorithms an MPI library takes. It answers for each collective, size and
// shape.
//
// Messages tell Open MPI's algorithms: a plain call sends the same, between the same processes, as a call that is
// made to take one algorithm. MPICH's are read from its selection tree, and where messages can be counted, these
// must agree with it. Nothing is timed. Out comes which.json, whose type, chosen.Which, is the core's: reports and
// comparisons show its rows.
package which

import (
	"pgmpi/internal/document"
	"pgmpi/internal/feature"
)

// Feature has `pgmpi which`.
var Feature = &feature.Feature{
	Commands:  []feature.Command{{Group: "Mend", Before: "lint", Make: newCommand}},
	Documents: []document.Forms{kind},
}
