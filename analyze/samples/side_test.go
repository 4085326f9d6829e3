package samples

import (
	"fmt"
	"math"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestSidesAreDescribedAsFarAsTheyWereMeasured(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, fixture.Quiet...)
	runs[0].Cases, runs[0].Samples = runs[0].Cases[:1], runs[0].Samples[:1]
	for k := range runs[1].Samples[1] {
		runs[1].Samples[1][k].Flags = protocol.FlagLate
	}
	runs[2].Samples[1] = nil
	for i := range 30 {
		runs[2].Samples[1] = append(runs[2].Samples[1], protocol.Sample{NS: 1000 + int64(i)})
	}
	var s Side
	for i := range runs[:3] {
		must.Do(t, s.Add(&runs[i], 1))
	}
	must.Hold(t, len(s.Runs) == 2, "an mpirun without the case: %+v", s.Runs)
	should.Hold(t, s.Runs[0].Valid == 0 && s.Runs[0].Late > 0 && math.IsNaN(s.Runs[0].Median),
		"without a valid sample: %+v", s.Runs[0])
	one := results.Run{Header: results.Header{Run: 4}}
	fixture.Add(&one, m, 1, 1, fixture.Samples(7))
	must.Do(t, s.Add(&one, 1))
	should.Hold(t, s.Runs[2].Min == 7 && s.Runs[2].RunMedian == 7, "of one sample: %+v", s.Runs[2])
	r := s.Runs[1]
	s.Dependence()
	should.Hold(t, r.ACFBound > 0 && s.ACFBound == r.ACFBound && fmt.Sprint(s.ACF) == fmt.Sprint(r.ACF), "%+v", s)
	few := Side{Runs: s.Runs[:1]}
	few.Dependence()
	should.Hold(t, few.ACF == nil, "%v", few.ACF)
}
