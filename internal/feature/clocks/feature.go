// Package clocks examines clocks and their synchronisation on a machine.
//
// It starts an mpirun for each number of processes and each shape. In come the methods to try, or a number of
// barriers; out come how far the global clocks of the ranks are apart after each method, and what it costs
// (S-REVISITED, Fig. 8), or when each rank leaves MPI_Barrier (Fig. 10). Nothing is written to disk. The methods
// themselves are measure/clocks/methods'.
package clocks

import (
	"pgmpi/internal/document"
	"pgmpi/internal/feature"
)

// Feature is `pgmpi clocks`.
var Feature = &feature.Feature{
	Commands:  []feature.Command{{Group: "Trust", Make: newCommand}},
	Documents: []document.Forms{methodLists, barrierLists},
}
