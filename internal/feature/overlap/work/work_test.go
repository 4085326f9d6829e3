package work

import (
	"math"
	"strings"
	"testing"

	"pgmpi/testkit/should"
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
		j := &Job{Intervals: c.intervals}
		var got []int64
		for _, x := range j.Tests(c.msize) {
			got = append(got, x.Tests)
			should.Hold(t, x.Tests <= 0 || x.Tests == c.msize/x.Interval+1, "%d tests, for an interval of %d in %d bytes", x.Tests, x.Interval, c.msize)
		}
		should.Equal(t, got, c.want, "%v in %d bytes: tests", c.intervals, c.msize)
	}
}

func TestOverlapsThatCannotBeAreRefused(t *testing.T) {
	fine := func() *Answer {
		x := Side{N: 5, PostNS: 1, WaitNS: 2, OverheadNS: 3, OverallNS: 13, ExcessNS: -2} // faster than alone
		return &Answer{BlockingNS: 10, ComputeNS: 10, Search: []Try{{}}, None: x, Best: x, DoneNS: 9}
	}
	should.Do(t, fine().Check())
	for what, change := range map[string]func(*Answer){
		"no time of the call": func(o *Answer) { o.BlockingNS = 0 },
		"a negative time":     func(o *Answer) { o.Best.WaitNS = -1 },
		"a time that is NaN":  func(o *Answer) { o.None.OverallNS = math.NaN() },
		"an infinite excess":  func(o *Answer) { o.Best.ExcessNS = math.Inf(-1) },
		"no repetition":       func(o *Answer) { o.None.N = 0 },
		"too many tests":      func(o *Answer) { o.Best.Tests = mostTests + 1 },
		"no search":           func(o *Answer) { o.Search = nil },
		"a search of many":    func(o *Answer) { o.Search = make([]Try, mostTests+1) },
	} {
		o := fine()
		change(o)
		err := o.Check()
		should.Hold(t, err != nil && strings.ContainsAny(err.Error(), " "), "%s is taken", what)
	}
}

func TestOverlapsAreTakenUpToTheirBounds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Answer)
		ok     bool
	}{
		"one repetition":          {func(o *Answer) { o.Best.N = 1 }, true},
		"tests below 0":           {func(o *Answer) { o.Best.Tests = -1 }, false},
		"most tests":              {func(o *Answer) { o.Best.Tests = mostTests }, true},
		"an interval below 0":     {func(o *Answer) { o.Best.Interval = -1 }, false},
		"an excess that is NaN":   {func(o *Answer) { o.Best.ExcessNS = math.NaN() }, false},
		"an excess at the limit":  {func(o *Answer) { o.Best.ExcessNS = -1e18 }, true},
		"an excess beyond":        {func(o *Answer) { o.Best.ExcessNS = 2e18 }, false},
		"a time at the limit":     {func(o *Answer) { o.Best.WaitNS = 1e18 }, true},
		"a time beyond":           {func(o *Answer) { o.Best.WaitNS = 2e18 }, false},
		"a call of one ns":        {func(o *Answer) { o.BlockingNS = 0.5 }, true},
		"a search of as many":     {func(o *Answer) { o.Search = make([]Try, mostTests) }, true},
		"steps below 0":           {func(o *Answer) { o.Steps = -1 }, false},
		"computing for less than": {func(o *Answer) { o.ComputeNS = -1 }, false},
	} {
		x := Side{N: 5, ExcessNS: -2}
		o := &Answer{BlockingNS: 10, Search: []Try{{}}, None: x, Best: x}
		c.change(o)
		should.Equal(t, o.Check() == nil, c.ok, name)
	}
	j := &Job{Intervals: []int64{256}} // 1 MiB less 1 byte: 4095 whole intervals, 4096 tests
	should.Equal(t, len(j.Tests(1<<20-1)), 2)
	should.Equal(t, len((&Job{Intervals: []int64{0}}).Tests(8)), 2, "an interval of nothing is one of a byte")
	should.Equal(t, (&Job{Intervals: []int64{0}}).Tests(8)[1].Tests, int64(9))
}
