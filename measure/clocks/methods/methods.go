package methods

import (
	"fmt"
	"time"

	"pgmpi/measure/clocks"
)

// By has the clock synchronisations by their names in gl.toml. It lacks "shared", which looks at the
// hosts first.
var By = map[string]Method{
	"skampi": skampi, "netgauge": netgauge, "jk": jonesKoenig, "hca": hca, "hca2": hca2, "hca3": hca3,
}

// skampi measures the offset of every process from the reference, one after the
// other (S-REVISITED, Algorithms 7 and 8). It knows no drift.
func skampi(s *Sync) error {
	return s.eachInTurn(s.answerOwn, func(ref int) error {
		e, err := s.askOffset(ref)
		s.Model = clocks.Model{Offset: e.Ahead}
		return err
	})
}

// netgauge measures offsets in a tree and adds them up (S-NETGAUGE §3,
// S-REVISITED Algorithms 11 and 12). Each comes from the fastest exchange, which
// no later one of a hundred beats. It knows no drift.
func netgauge(s *Sync) error {
	return s.learnInTree(s.answerOwn, func(ref int) (clocks.Model, error) {
		pings, err := s.ask(ref, mostExchanges, patience)
		if err != nil {
			return clocks.Model{}, err
		}
		return clocks.Model{Offset: clocks.Netgauge(pings).Ahead}, nil
	})
}

// jonesKoenig fits a line for every process, relative to the reference itself. The reference serves all
// of them in turn for every fit point (S-REVISITED, Algorithms 15 to 17). The line gives the intercept
// too.
func jonesKoenig(s *Sync) error {
	var rtt int64
	err := s.eachInTurn(s.answerOwn, func(ref int) (err error) {
		rtt, err = s.askRTT(ref)
		return err
	})
	if err != nil {
		return err
	}
	if s.me == 0 {
		return s.answerLine(s.team[1:], clocks.Model{})
	}
	s.Model, err = s.askLine(s.team[0], median(rtt))
	return err
}

// hca learns linear models in a tree, and then the offset of every process. It measures that against
// the reference itself, one process after the other (S-REVISITED §4.4, Algorithms 2 to 4): log p long
// rounds and p − 1 short ones.
func hca(s *Sync) error {
	if err := s.learnInTree(s.answerSlope, s.askSlope); err != nil {
		return err
	}
	return s.eachInTurn(s.answerOwn, func(ref int) (err error) {
		s.Model, err = s.askPinned(ref, s.Model)
		return err
	})
}

// hca2 learns offsets in the tree too (hierarchical_intercepts of Algorithm 2).
func hca2(s *Sync) error {
	return s.learnInTree(
		func(client int) error {
			if err := s.answerSlope(client); err != nil {
				return err
			}
			return s.answerOwn(client)
		},
		func(ref int) (clocks.Model, error) {
			m, err := s.askSlope(ref)
			if err != nil {
				return m, err
			}
			return s.askPinned(ref, m)
		})
}

// askSlope and answerSlope are Learn_Model_HCA of Algorithm 4.
func (s *Sync) askSlope(ref int) (clocks.Model, error) {
	rtt, err := s.askRTT(ref)
	if err != nil {
		return clocks.Model{}, err
	}
	return s.askLine(ref, median(rtt))
}

func (s *Sync) answerSlope(client int) error {
	if err := s.answerOwn(client); err != nil {
		return err
	}
	return s.answerLine([]int{client}, clocks.Model{})
}

// hca3 learns from the root down: a process answers with the global time that it
// knows already, so that a client fits its model relative to the root's clock at
// once and no models are merged. A fit point is SKaMPI's estimate, and the
// offset is measured again after the line. (S. Hunold, A. Carpen-Amarie:
// Hierarchical Clock Synchronization in MPI, IEEE CLUSTER 2018.)
func hca3(s *Sync) error {
	return s.pairs(downwards(len(s.team)),
		func(client int) error {
			s.Rounds++
			if err := s.answerLine([]int{client}, s.Model); err != nil {
				return err
			}
			return s.answer(client, s.Model)
		},
		func(ref int) error {
			s.Rounds++
			m, err := s.askLine(ref, func(p []clocks.Ping) clocks.Point { return clocks.SKaMPI(p).Point })
			if err != nil {
				return err
			}
			s.Model, err = s.askPinned(ref, m)
			return err
		})
}

// Shared gives every process of a host the model of the host's first one. It verifies that they read
// the same clock: no answer may carry a time before its question or after its arrival. So a difference
// that it misses is smaller than a round trip.
func Shared(s *Sync) error {
	const exchanges = 20
	var differs error
	answer := func(client int) error {
		s.Rounds++
		if err := s.give(client, s.Model); err != nil {
			return err
		}
		return s.answerOwn(client)
	}
	ask := func(ref int) (err error) {
		s.Rounds++
		if s.Model, err = s.Take(ref); err != nil {
			return err
		}
		pings, err := s.ask(ref, exchanges, 0)
		if err != nil {
			return err
		}
		if e := clocks.SKaMPI(pings); e.Ahead > e.Bound || -e.Ahead > e.Bound {
			differs = fmt.Errorf("its clock %q is %v ahead of rank %d's, though both are on one host; use measure.clock_sync = \"hca3\", or the clock monotonic",
				s.Clock, time.Duration(e.Ahead), ref)
		}
		return nil
	}
	if err := s.pairs(downwards(len(s.team)), answer, ask); err != nil {
		return err
	}
	return differs
}
