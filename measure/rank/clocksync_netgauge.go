//go:build cgo

package rank

import "pgmpi/measure/clocks"

func init() { clockMethods["netgauge"] = netgauge }

// netgauge measures offsets in a tree and adds them up (S-NETGAUGE §3,
// S-REVISITED Algorithms 11 and 12). Each comes from the fastest exchange, which
// no later one of a hundred beats. It knows no drift.
func netgauge(s *clockSync) error {
	return s.learnInTree(
		func(client int) error { return s.answer(client, clocks.Model{}) },
		func(ref int) (clocks.Model, error) {
			pings, err := s.ask(ref, mostExchanges, patience)
			if err != nil {
				return clocks.Model{}, err
			}
			return clocks.Model{Offset: clocks.Netgauge(pings).Ahead}, nil
		})
}
