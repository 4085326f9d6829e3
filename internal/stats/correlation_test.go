package stats

import (
	"errors"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestPearsonOfKnownPairs(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{2, 4, 6, 8}, 1},
		{[]float64{4, 3, 2, 1}, -1},
		{[]float64{1, 3, 2, 4}, 0.8},
	} {
		got := must.Get(Pearson(x, c.y))(t)
		close1(t, "correlation", got, c.want, 1e-14)
	}
}

func TestPearsonIsUndefinedWithoutVariation(t *testing.T) {
	for _, c := range [][2][]float64{
		{{1}, {2}},
		{{0.1, 0.1, 0.1}, {1, 2, 3}},
		{{1, 2, 3}, {0.1, 0.1, 0.1}},
	} {
		r, err := Pearson(c[0], c[1])
		should.Hold(t, errors.Is(err, ErrUndefined), "correlation of %v = %v, error %v, want ErrUndefined", c, r, err)
	}
}
