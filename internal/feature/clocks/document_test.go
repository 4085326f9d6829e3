package clocks

import (
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
)

func TestTheDocumentsOweNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"clocks": documents.Of(methodLists, methods())}
	})
}

func methods() *[]Clocks {
	check := func(seconds float64, wrong int64) protocol.ClockCheck {
		return protocol.ClockCheck{Seconds: seconds, ErrorNS: []int64{0, wrong}, BoundNS: []int64{0, 90}}
	}
	return &[]Clocks{{Shape: "p2", NP: 2, Clock: "wtime", Host: "login1",
		Clocks: []protocol.ClockInfo{{Name: "wtime", TickNS: 26, CostNS: 26.7}, {Name: "rdtscp", Refused: "rank 1 may run on the processors 0-1"},
			{Name: "rdtsc", TickNS: 1, CostNS: 8, HZ: 2500000000, HZFrom: "measured"}},
		Syncs: []protocol.ClockSync{
			{Method: "skampi", DurationNS: 12345678, Rounds: 1, Messages: 300, Checks: []protocol.ClockCheck{check(0, 100), check(5, 80000)}},
			{Method: "hca3+shared", DurationNS: 3e9, Rounds: 1, Messages: 900, Checks: []protocol.ClockCheck{check(0, -100), check(5, -80001)}},
			{Method: "shared", Failed: "two hosts"}}}}
}
