package experiment

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestOrderOfTheSidesIsDrawnAndTheSeedDecides(t *testing.T) {
	order := drawOrder(1, 2, 200, 2)
	should.Hold(t, slices.Equal(order, drawOrder(1, 2, 200, 2)) && !slices.Equal(order, drawOrder(2, 2, 200, 2)) && !slices.Equal(order, drawOrder(1, 1, 200, 2)),
		"the order does not follow from seed and stage")
	first := strings.Count(strings.Join(order, " "), "ab")
	should.Hold(t, first >= 70 && first <= 130, "A comes first in %d of 200 rounds", first)
	should.Equal(t, order[:50], drawOrder(1, 2, 50, 2), "more rounds change the order of the first")
}
