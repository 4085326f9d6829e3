package medians

import (
	"math"
	"slices"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// wave gives n samples that stay high and low for `long` samples in turn.
func wave(n, long int) []protocol.Sample {
	out := make([]protocol.Sample, n)
	for i := range out {
		out[i].NS = 10000 + int64(i*37%11)
		if i/long%2 == 1 {
			out[i].NS += 100
		}
	}
	return out
}

// One of each kind: samples in long waves, in quick ones, equal, and too few.
func TestOnlyWavesLongerThanASampleAreStrongDependence(t *testing.T) {
	const runs = 6
	m := bcast(runs, 4)
	made := fixture.Runs(m, func(plan, run int) []protocol.Sample {
		return [][]protocol.Sample{wave(200, 20), wave(200, 1), fixture.Samples(slices.Repeat([]int64{10000}, 50)...), wave(leastSeries-1, 20)}[plan]
	})
	d := collected(t, m, made).Dependence()
	must.Hold(t, d.Series == 2*runs && d.Significant == runs && d.Lags == 10 && len(d.Strong) == 1, "%+v", d)
	// ±50 around the mean in waves of 20: the lags 1 to 10 add up to about Σ (1 − 2h/20) = 4.5.
	k := d.Strong[0]
	should.Hold(t, k.Cell == (Cell{Function: "MPI_Bcast", Msize: 1, Shape: "p2"}) && k.Lag1 >= 0.8 && math.Abs(k.Inefficiency-10) <= 1, "%+v", k)
}

// A case has fewer mpiruns than R after an interim look; half of those that it has must tell.
func TestDependenceIsSeenInTheMpirunsThatACaseHas(t *testing.T) {
	for _, c := range []struct{ measured, long, strong int }{{4, 4, 1}, {4, 2, 1}, {4, 1, 0}, {12, 4, 0}} {
		m := bcast(12, 1)
		runs := fixture.Runs(m, func(_, run int) []protocol.Sample {
			if run <= c.long {
				return wave(200, 20)
			}
			return fixture.Samples(10000)
		})
		d := collected(t, m, runs[:c.measured]).Dependence()
		should.Hold(t, len(d.Strong) == c.strong, "%d of %d mpiruns with long series: %+v", c.long, c.measured, d)
	}
}

func TestUsageIsOfOneCallInTheMedianMpirun(t *testing.T) {
	m := bcast(4, 4)
	runs := fixture.Runs(m, func(int, int) []protocol.Sample { return fixture.Samples(10, 11, 12, 13) }) // nrep = 4
	if set := collected(t, m, runs); !math.IsNaN(set.Cases[0].Usage().Faults) || !math.IsNaN(set.Cases[0].UsageIn(1).Faults) || set.Faulting() != nil {
		t.Error("page faults counted where there are none")
	}
	for n := range runs {
		for i, faults := range []int64{3, 4, 4 * 481} { // the last case is not counted
			runs[n].Cases[i].Usage = &protocol.Usage{Faults: faults, FaultsRank: []int{1, 0, 0, 1}[n], Switches: 2, SwitchesRank: 1}
		}
	}
	runs[0].Cases[2].Usage.Faults = 1e6 // one mpirun is not all
	runs[3].Cases[1].Status = protocol.StatusWrong
	set := collected(t, m, runs)
	for i, want := range []Usage{{.75, 0, .5, 1}, {1, 0, .5, 1}, {481, 0, .5, 1}} {
		got := set.Cases[i].Usage()
		should.Hold(t, got == want, "case %d: %+v, want %+v", i, got, want)
	}
	got := set.Cases[2].UsageIn(1)
	should.Hold(t, got.Faults == 1e6/4 && math.IsNaN(set.Cases[2].UsageIn(5).Faults) && math.IsNaN(set.Cases[1].UsageIn(4).Faults) && math.IsNaN(set.Cases[3].Usage().Faults),
		"%+v", got)
	want := []FaultingCase{{Cell{Function: "MPI_Bcast", Msize: 3, Shape: "p2"}, 481, 0}, {Cell{Function: "MPI_Bcast", Msize: 2, Shape: "p2"}, 1, 0}} // most first, from 1 a call
	should.Equal(t, set.Faulting(), want)
	info := runs[1].Cases[2]
	if info.Calls = 13; UsageOf(&info).Faults != 37 { // one sample is 13 calls
		t.Errorf("%+v", UsageOf(&info))
	}
}

// A case takes 1000 ns; in the 4th mpirun some cases take longer.
func TestAnMpirunIsSlowWhereMoreThanThreeTenthsOfItsCasesAreSlowerByAFifth(t *testing.T) {
	for _, c := range []struct {
		runs, cases, slower int
		by                  float64
		share               float64 // 0: not slow
	}{
		{6, 10, 4, 2, .4},
		{6, 10, 3, 2, 0},   // not more than 30 %
		{6, 10, 4, 1.2, 0}, // not more than 1.2
		{6, 10, 4, 1.201, .4},
		{6, 9, 9, 2, 0}, // with fewer cases that is chance
		{5, 20, 7, 2, .35},
		{4, 20, 20, 2, 0}, // with fewer mpiruns, too
	} {
		m := bcast(c.runs, c.cases)
		slow := collected(t, m, fixture.Runs(m, func(plan, run int) []protocol.Sample {
			if run == 4 && plan < c.slower {
				return fixture.Samples(int64(c.by * 1000))
			}
			return fixture.Samples(1000)
		})).Slow()
		if c.share == 0 {
			should.Hold(t, len(slow) == 0, "%+v: %v", c, slow)
			continue
		}
		want := (SlowMpirun{"p2", 4, c.share, c.by})
		should.Hold(t, len(slow) == 1 && slow[0] == want, "%+v: %+v, want %+v", c, slow, want)
	}
	should.Equal(t, (SlowMpirun{"p2", 4, .4, 2}).String(), "mpirun 4 of p2 (40 % of its cases, 2.00× in their median)")
}

// Cases that were dropped at a look are not in later mpiruns.
func TestHowSlowAnMpirunWasInGeneralIsOfTheCasesThatAllMpirunsHave(t *testing.T) {
	m := bcast(4, GeneralCases+1)
	m.Looks = []int{2, 4}
	runs := fixture.Runs(m, func(plan, run int) []protocol.Sample {
		return fixture.Samples(int64(1000 * (plan + 1) * []int{1, 3, 1, 2}[run-1]))
	})
	drop := func(run *int, from int) { // cases of the mpirun from an index on
		r := &runs[*run]
		r.Cases, r.Samples = r.Cases[:from], r.Samples[:from]
	}
	near := func(got []float64, want ...float64) bool {
		return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	}
	at := 3
	drop(&at, GeneralCases)
	set := collected(t, m, runs)
	// Relative to their geometric middle, √3 and ∜6 below them.
	first, all := set.General(fixture.P2, 2), set.LastGeneral(fixture.P2)
	should.Hold(t, len(first) == 2 && math.Abs(first[1]/first[0]-3) <= 1e-9 && len(all) == 4 && math.Abs(all[3]/all[0]-2) <= 1e-9, "%v, %v", first, all)
	drop(&at, GeneralCases-1)
	set = collected(t, m, runs)
	got := set.LastGeneral(fixture.P2)
	should.Hold(t, set.General(fixture.P2, 4) == nil && near(got, first...), "%v, want as at the look before, %v", got, first)
}
