//go:build cgo

package rank

import (
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/mpit"
)

// own are the kinds of work without cases that the core asks for.
var own = []Work{
	Alone(protocol.ListAlgorithms, func(m *Mpirun, j *protocol.AlgorithmsJob) (*protocol.AlgorithmsEnd, error) {
		return mpit.List(m.World, j)
	}),
}
