package clocks

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/testkit/should"
)

// A clock that ticks at a fixed number of ns, read at random distances from 20 ns on
// that a reading takes, and rounded down to whole nanoseconds.
func TestStepOfATickingClock(t *testing.T) {
	for _, tick := range []float64{0.4, 1, 2, 4, 8.33, 10, 25, 26, 41.667, 100, 1000, 15625, 4e6} {
		r := rand.New(rand.NewPCG(1, 2))
		read := func(at float64) int64 { return int64(math.Floor(at/tick) * tick) }
		var differences []int64
		at, last := 1e9, read(1e9)
		for i := 0; i < 2000 || len(differences) == 0; i++ {
			at += 20 + 60*r.Float64()
			if i%500 == 499 {
				at += 12345.6 // another process had the core
			}
			now := read(at)
			if now > last {
				differences = append(differences, now-last)
			}
			last = now
		}
		got, want := Step(differences), int64(max(1, math.Round(tick)))
		should.Hold(t, got >= want && got <= want+1, "a clock that ticks every %v ns: step %d ns, want %d", tick, got, want)
	}
}

func TestStepOfFewDifferences(t *testing.T) {
	for _, c := range []struct {
		differences []int64
		want        int64
	}{
		{nil, math.MaxInt64},
		{[]int64{1000}, 1000},
		{[]int64{17, 17, 18}, 18},
		{[]int64{17, 19}, 2},
		{[]int64{17, 18, 19, 20}, 1},
		{[]int64{30, 10, 20, 10, 10}, 10},
		{[]int64{11, 9, 10, 20, 19, 21}, 10},
		{[]int64{42, 41, 83, 84, 125}, 42},
	} {
		got := Step(c.differences)
		should.Hold(t, got == c.want, "differences %v: step %d ns, want %d", c.differences, got, c.want)
	}
}
