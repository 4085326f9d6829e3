//go:build cgo

package clock

/*
#include "rank.h"
*/
import "C"

import (
	"math/bits"
	"slices"
	"time"
	"unsafe"

	"pgmpi/internal/stats"
	"pgmpi/measure/clocks"
	"pgmpi/measure/rank/mpi"
)

// How much is exchanged. The papers' 1000 fit points of 100 exchanges take the
// same second over a network; a line is as sure as the time that it spans is
// long, so few points are spread over it instead.
const (
	offsetExchanges = 100 // for an offset (S-REVISITED, Algorithm 7) and a round-trip time (Algorithm 17)
	patience        = 100 // N of S-NETGAUGE §3.1
	mostExchanges   = 100 * patience
	fitPoints       = 100
	fitExchanges    = 20                    // for one fit point
	fitEvery        = 10 * time.Millisecond // from one fit point to the next
)

// turn is what the reference gives to the process it will answer next. Until
// then that process sleeps, so that it does not disturb the others.
type turn byte

func give[T turn | clocks.Model](s *clockSync, to int, data T) error {
	s.messages++
	return mpi.Error("MPI_Send", C.pg_give(s.x, C.int(to), unsafe.Pointer(&data), C.int(unsafe.Sizeof(data))))
}

func take[T turn | clocks.Model](s *clockSync, from int) (data T, err error) {
	rc := C.pg_take(s.x, C.int(from), unsafe.Pointer(&data), C.int(unsafe.Sizeof(data)))
	return data, mpi.Error("MPI_Recv", rc)
}

// ask waits for this rank's turn and exchanges n messages with the reference;
// with patience fewer. The result is valid until the next call.
func (s *clockSync) ask(ref, n, patience int) ([]clocks.Ping, error) {
	if _, err := take[turn](s, ref); err != nil {
		return nil, err
	}
	s.pings = slices.Grow(s.pings[:0], n)[:n]
	var done C.int
	rc := C.pg_ask(s.x, s.time.now, C.int(ref), C.int(n), C.int(patience), (*C.pg_ping)(unsafe.Pointer(&s.pings[0])), &done)
	s.messages += 2 * int(done)
	return s.pings[:done], mpi.Error("exchange with the reference clock", rc)
}

// answer gives a rank its turn and answers with the global time that the model gives.
func (s *clockSync) answer(client int, m clocks.Model) error {
	if err := give(s, client, turn(1)); err != nil {
		return err
	}
	c := cModel(m)
	return mpi.Error("exchange with a client", C.pg_answer(s.x, s.time.now, &c, C.int(client)))
}

func (s *clockSync) answerOwn(client int) error { return s.answer(client, clocks.Model{}) }

// askOffset is the client's side of SKaMPI's offset (S-REVISITED, Algorithm 7).
func (s *clockSync) askOffset(ref int) (clocks.Estimate, error) {
	pings, err := s.ask(ref, offsetExchanges, 0)
	if err != nil {
		return clocks.Estimate{}, err
	}
	return clocks.SKaMPI(pings), nil
}

// askPinned lets a model pass through the offset that it measures.
func (s *clockSync) askPinned(ref int, m clocks.Model) (clocks.Model, error) {
	e, err := s.askOffset(ref)
	return m.Pinned(e.At, e.Ahead), err
}

// askRTT is the client's side of Algorithm 17 of S-REVISITED: the mean
// round-trip time, ns, without its outliers.
func (s *clockSync) askRTT(ref int) (int64, error) {
	pings, err := s.ask(ref, offsetExchanges, 0)
	if err != nil {
		return 0, err
	}
	rtts := make([]float64, len(pings))
	for i, p := range pings {
		rtts[i] = float64(p.RTT())
	}
	kept, _, err := stats.Tukey(rtts, stats.TukeyFactor)
	if err != nil {
		return 0, err
	}
	mean, _, err := stats.MeanSD(kept)
	return int64(mean), err
}

