package protocol

import (
	"math"
	"strings"
	"testing"

	"pgmpi/internal/fixture/should"
)

// The first is the example of S-NETGAUGE §4.2: 4096 bytes with an interval of 2048 are three tests.
func TestTestsOfACallAreThoseOfItsSize(t *testing.T) {
	for _, c := range []struct {
		intervals []int64
		msize     int64
		want      []int64
	}{
		{[]int64{2048}, 4096, []int64{0, 3}},
		{[]int64{4 << 10, 64 << 10, 1 << 20}, 1 << 20, []int64{0, 2, 17, 257}},
		{[]int64{1 << 20, 64 << 10, 4 << 10}, 8, []int64{0, 1}},
		{nil, 8, []int64{0}},
		{[]int64{1, 256, 257}, 1 << 20, []int64{0, 1<<20/257 + 1}}, // 256: one more than mostTests
	} {
		j := &OverlapJob{Intervals: c.intervals}
		var got []int64
		for _, x := range j.Tests(c.msize) {
			got = append(got, x.Tests)
			should.Hold(t, x.Tests <= 0 || x.Tests == c.msize/x.Interval+1, "%d tests, for an interval of %d in %d bytes", x.Tests, x.Interval, c.msize)
		}
		should.Equal(t, got, c.want, "%v in %d bytes: tests", c.intervals, c.msize)
	}
}

func TestOverlapsThatCannotBeAreRefused(t *testing.T) {
	fine := func() *Overlap {
		x := Overlapped{N: 5, PostNS: 1, WaitNS: 2, OverheadNS: 3, OverallNS: 13, ExcessNS: -2} // faster than alone
		return &Overlap{BlockingNS: 10, ComputeNS: 10, Search: []OverlapTry{{}}, None: x, Best: x, DoneNS: 9}
	}
	should.Do(t, fine().Check())
	for what, change := range map[string]func(*Overlap){
		"no time of the call": func(o *Overlap) { o.BlockingNS = 0 },
		"a negative time":     func(o *Overlap) { o.Best.WaitNS = -1 },
		"a time that is NaN":  func(o *Overlap) { o.None.OverallNS = math.NaN() },
		"an infinite excess":  func(o *Overlap) { o.Best.ExcessNS = math.Inf(-1) },
		"no repetition":       func(o *Overlap) { o.None.N = 0 },
		"too many tests":      func(o *Overlap) { o.Best.Tests = mostTests + 1 },
		"no search":           func(o *Overlap) { o.Search = nil },
		"a search of many":    func(o *Overlap) { o.Search = make([]OverlapTry, mostTests+1) },
	} {
		o := fine()
		change(o)
		err := o.Check()
		should.Hold(t, err != nil && strings.ContainsAny(err.Error(), " "), "%s is taken", what)
	}
}
