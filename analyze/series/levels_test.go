package series

import (
	"math"
	"slices"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTheLevelsOfAFactorAreOneFamily(t *testing.T) {
	a, b, c := side(t, "a", fixture.Quiet, nil), side(t, "b", with(1, 30000), nil), side(t, "c", fixture.Quiet, nil)
	cfg := CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided}
	all := must.Get(CompareLevels([]*analyze.Side{a, b, c}, cfg))(t)
	must.Hold(t, len(all) == 2 && all[0].M == 4 && all[1].M == 4, "%d comparisons", len(all))
	should.Hold(t, changes(all[0]) == "~ slower" && changes(all[1]) == "~ ~", "%q, %q", changes(all[0]), changes(all[1]))
	k, alone := all[0].Cases[1], compared(t, a, b, nil).Cases[1]
	should.Hold(t, math.Abs(*k.PAdjusted-4**k.PValue) < 1e-12 && *k.PValue == *alone.PValue && *alone.PAdjusted < *k.PAdjusted, "%g of %g", *k.PAdjusted, *k.PValue)
}

func TestSummariesReplaceTheValidSamplesOfAnMpirun(t *testing.T) {
	ranks := [][]int64{{10, 20, 30, 90}, {30, 10, 10, 10}}
	for s, want := range map[Summary][]int64{RunMedian: {30, 20, 30, 100}, Least: {20, 20, 30, 20}, Mean: {50, 50, 30, 50}, MeanOfMeans: {50, 50, 30, 50},
		RanksMean: {20, 15, 30, 50}, RanksLeast: {10, 10, 30, 10}} {
		samples := []protocol.Sample{{NS: 30}, {NS: 20}, {NS: 30, Flags: protocol.FlagLate}, {NS: 100}}
		s.Put(samples, ranks)
		var got []int64
		for _, x := range samples {
			got = append(got, x.NS)
		}
		should.Hold(t, slices.Equal(got, want), "%s: %v, want %v", s, got, want)
	}
}

func TestASummaryIsHeldAgainstOurs(t *testing.T) {
	ours, other := side(t, "a", fixture.Quiet, nil), side(t, "a", with(3, 7000), nil)
	s := NewSummaries([]Summary{RunMedian, Mean, MeanOfMeans}, []*analyze.Side{ours, other, other})
	must.Hold(t, s.By[0].Slow == 0 && s.By[1].Slow == 1 && s.By[1].More == 1 && s.By[1].Missed == 0 && s.By[2].More >= 1, "%+v", s.By)
	back := NewSummaries([]Summary{RunMedian, Mean}, []*analyze.Side{other, ours})
	should.Hold(t, back.By[1].Missed == 1 && back.By[1].More == 0, "%+v", back.By)
}
