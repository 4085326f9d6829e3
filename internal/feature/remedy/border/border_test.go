package border

import (
	"testing"

	"pgmpi/internal/tuning"
	"pgmpi/testkit/should"
)

func at(algorithm string, size int64) tuning.Choice {
	return tuning.Choice{Kind: tuning.OwnAlgorithm, Function: "MPI_Bcast", NP: 2, Algorithm: algorithm, Sizes: []int64{size},
		Measured: []int64{1 << 10, 16 << 10, 256 << 10}}
}

// Each choice is known to help at its size; two questions in the middle of each gap tell where it ends.
func TestRangesEndWhereAnAlgorithmWasSeenToHelp(t *testing.T) {
	for name, c := range map[string]struct {
		choices []tuning.Choice
		from    int64 // it helps from here
		to      int64 // to here
		want    [][]tuning.Range
	}{
		"nowhere else":        {[]tuning.Choice{at("a", 16<<10)}, 16 << 10, 16 << 10, [][]tuning.Range{nil}},
		"to both sides":       {[]tuning.Choice{at("a", 16<<10)}, 3 << 10, 128 << 10, [][]tuning.Range{{{From: 4 << 10, To: 16<<10 + 1}, {From: 16 << 10, To: 128<<10 + 1}}}},
		"below the middle":    {[]tuning.Choice{at("a", 16<<10)}, 16 << 10, 40 << 10, [][]tuning.Range{{{From: 16 << 10, To: 32<<10 + 1}}}},
		"between two sizes":   {[]tuning.Choice{at("a", 16<<10), at("a", 256<<10)}, 16 << 10, 256 << 10, [][]tuning.Range{{{From: 16 << 10, To: 256<<10 + 1}}, nil}},
		"two algorithms meet": {[]tuning.Choice{at("a", 16<<10), at("b", 256<<10)}, 16 << 10, 64 << 10, [][]tuning.Range{{{From: 16 << 10, To: 64<<10 + 1}}, nil}},
	} {
		gaps := Gaps(c.choices)
		for range 2 {
			gaps = Nearer(gaps, func(string) int64 { return 16 }, func(k *tuning.Choice, size int64) bool {
				return k.Algorithm == "a" && size >= c.from && size <= c.to
			})
		}
		for _, g := range gaps {
			g.Widen()
		}
		for i, want := range c.want {
			should.Equal(t, c.choices[i].Ranges, want, "%s, choice %d", name, i)
		}
	}
}

func TestAnAlgorithmThatFailsBetweenTwoSizesHasTwoBorders(t *testing.T) {
	choices := []tuning.Choice{at("a", 16<<10), at("a", 256<<10)}
	gaps := Gaps(choices)
	for range 2 {
		gaps = Nearer(gaps, func(string) int64 { return 16 }, func(_ *tuning.Choice, size int64) bool { return size < 48<<10 || size > 96<<10 })
	}
	for _, g := range gaps {
		g.Widen()
	}
	should.Equal(t, choices[0].Ranges, []tuning.Range{{From: 4 << 10 / 2, To: 16<<10 + 1}, {From: 16 << 10, To: 32<<10 + 1}})
	should.Equal(t, choices[1].Ranges, []tuning.Range{{From: 128 << 10, To: 256<<10 + 1}})
}

func TestChoicesThatHoldEverywhereHaveNoGaps(t *testing.T) {
	always, extended := at("a", 16<<10), at("a", 16<<10)
	always.Way, extended.Extend = "mca", true
	should.Equal(t, len(Gaps([]tuning.Choice{always, extended})), 0)
}
