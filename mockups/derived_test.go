package mockups

import (
	"slices"
	"testing"

	"pgmpi/testkit/should"
)

// By hand: indexed pieces of 1 to 16, which are 136 elements, then from 1 on again.
// GL1 and GL2 compare calls on one layout: the pieces of a block are the first ones of every larger block.
func TestPiecesOfALargerBlockBeginAsThoseOfASmaller(t *testing.T) {
	for _, d := range []Derived{Vector, Indexed} {
		large := slices.Collect(d.Pieces(1500))
		for _, count := range []int64{1, 100, 375, 512, 1000} {
			small := slices.Collect(d.Pieces(count))
			last := len(small) - 1 // it may be cut
			should.Hold(t, slices.Equal(small[:last], large[:last]) && small[last].At == large[last].At && small[last].N <= large[last].N, "%s of %d elements: %v", d, count, small)
		}
	}
}

func TestPiecesHaveGapsOfTheirLength(t *testing.T) {
	pieces := func(d Derived, count int64) []Stretch { return slices.Collect(d.Pieces(count)) }
	should.Equal(t, pieces(Vector, 3), []Stretch{{0, 1}, {2, 1}, {4, 1}}, "vector")
	should.Equal(t, pieces(Indexed, 8), []Stretch{{0, 1}, {2, 2}, {6, 3}, {12, 2}}, "indexed")
	should.Equal(t, pieces(Indexed, 139)[15:], []Stretch{{240, 16}, {272, 1}, {274, 2}}, "indexed, from the longest piece on")
	for _, d := range []Derived{Vector, Indexed} {
		got := pieces(d, 0)
		should.Hold(t, got == nil, "%s of nothing: %v", d, got)
	}
}
