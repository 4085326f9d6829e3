package clocks

import (
	"fmt"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
)

func TestTheDocumentsOweNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"clocks": documents.Of(methodLists, methods()), "barrier": documents.Of(barrierLists, barriers())}
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

// barriers are of one host, and of two whose clocks are no closer than the exits.
func barriers() *[]BarrierExits {
	exit := func(rank int, after, wrong, bound int64) protocol.Exit {
		at := float64(after)
		return protocol.Exit{Rank: rank, MeanNS: at * 1.1, CINS: at / 50, MinNS: 0, P5NS: at / 2, Q1NS: at * .9, MedianNS: at, Q3NS: at * 1.2, P95NS: at * 2, MaxNS: at * 90,
			First: 1 / float64(rank+1), Last: float64(rank) / 3, ErrorNS: [2]int64{wrong, -wrong}, BoundNS: [2]int64{bound, bound + 10}}
	}
	of := func(library, method string, exits ...protocol.Exit) BarrierExits {
		return BarrierExits{Shape: fmt.Sprintf("p%d", len(exits)), NP: len(exits), Library: library, Clock: "monotonic", ClockTickNS: 1, Host: "login1", Ranks: exits,
			Barriers: protocol.Barriers{ClockSync: method, Calls: 1000, Late: 12, ApartNS: 400, ApartP95NS: 900, TimeNS: 2100}}
	}
	return &[]BarrierExits{
		of("MPICH Version: 4.0.2\nand more", "shared", exit(0, 0, 0, 0), exit(1, 120, 20, 150), exit(2, 300, -30, 160), exit(3, 400, 10, 140)),
		of("Open MPI v4.1.4, package", "hca3+shared", exit(0, 0, 0, 0), exit(1, 400, -2000, 5000)),
	}
}
