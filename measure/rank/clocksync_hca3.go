//go:build cgo

package rank

import "pgmpi/measure/clocks"

func init() { clockMethods["hca3"] = hca3 }

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
			e, err := s.askOffset(ref)
			s.model = m.Pinned(e.At, e.Ahead)
			return err
		})
}
