package mockups

import (
	"slices"
	"testing"

	"pgmpi/internal/fixture/should"
)

// By hand: vector pieces of gcd(24, 16) = 8 elements; indexed ones of 1 to 16, which are 136
// elements, then from 1 on again.
func TestPiecesHaveGapsOfTheirLength(t *testing.T) {
	pieces := func(d Derived, count int64) []Stretch { return slices.Collect(d.Pieces(count)) }
	should.Equal(t, pieces(Vector, 24), []Stretch{{0, 8}, {16, 8}, {32, 8}}, "vector")
	should.Equal(t, pieces(Indexed, 8), []Stretch{{0, 1}, {2, 2}, {6, 3}, {12, 2}}, "indexed")
	should.Equal(t, pieces(Indexed, 139)[15:], []Stretch{{240, 16}, {272, 1}, {274, 2}}, "indexed, from the longest piece on")
	for _, d := range []Derived{Vector, Indexed} {
		got := pieces(d, 0)
		should.Hold(t, got == nil, "%s of nothing: %v", d, got)
	}
}
