//go:build cgo

package rank

import "pgmpi/measure/protocol"

// clocks finds out what the clocks are, and for every method what it costs and how far the
// global clocks are from rank 0's.
func (s *session) clocks(j *protocol.ClocksJob) (*outcome, error) {
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
