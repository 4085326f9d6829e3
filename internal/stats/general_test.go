package stats

import (
	"math"
	"testing"

	"pgmpi/testkit/should"
)

// Three cases, of which the second mpirun doubles two and the third one halves all.
func TestTheGeneralFactorIsTheMedianOverTheCases(t *testing.T) {
	got := General([][]float64{
		{300, 300, 150, 300, 300},
		{10, 20, 5, 10, 10},
		{1, 2, .5, 1, 1},
	})
	for run, want := range []float64{1, 2, .5, 1, 1} {
		should.Hold(t, math.Abs(got[run]-want) <= 1e-12, "mpirun %d: %g, want %g", run+1, got[run], want)
	}
	should.Hold(t, General(nil) == nil, "no cases say nothing")
}
