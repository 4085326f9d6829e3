//go:build cgo

package rank

import "pgmpi/measure/clocks"

func init() { clockMethods["skampi"] = skampi }

// skampi measures the offset of every process from the reference, one after the
// other (S-REVISITED, Algorithms 7 and 8). It knows no drift.
func skampi(s *clockSync) error {
	return s.eachInTurn(
		func(client int) error { return s.answer(client, clocks.Model{}) },
		func(ref int) error {
			e, err := s.askOffset(ref)
			s.model = clocks.Model{Offset: e.Ahead}
			return err
		})
}
