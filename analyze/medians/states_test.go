package medians

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// folder has mpiruns in which each case takes a millisecond times the factor of
// the mpirun; yardstick gives an mpirun's readings.
func folder(t *testing.T, cases int, factors []float64, yardstick func(run int) []protocol.Probes) *Set {
	t.Helper()
	m := bcast(len(factors), cases)
	runs := fixture.Runs(m, func(_, run int) []protocol.Sample { return fixture.Samples(int64(1e6 * factors[run-1])) })
	for i := range runs {
		if yardstick != nil {
			runs[i].Probes = yardstick(i + 1)
		}
	}
	return collected(t, m, runs)
}

// members are the mpiruns of each state.
func members(states []State) (out [][]int) {
	for _, s := range states {
		out = append(out, s.Mpiruns)
	}
	return out
}

func TestTwoStatesAreFoundWhicheverIsTheMajority(t *testing.T) {
	for name, c := range map[string]struct {
		factors []float64
		want    [][]int
		ratio   float64
	}{
		"three of ten are slow": {[]float64{1, 2, 1.02, .98, 2.04, 1.01, .99, 1.97, 1, 1.03}, [][]int{{1, 3, 4, 6, 7, 9, 10}, {2, 5, 8}}, 2},
		"seven of ten are slow": {[]float64{2, 1, 2.02, 1.98, 1.04, 2.01, 1.99, .97, 2, 2.03}, [][]int{{2, 5, 8}, {1, 3, 4, 6, 7, 9, 10}}, 2},
		"three states":          {[]float64{1, 1.01, 2, 2.02, 5, 5.01, 1, 2, 5}, [][]int{{1, 2, 7}, {3, 4, 8}, {5, 6, 9}}, 2},
		"by three tenths":       {[]float64{1, 1.3, 1.01, 1.31, 1.02, 1.29, 1.005, 1.3}, [][]int{{1, 3, 5, 7}, {2, 4, 6, 8}}, 1.3},
		// The 8th alone is a slow mpirun.
		"and a slow mpirun": {[]float64{1, 2, 1.02, .98, 2.04, 1.01, .99, 9, 1, 1.03}, [][]int{{1, 3, 4, 6, 7, 9, 10}, {2, 5}}, 2},
		// No states: one that is slow, a slope, differences too small, four groups.
		"one is slow":    {[]float64{1, 1.01, 1.02, .99, 1, 3, 1, 1.01, .98, 1}, nil, 0},
		"a slope":        {[]float64{1, 1.2, 1.44, 1.73, 2.07, 2.49, 2.99, 3.58, 4.3, 5.16}, nil, 0},
		"a tenth":        {[]float64{1, 1, 1, 1, 1, 1.15, 1.15, 1.15, 1.15, 1.15}, nil, 0},
		"all the same":   {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, nil, 0},
		"three mpiruns":  {[]float64{1, 1, 2}, nil, 0},
		"no mpirun":      {nil, nil, 0},
		"a single value": {[]float64{1}, nil, 0},
	} {
		states := folder(t, GeneralCases, c.factors, nil).States(fixture.P2)
		if got := members(states); !slices.EqualFunc(got, c.want, slices.Equal[[]int]) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		should.Hold(t, len(states) == 0 || states[0].Name == "1" && states[1].Name == "2" && states[1].By == ByCases && *states[0].Ratio == 1 && math.Abs(*states[1].Ratio-c.ratio) <= 0.05,
			"%s: %+v", name, states)
	}
	states := folder(t, GeneralCases-1, []float64{1, 2, 1, 2, 1, 2}, nil).States(fixture.P2)
	should.Hold(t, states == nil, "%d cases say how slow an mpirun was: %+v", GeneralCases-1, states)
}

