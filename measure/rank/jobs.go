//go:build cgo

package rank

import (
	"encoding/json"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/call"
)

// clocks finds out what the clocks are, and for every method what it costs and how far the
// global clocks are from rank 0's; or when ranks leave MPI_Barrier.
func (s *session) clocks(j *protocol.ClocksJob, caller *call.Caller) (*outcome, error) {
	s.setName("the list of clocks")
	o := &outcome{}
	var err error
	if o.end.Clocks, err = s.clock.List(); err != nil {
		return nil, err
	}
	if err := s.clock.Set(j.Clock); err != nil {
		return nil, err
	}
	o.end.Clock = &s.clock.Info
	// The first messages between two ranks make their connection; in turn and in a
	// tree these are all that are needed, so that no method pays for it.
	for _, method := range []string{"skampi", "netgauge"} {
		if err := s.clock.Synchronise(method); err != nil {
			return nil, err
		}
	}
	if j.Barriers > 0 {
		s.setName("MPI_Barrier")
		o.exits, o.end.Barriers, err = s.barrierExits(j, caller)
		return o, err
	}
	for i, method := range j.Methods {
		s.setName(method)
		if s.Rank == 0 {
			s.say("%s %d %d %s", protocol.LineProgress, i, len(j.Methods), method)
		}
		sync, err := s.clock.Examine(method, j, s.alive)
		if err != nil {
			return nil, err
		}
		o.syncs = append(o.syncs, sync)
	}
	return o, nil
}

// beforeCall names each conformance call before it is made: it may end the mpirun.
func (s *session) beforeCall(j *protocol.ConformanceJob) func(i, n int, c protocol.ConformanceCall) {
	return func(i, n int, c protocol.ConformanceCall) {
		s.alive()
		s.setName(c.Name())
		if s.Rank == 0 {
			name, _ := json.Marshal(c)
			s.say("%s %d %d %s", protocol.LineProgress, i, n, name)
			time.Sleep(time.Duration(j.PauseNS))
		}
	}
}
