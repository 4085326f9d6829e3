//go:build cgo

package clock

import (
	"math/bits"
	"slices"

	"pgmpi/measure/clocks"
)

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

// pairs has every pair of every listed round deal with each other.
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
