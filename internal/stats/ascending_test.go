package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/testkit/should"
)

func TestAscendingSortsWhateverTheSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var other []int64
	for _, n := range []int{0, 1, byDigits - 1, byDigits, 3000} {
		for _, span := range []uint64{1, 200, 256, 257, 70_000, 1 << 40, math.MaxUint64} {
			x := make([]int64, n)
			for i := range x {
				x[i] = int64(rng.Uint64N(span)) - 100
			}
			if n > 1 {
				x[0], x[1] = int64(span-1)-100, -100
			}
			want := slices.Sorted(slices.Values(x))
			var got []int64
			got, other = Ascending(x, other)
			should.Equal(t, got, want, n, span)
		}
	}
}