func TestTheProbesTellsStatesThatFewCasesCannot(t *testing.T) {
	lines := map[int][]float64{1: {90, 95, 100}, 2: {500, 510, 90}, 3: {80, 85}, 4: {400, 600, 700}, 5: {120, 0, 110}, 6: {100, 390}}
	states := folder(t, 3, []float64{1, 1.5, 1, 1.5, 1, 1}, func(run int) (out []protocol.Probes) {
		for _, ns := range lines[run] {
			out = append(out, protocol.Probes{LineNS: ns, MemcpyNS: 9000})
		}
		return out
	}).States(fixture.P2)
	// The 2nd began slow and ended fast; the 6th has a reading of either.
	got, want := members(states), [][]int{{1, 3, 5, 6}, {2, 4}}
	must.Hold(t, slices.EqualFunc(got, want, slices.Equal[[]int]), "%v, want %v", got, want)
	a, b := states[0], states[1]
	should.Hold(t, a.By == ByLine && a.LineNS == 95 && b.LineNS == 500 && a.MemcpyNS == 9000 && a.PingPong8NS == 0 && slices.Equal(a.Changed, []int{6}) && slices.Equal(b.Changed, []int{2}) && slices.Equal(a.Steady(), []int{1, 3, 5}) && a.Ratio == nil,
		"%+v", states)
	// A quantity after the others is used where they tell nothing.
	states = folder(t, 3, []float64{1, 1, 1, 1, 1, 1}, func(run int) []protocol.Probes {
		return []protocol.Probes{{LineNS: 100, PingPong8NS: float64(1 + run%2)}}
	}).States(fixture.P2)
	should.Hold(t, slices.EqualFunc(members(states), [][]int{{2, 4, 6}, {1, 3, 5}}, slices.Equal[[]int]) && states[0].By == ByPingPong8, "%+v", states)
}

// t2 is a value of Student's t with 2 degrees of freedom, by the inverse of its
// distribution function, divided to have a normal value's quartiles.
func t2(rng *rand.Rand) float64 {
	a := 2*rng.Float64() - 1
	return a * math.Sqrt(2/(1-a*a)) * 0.6745 / 0.8165
}

// The shares are from docs/dev/statistics.md, "States".
func TestNoiseHasNoStatesAndStatesAreFound(t *testing.T) {
	const folders = 1000
	rng := rand.New(rand.NewPCG(1, 2))
	share := func(n int, sd, ratio float64, slow int, r rule, noise func(*rand.Rand) float64) float64 {
		found := 0
		for range folders {
			values := make([]float64, n)
			for i := range values {
				values[i] = math.Exp(sd * noise(rng))
				if i < slow {
					values[i] *= ratio
				}
			}
			if groups := r.groups(values); groups != nil && (slow == 0 || len(groups) == 2 && len(groups[1]) == slow) {
				found++
			}
		}
		return float64(found) / folders
	}
	normal := func(rng *rand.Rand) float64 { return rng.NormFloat64() }
	for _, n := range []int{10, 25} {
		for _, sd := range []float64{.03, .05, .08} {
			for tail, noise := range []func(*rand.Rand) float64{normal, t2} {
				got := share(n, sd, 1, 0, casesRule, noise)
				t.Logf("%d mpiruns, noise %d, sd %.2f: states in %.2f %%", n, tail, sd, 100*got)
				should.Hold(t, got <= .02, "%d mpiruns, noise %d, sd %.2f: states in %.1f %% of folders that have none", n, tail, sd, 100*got)
			}
		}
		for _, sd := range []float64{.05, .1} {
			got := share(n, sd, 1, 0, probeRule, t2)
			t.Logf("%d mpiruns, yardstick, t2, sd %.2f: states in %.2f %%", n, sd, 100*got)
			should.Hold(t, got <= .025, "%d mpiruns, yardstick, sd %.2f: states in %.1f %%", n, sd, 100*got)
		}
		for _, slow := range []int{n * 3 / 10, n * 7 / 10} {
			for _, c := range []struct{ sd, ratio, least float64 }{{.02, 1.3, .98}, {.03, 1.3, .8}, {.03, 1.5, .98}, {.05, 1.5, .7}, {.05, 2, .98}} {
				got := share(n, c.sd, c.ratio, slow, casesRule, normal)
				t.Logf("%d mpiruns, %d of them %.1f times as slow, sd %.2f: found in %.1f %%", n, slow, c.ratio, c.sd, 100*got)
				should.Hold(t, got >= c.least, "%d mpiruns, %d of them %.1f times as slow, sd %.2f: found in %.1f %%", n, slow, c.ratio, c.sd, 100*got)
			}
		}
	}
}
