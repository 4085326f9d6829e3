//go:build cgo

package rank

import (
	"encoding/json"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/conformance"
	"pgmpi/measure/rank/mpit"
)

// own are the kinds of work without cases that the core asks for.
var own = []Work{
	Alone(protocol.ListAlgorithms, func(m *Mpirun, j *protocol.AlgorithmsJob) (*protocol.AlgorithmsEnd, error) {
		return mpit.List(m.World, j)
	}),
	Alone(protocol.CallConformance, callConformance),
}

// callConformance names each conformance call before it is made: it may end the mpirun.
func callConformance(m *Mpirun, j *protocol.ConformanceJob) (*[]protocol.ConformanceCall, error) {
	defer m.Watch("no call came back for %v (measure.stall)")()
	made, err := conformance.Make(m.World, j, func(i, n int, c protocol.ConformanceCall) {
		text, _ := json.Marshal(c)
		m.Step(i, n, c.Name(), string(text))
		if i >= j.PauseFrom {
			time.Sleep(time.Duration(j.PauseNS))
		}
	})
	return &made, err
}
