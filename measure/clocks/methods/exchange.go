package methods

import (
	"math/bits"
	"slices"
	"time"

	"pgmpi/internal/stats"
	"pgmpi/measure/clocks"
)

// Peers are the other ranks, as one rank reaches them.
type Peers interface {
	// Turn tells a rank that it is answered next; Await waits for that. Until then the rank sleeps,
	// so that it does not disturb the others.
	Turn(to int) error
	Await(from int) error
	Give(to int, m clocks.Model) error
	Take(from int) (clocks.Model, error)
	// Ask exchanges messages with the reference while there is room for pings. It also ends when the
	// fastest of them is `patience` pings old, unless that is 0. It returns how many there are.
	Ask(ref int, pings []clocks.Ping, patience int) (done int, err error)
	// Answer answers a rank that asks with the global time that the model gives.
	Answer(client int, m clocks.Model) error
}

// Method finds the model of this rank's clock relative to the first of the team; all members call it.
type Method func(*Sync) error

// Sync is one synchronisation under way, as one rank of its team sees it.
type Sync struct {
	Peers
	Rank  int
	Clock string       // its name
	Model clocks.Model // of this rank's clock

	// Rounds counts the partners that this rank has had one after the other: at the reference the
	// number of dependent rounds. Messages counts those that it has sent and caused.
	Rounds, Messages int

	team  []int // ranks that take part, the reference first
	me    int   // index of this rank in team
	pings []clocks.Ping
}

// Among lets a team synchronise; ranks outside of it have nothing to do.
func (s *Sync) Among(team []int, do Method) error {
	s.team, s.me = team, slices.Index(team, s.Rank)
	if s.me < 0 || len(team) == 1 {
		return nil
	}
	return do(s)
}

// Offset measures how far this rank's clock is ahead of the reference's, as SKaMPI does.
func (s *Sync) Offset(team []int) (e clocks.Estimate, err error) {
	err = s.Among(team, func(s *Sync) error {
		return s.eachInTurn(s.answerOwn, func(ref int) (err error) {
			e, err = s.askOffset(ref)
			return err
		})
	})
	return e, err
}

// These numbers bound the exchanges. The papers' 1000 fit points of 100 exchanges take the
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

func (s *Sync) give(to int, m clocks.Model) error {
	s.Messages++
	return s.Give(to, m)
}

// ask waits for this rank's turn and exchanges n messages with the reference;
// with patience fewer. The result is valid until the next call.
func (s *Sync) ask(ref, n, patience int) ([]clocks.Ping, error) {
	if err := s.Await(ref); err != nil {
		return nil, err
	}
	s.pings = slices.Grow(s.pings[:0], n)[:n]
	done, err := s.Ask(ref, s.pings, patience)
	s.Messages += 2 * done
	return s.pings[:done], err
}

// answer gives a rank its turn and answers with the global time that the model gives.
func (s *Sync) answer(client int, m clocks.Model) error {
	s.Messages++
	if err := s.Turn(client); err != nil {
		return err
	}
	return s.Answer(client, m)
}

func (s *Sync) answerOwn(client int) error { return s.answer(client, clocks.Model{}) }

// askOffset is the client's side of SKaMPI's offset (S-REVISITED, Algorithm 7).
func (s *Sync) askOffset(ref int) (clocks.Estimate, error) {
	pings, err := s.ask(ref, offsetExchanges, 0)
	if err != nil {
		return clocks.Estimate{}, err
	}
	return clocks.SKaMPI(pings), nil
}

// askPinned lets a model pass through the offset that it measures.
func (s *Sync) askPinned(ref int, m clocks.Model) (clocks.Model, error) {
	e, err := s.askOffset(ref)
	return m.Pinned(e.At, e.Ahead), err
}

// askRTT is the client's side of Algorithm 17 of S-REVISITED: the mean
// round-trip time, ns, without its outliers.
func (s *Sync) askRTT(ref int) (int64, error) {
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
func (s *Sync) askLine(ref int, estimate func([]clocks.Ping) clocks.Point) (clocks.Model, error) {
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
func (s *Sync) answerLine(clients []int, m clocks.Model) error {
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
func (s *Sync) eachInTurn(answer func(client int) error, ask func(ref int) error) error {
	if s.me > 0 {
		s.Rounds++
		return ask(s.team[0])
	}
	for _, c := range s.team[1:] {
		s.Rounds++
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

// partner returns the rank that a process deals with in a round of a team of p. client tells whether it
// does so as a client; ok is false when it has nothing to do. Round k + 1 is for the remaining ranks.
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

func (s *Sync) pairs(rounds []int, answer func(client int) error, ask func(ref int) error) error {
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

// learnInTree has every process learn its model relative to its partner. All pairs of a round do so at
// the same time, from the leaves to the root. The models are then merged on their way down: the same
// models as by Algorithm 3 of S-REVISITED, which collects them at the root first and scatters them.
func (s *Sync) learnInTree(answer func(client int) error, ask func(ref int) (clocks.Model, error)) error {
	counted := func(client int) error { s.Rounds++; return answer(client) }
	learn := func(ref int) (err error) {
		s.Rounds++
		s.Model, err = ask(ref)
		return err
	}
	if err := s.pairs(upwards(len(s.team)), counted, learn); err != nil {
		return err
	}
	give := func(client int) error { return s.give(client, s.Model) }
	merge := func(ref int) error {
		outer, err := s.Take(ref)
		s.Model = clocks.Merge(outer, s.Model)
		return err
	}
	return s.pairs(downwards(len(s.team)), give, merge)
}
