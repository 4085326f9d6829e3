package experiment

import (
	"slices"
	"strings"
	"testing"
)

func TestOrderOfTheSidesIsDrawnAndTheSeedDecides(t *testing.T) {
	order := drawOrder(1, 2, 200)
	if !slices.Equal(order, drawOrder(1, 2, 200)) || slices.Equal(order, drawOrder(2, 2, 200)) || slices.Equal(order, drawOrder(1, 1, 200)) {
		t.Error("the order does not follow from seed and stage")
	}
	if first := strings.Count(strings.Join(order, " "), "ab"); first < 70 || first > 130 {
		t.Errorf("A comes first in %d of 200 rounds", first)
	}
	if !slices.Equal(order[:50], drawOrder(1, 2, 50)) {
		t.Error("more rounds change the order of the first")
	}
}
