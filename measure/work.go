package measure

import "pgmpi/measure/protocol"

// Work says why the cases of an mpirun are called, where the mode does not.
type Work struct {
	Calls string // that it makes, in the plural; a message about wrong data has them after "mpirun 3 of"
	// Ask asks the ranks for it, and may change how the cases are called.
	Ask func(*protocol.CallsJob) (*protocol.Asked, error)
}
