package measure

import "pgmpi/measure/protocol"

// Work is what the cases of an mpirun are called for, unless the core knows that by the mode.
type Work struct {
	Calls string // that it makes, in the plural, such as "overlapped calls"
	// Ask asks the ranks for it, and may change how the cases are called.
	Ask func(*protocol.CallsJob) (*protocol.Asked, error)
}
