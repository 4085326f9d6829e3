//go:build cgo

package rank

import (
	"fmt"
	"time"

	"pgmpi/measure/clocks"
)

// shared gives every process of a host the model of the host's first one. That
// they read the same clock is not believed but verified: no answer may carry a
// time before its question or after its arrival. So what is not found is
// smaller than a round trip.
func shared(s *clockSync) error {
	const exchanges = 20
	var differs error
	answer := func(client int) error {
		s.rounds++
		if err := give(s, client, s.model); err != nil {
			return err
		}
		return s.answerOwn(client)
	}
	ask := func(ref int) (err error) {
		s.rounds++
		if s.model, err = take[clocks.Model](s, ref); err != nil {
			return err
		}
		pings, err := s.ask(ref, exchanges, 0)
		if err != nil {
			return err
		}
		if e := clocks.SKaMPI(pings); e.Ahead > e.Bound || -e.Ahead > e.Bound {
			differs = fmt.Errorf("its clock %q is %v ahead of that of rank %d, though both are on one host; use measure.clock_sync = \"hca3\", or the clock monotonic",
				s.clock.Name, time.Duration(e.Ahead), ref)
		}
		return nil
	}
	if err := s.pairs(downwards(len(s.team)), answer, ask); err != nil {
		return err
	}
	return differs
}
