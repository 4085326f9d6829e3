package meter

import (
	"testing"

	"pgmpi/internal/fixture/should"
)

func TestReadingsFallIntoStatesWhereTheyLieFarApart(t *testing.T) {
	for _, c := range []struct {
		name     string
		readings []float64
		want     []State
	}{
		{"two states, unsorted", []float64{430, 80, 453, 112, 95, 378}, []State{{80, 112}, {378, 453}}},
		{"one reading", []float64{90}, []State{{90, 90}}},
		{"a state may be wide if nothing in it is far from the next", []float64{80, 110, 170}, []State{{80, 170}}},
		{"none", nil, nil},
	} {
		should.Equal(t, States(c.readings), c.want, "%s", c.name)
	}
}

func TestOnlyReadingsOfOneStateAreSteady(t *testing.T) {
	for _, c := range []struct {
		readings []float64
		want     bool
	}{
		{[]float64{80, 112, 95, 81}, true},
		{[]float64{80, 95, 430, 81}, false},
		{[]float64{80, 110, 170, 81}, false},
	} {
		should.Equal(t, Steady(c.readings), c.want, "%v", c.readings)
	}
}

func TestStatesAreNamedByTheirReadings(t *testing.T) {
	for s, want := range map[State]string{{80.4, 112}: "80 to 112 ns", {66.1, 66.2}: "66 ns"} {
		should.Equal(t, s.String(), want)
	}
}
