package clocks

import (
	"testing"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

func syncOf(method string, took time.Duration, wrong, bound int64) protocol.ClockSync {
	return protocol.ClockSync{Method: method, DurationNS: int64(took), Rounds: 2, Messages: 300, Checks: []protocol.ClockCheck{
		{ErrorNS: []int64{0, 0, 0}, BoundNS: []int64{0, 90, bound}},
		{Seconds: 5, ErrorNS: []int64{0, wrong, -wrong / 2}, BoundNS: []int64{0, 90, bound}},
	}}
}

func TestParetoKeepsWhatNoOtherBeatsInBoth(t *testing.T) {
	syncs := []protocol.ClockSync{
		syncOf("quick", time.Millisecond, 80000, 100),
		syncOf("slow and no closer", 2*time.Millisecond, 80000, 100),
		syncOf("close", time.Second, 300, 100),
		syncOf("closest", 9*time.Second, 100, 100),
		syncOf("below what is known", 10*time.Second, 3, 100),
		{Method: "failed", Failed: "for a reason"},
	}
	should.Equal(t, pareto(syncs), []bool{true, false, true, true, false, false})
}
