package main

import (
	"fmt"
	"math"
)

// count is so many of so many, in one series of checks.
type count struct{ n, of float64 }

// figure is a number that is counted, and the limits that it should keep.
type figure struct {
	what        string
	least, most float64 // the aim; 0 and 0: none
	mean        bool    // of numbers that may be above 1
}

func (f *figure) aim() string {
	switch {
	case f.most == 0 && f.least == 0:
		return ""
	case f.most == 0:
		return fmt.Sprintf("≥ %.3g", f.least)
	case f.least == 0:
		return fmt.Sprintf("≤ %.3g", f.most)
	}
	return fmt.Sprintf("%.3g-%.3g", f.least, f.most)
}

// of is the figure with its 95 % limits, and whether it keeps the aim.
func (f *figure) of(counts []count) (text string, ok bool) {
	share, lo, hi := limits(counts, f.mean)
	if math.IsNaN(share) {
		return "-", true
	}
	ok = share >= f.least && (f.most == 0 || share <= f.most)
	text = fmt.Sprintf("%.3f [%.3f, %.3f]", share, lo, hi)
	switch {
	case f.aim() == "":
	case ok:
		text += " ok"
	default:
		text += " missed"
	}
	return text, ok
}

// limits are a share and its 95 % limits: Wilson's for as many independent cases as
// would vary as much as the series do, or for a mean those of the normal distribution.
// What is counted in one series belongs together.
func limits(counts []count, mean bool) (share, lo, hi float64) {
	var n, of float64
	for _, c := range counts {
		n, of = n+c.n, of+c.of
	}
	share = n / of
	variance := 0.0
	for _, c := range counts {
		d := (c.n - share*c.of) / of
		variance += d * d
	}
	variance *= float64(len(counts)) / float64(len(counts)-1)
	const z = 1.959964
	if mean {
		half := z * math.Sqrt(variance)
		return share, share - half, share + half
	}
	if variance > 0 {
		of = min(of, share*(1-share)/variance)
	}
	middle := (share + z*z/(2*of)) / (1 + z*z/of)
	half := z / (1 + z*z/of) * math.Sqrt(share*(1-share)/of+z*z/(4*of*of))
	return share, max(0, middle-half), min(1, middle+half)
}