// askLine is the client's side of a linear model: fit points over a second, each
// from one estimate, and the line through them.
func (s *clockSync) askLine(ref int, estimate func([]clocks.Ping) clocks.Point) (clocks.Model, error) {
	points := make([]clocks.Point, fitPoints)
	for i := range points {
		pings, err := s.ask(ref, fitExchanges, 0)
		if err != nil {
			return clocks.Model{}, err
		}
		points[i] = estimate(pings)
	}
	return clocks.Fit(clocks.Quiet(points), points[len(points)-1].At)
}

// answerLine is the reference's side of askLine, for one or several clients.
func (s *clockSync) answerLine(clients []int, m clocks.Model) error {
	start := time.Now()
	for i := range fitPoints {
		time.Sleep(time.Until(start.Add(time.Duration(i) * fitEvery)))
		for _, c := range clients {
			if err := s.answer(c, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func median(rtt int64) func([]clocks.Ping) clocks.Point {
	return func(pings []clocks.Ping) clocks.Point { return clocks.JonesKoenig(pings, rtt) }
}

// eachInTurn lets every other rank of the team deal with the reference, one
// after the other: p − 1 dependent rounds.
func (s *clockSync) eachInTurn(answer func(client int) error, ask func(ref int) error) error {
	if s.me > 0 {
		s.rounds++
		return ask(s.team[0])
	}
	for _, c := range s.team[1:] {
		s.rounds++
		if err := answer(c); err != nil {
			return err
		}
	}
	return nil
}

// A tree pairs the processes of a team in ⌈log2 p⌉ rounds (S-NETGAUGE §3.2,
// S-REVISITED Algorithms 3 and 11). With 2^k the largest power of two up to p,
// round r of k pairs rank i, a multiple of 2^r, with the client i + 2^(r−1); one
// more round pairs the ranks from 2^k on with the clients' side of i − 2^k.

// partner returns who a process deals with in a round of a team of p, and
// whether as its client; ok is false when it has nothing to do. Round k + 1 is
// for the remaining ranks.
func partner(p, me, round int) (who int, client, ok bool) {
	k := bits.Len(uint(p)) - 1
	power := 1 << k
	switch step := 1 << (round - 1); {
	case round > k && me >= power:
		return me - power, true, true
	case round > k:
		return me + power, false, me+power < p
	case me >= power:
		return 0, false, false
	case me%(2*step) == 0:
		return me + step, false, true
	case me%(2*step) == step:
		return me - step, true, true
	}
	return 0, false, false
}

// upwards lists the rounds from the leaves to the root, and the remaining ranks
// last; downwards from the root to the leaves.
func upwards(p int) []int {
	rounds := make([]int, bits.Len(uint(p-1))) // ⌈log2 p⌉
	for i := range rounds {
		rounds[i] = i + 1
	}
	return rounds
}

func downwards(p int) []int {
	rounds := upwards(p)
	slices.Reverse(rounds[:bits.Len(uint(p))-1])
	return rounds
}

func (s *clockSync) pairs(rounds []int, answer func(client int) error, ask func(ref int) error) error {
	for _, r := range rounds {
		who, client, ok := partner(len(s.team), s.me, r)
		if !ok {
			continue
		}
		deal := answer
		if client {
			deal = ask
		}
		if err := deal(s.team[who]); err != nil {
			return err
		}
	}
	return nil
}

// learnInTree has every process learn its model relative to its partner, all
// pairs of a round at the same time, from the leaves to the root. The models are
// then merged on their way down: the same models as by Algorithm 3 of
// S-REVISITED, which collects them at the root first and scatters them.
func (s *clockSync) learnInTree(answer func(client int) error, ask func(ref int) (clocks.Model, error)) error {
	counted := func(client int) error { s.rounds++; return answer(client) }
	learn := func(ref int) (err error) {
		s.rounds++
		s.model, err = ask(ref)
		return err
	}
	if err := s.pairs(upwards(len(s.team)), counted, learn); err != nil {
		return err
	}
	give := func(client int) error { return give(s, client, s.model) }
	merge := func(ref int) error {
		outer, err := take[clocks.Model](s, ref)
		s.model = clocks.Merge(outer, s.model)
		return err
	}
	return s.pairs(downwards(len(s.team)), give, merge)
}
