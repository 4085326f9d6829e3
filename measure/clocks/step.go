package clocks

import (
	"math"
	"slices"
)

// Step returns the resolution of a clock. It is the smallest distance between two values that
// differences of its readings take, or the smallest of them, if less. All are positive and in ns;
// without differences it returns math.MaxInt64.
//
// The smallest difference alone would be what a reading costs, where the clock
// is finer than that. Readings are whole nanoseconds, so the multiples of a step
// show as two or three numbers in a row; more of them in a row belong to a step
// of about a nanosecond.
func Step(differences []int64) int64 {
	const mostInARow = 3
	seen := slices.Compact(slices.Sorted(slices.Values(differences)))
	step, last := int64(math.MaxInt64), int64(0) // last: twice the middle of the multiple before
	for from := 0; from < len(seen); {
		// A process that loses its core adds what the kernel does to the clock meanwhile.
		if seen[from] > 8*seen[0] {
			break
		}
		to := from
		for to+1 < len(seen) && seen[to+1] == seen[to]+1 {
			to++
		}
		if to-from >= mostInARow {
			return 1
		}
		middle := seen[from] + seen[to]
		step = min(step, (middle-last+1)/2)
		last, from = middle, to+1
	}
	return step
}
