package world

import (
	"math/rand/v2"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/internal/stats"
)

// Equal is how many mock-ups each call of Fastest has.
const Equal = 3

// Fastest asks of calls whether any of their mock-ups is faster, as the guidelines TB1 and FP1 do. All take as long as
// their call. The first look chooses the calls of which a mock-up seems to be faster, other mpiruns test these. It
// returns the outcomes of what is tested.
func (w *World) Fastest(d *judge.Design, calls, number int, random *rand.Rand) ([]judge.Outcome, error) {
	equal := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	suspected := 0
	for mockups := range slices.Chunk(w.Pairs(equal(Equal*calls), d.Looks[0], number, random), Equal) {
		if slices.ContainsFunc(mockups, func(p judge.Pair) bool {
			return stats.MedianFinite(p.Orig)/stats.MedianFinite(p.Other) >= d.MinSlowdown
		}) {
			suspected++
		}
	}
	if suspected == 0 || !d.Method.Rules().FollowsUp {
		return nil, nil
	}
	r := min(d.R(), max(d.Looks[0], judge.Pairing(d.Alpha, suspected)))
	again, err := judge.NewDesign(d.Config, judge.Once(r), suspected)
	if err != nil || again.Refused != nil {
		return nil, err
	}
	f := again.Family(w.Step)
	err = f.Once(w.Pairs(equal(suspected), again.R(), number, random))
	return f.Outcomes, err
}
