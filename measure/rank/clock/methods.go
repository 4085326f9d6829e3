//go:build cgo

package clock

import (
	"fmt"
	"time"

	"pgmpi/measure/clocks"
)

// clockMethods are the clock synchronisations by their names in gl.toml, but for
// "shared", which looks at the hosts first.
var clockMethods = map[string]clockMethod{
	"skampi": skampi, "netgauge": netgauge, "jk": jonesKoenig, "hca": hca, "hca2": hca2, "hca3": hca3,
}

// skampi measures the offset of every process from the reference, one after the
// other (S-REVISITED, Algorithms 7 and 8). It knows no drift.
func skampi(s *clockSync) error {
	return s.eachInTurn(s.answerOwn, func(ref int) error {
		e, err := s.askOffset(ref)
		s.model = clocks.Model{Offset: e.Ahead}
		return err
	})
}

// netgauge measures offsets in a tree and adds them up (S-NETGAUGE §3,
// S-REVISITED Algorithms 11 and 12). Each comes from the fastest exchange, which
// no later one of a hundred beats. It knows no drift.
func netgauge(s *clockSync) error {
	return s.learnInTree(s.answerOwn, func(ref int) (clocks.Model, error) {
		pings, err := s.ask(ref, mostExchanges, patience)
		if err != nil {
			return clocks.Model{}, err
		}
		return clocks.Model{Offset: clocks.Netgauge(pings).Ahead}, nil
	})
}

// jonesKoenig fits a line for every process, relative to the reference itself,
// which serves all of them in turn for every fit point (S-REVISITED, Algorithms
// 15 to 17). The line gives the intercept too.
func jonesKoenig(s *clockSync) error {
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
	s.model, err = s.askLine(s.team[0], median(rtt))
	return err
}

// hca learns linear models in a tree, and then the offset of every process from
// the reference itself, one after the other (S-REVISITED §4.4, Algorithms 2 to
// 4): log p long rounds and p − 1 short ones.
func hca(s *clockSync) error {
	if err := s.learnInTree(s.answerSlope, s.askSlope); err != nil {
		return err
	}
	return s.eachInTurn(s.answerOwn, func(ref int) (err error) {
		s.model, err = s.askPinned(ref, s.model)
		return err
	})
}

// hca2 learns offsets in the tree too (hierarchical_intercepts of Algorithm 2).
func hca2(s *clockSync) error {
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
func (s *clockSync) askSlope(ref int) (clocks.Model, error) {
	rtt, err := s.askRTT(ref)
	if err != nil {
		return clocks.Model{}, err
	}
	return s.askLine(ref, median(rtt))
}

func (s *clockSync) answerSlope(client int) error {
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
func hca3(s *clockSync) error {
	return s.pairs(downwards(len(s.team)),
		func(client int) error {
			s.rounds++
			if err := s.answerLine([]int{client}, s.model); err != nil {
				return err
			}
			return s.answer(client, s.model)
		},
		func(ref int) error {
			s.rounds++
			m, err := s.askLine(ref, func(p []clocks.Ping) clocks.Point { return clocks.SKaMPI(p).Point })
			if err != nil {
				return err
			}
			s.model, err = s.askPinned(ref, m)
			return err
		})
}

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
			differs = fmt.Errorf("its clock %q is %v ahead of rank %d's, though both are on one host; use measure.clock_sync = \"hca3\", or the clock monotonic",
				s.Info.Name, time.Duration(e.Ahead), ref)
		}
		return nil
	}
	if err := s.pairs(downwards(len(s.team)), answer, ask); err != nil {
		return err
	}
	return differs
}
