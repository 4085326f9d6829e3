//go:build cgo

package rank

import "pgmpi/measure/clocks"

func init() {
	clockMethods["hca"] = hca
	clockMethods["hca2"] = hca2
}

// hca learns linear models in a tree, and then the offset of every process from
// the reference itself, one after the other (S-REVISITED §4.4, Algorithms 2 to
// 4): log p long rounds and p − 1 short ones.
func hca(s *clockSync) error {
	if err := s.learnInTree(s.answerSlope, s.askSlope); err != nil {
		return err
	}
	return s.eachInTurn(
		func(client int) error { return s.answer(client, clocks.Model{}) },
		func(ref int) error {
			e, err := s.askOffset(ref)
			s.model = s.model.Pinned(e.At, e.Ahead)
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
			return s.answer(client, clocks.Model{})
		},
		func(ref int) (clocks.Model, error) {
			m, err := s.askSlope(ref)
			if err != nil {
				return m, err
			}
			e, err := s.askOffset(ref)
			return m.Pinned(e.At, e.Ahead), err
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
	if err := s.answer(client, clocks.Model{}); err != nil {
		return err
	}
	return s.answerLine([]int{client}, clocks.Model{})
}
