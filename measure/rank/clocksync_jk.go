//go:build cgo

package rank

import "pgmpi/measure/clocks"

func init() { clockMethods["jk"] = jonesKoenig }

// jonesKoenig fits a line for every process, relative to the reference itself,
// which serves all of them in turn for every fit point (S-REVISITED, Algorithms
// 15 to 17). The line gives the intercept too.
func jonesKoenig(s *clockSync) error {
	var rtt int64
	err := s.eachInTurn(
		func(client int) error { return s.answer(client, clocks.Model{}) },
		func(ref int) (err error) { rtt, err = s.askRTT(ref); return err })
	if err != nil {
		return err
	}
	if s.me == 0 {
		return s.answerLine(s.others(), clocks.Model{})
	}
	s.model, err = s.askLine(s.team[0], median(rtt))
	return err
}
