package mockups

import (
	"slices"
	"testing"
)

// By hand: vector pieces of gcd(24, 16) = 8 elements; indexed ones of 1 to 16, which are 136
// elements, then from 1 on again.
func TestPiecesHaveGapsOfTheirLength(t *testing.T) {
	pieces := func(d Derived, count int64) []Stretch { return slices.Collect(d.Pieces(count)) }
	if got, want := pieces(Vector, 24), []Stretch{{0, 8}, {16, 8}, {32, 8}}; !slices.Equal(got, want) {
		t.Errorf("vector: %v, want %v", got, want)
	}
	if got, want := pieces(Indexed, 8), []Stretch{{0, 1}, {2, 2}, {6, 3}, {12, 2}}; !slices.Equal(got, want) {
		t.Errorf("indexed: %v, want %v", got, want)
	}
	if got, want := pieces(Indexed, 139)[15:], []Stretch{{240, 16}, {272, 1}, {274, 2}}; !slices.Equal(got, want) {
		t.Errorf("indexed, from the longest piece on: %v, want %v", got, want)
	}
	for _, d := range []Derived{Vector, Indexed} {
		if got := pieces(d, 0); got != nil {
			t.Errorf("%s of nothing: %v", d, got)
		}
	}
}
