package measure

import "pgmpi/measure/protocol"

// Work is what the cases of an mpirun are called for, unless the core knows that by the mode.
type Work struct {
	Calls string // that it makes, in the plural; a message about wrong data has them after "mpirun 3 of"
	// Ask asks the ranks for it, and may change how the cases are called.
	Ask func(*protocol.CallsJob) (*protocol.Asked, error)
}
