package main

import (
	"slices"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

// A sample is the longest duration of any rank.
func TestDurationsOfAllRanksGiveTheSamples(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		for _, np := range []int{1, 2} {
			j := syncJob(np, 50)
			j.Measure.PerRank, j.Sample = true, protocol.SampleLocal
			j.Order = slices.Repeat(j.Order, 5)
			out := must.Get(b.RunJob(np, j))(t)
			for i, c := range out.Cases {
				ranks := out.Ranks[i]
				if len(ranks) != np {
					t.Fatalf("p = %d: durations of %d ranks", np, len(ranks))
				}
				for k, s := range out.Samples[i] {
					longest := int64(0)
					for _, series := range ranks {
						if len(series) != c.NRep {
							t.Fatalf("p = %d: %d durations of %d repetitions", np, len(series), c.NRep)
						}
						longest = max(longest, series[k])
					}
					if longest != s.NS {
						t.Fatalf("p = %d, case %d, repetition %d: a sample of %d ns, and the longest duration is %d ns", np, i, k, s.NS, longest)
					}
				}
			}
		}
	})
}

func TestDurationsByRankAreStoredIfAskedFor(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.Check("--guidelines", b.TOML(quick), "--per-rank").Exits(t, 0, 1, 4)
	folder, m := must.Two(results.Open(b.Out))(t)
	for i := range m.Plan.Cases {
		ranks, err := folder.RanksOfCase(m.Plan.Shapes[0], m.R, i)
		if err != nil || len(ranks) != 2 || len(ranks[1]) != 10 {
			t.Errorf("case %d: %v, %v", i, ranks, err)
		}
	}
	b.Pgmpi("fingerprint", b.Out, "Bcast:8", "--full").Exits(t, 0).Shows(t, `^By rank, each by its own clock`, `^ +1 .* %`)
}
