package calls

import (
	"math"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestRanksAreComparedRepetitionByRepetition(t *testing.T) {
	f := &Fingerprint{NP: 3, Runs: []FingerprintRun{{Run: 1, Of: []Category{First, Good, "", Good, Good}},
		{Run: 3, Of: []Category{First}}}}
	// Repetition 2 of the first mpirun was out of sync.
	err := f.AddRanks([]RanksOfRun{
		{1, [][]int64{{100, 200, 9999, 300, 400}, {100, 250, 9, 200, 500}, {50, 50, 8888, 50, 50}}},
		{3, [][]int64{{700}, {600}, {800}}},
	})
	must.Hold(t, err == nil && len(f.ByRank) == 3, "%v %v", err, f.ByRank)
	// Rank 0 is slowest (with another) in repetitions 0 and 3 of the first mpirun, rank 1 in 0, 1
	// and 4, rank 2 in the second mpirun.
	for i, want := range []RankTimes{
		{Rank: 0, MinS: 100e-9, Q1S: 200e-9, MedianS: 300e-9, Q3S: 400e-9, MaxS: 700e-9, Slowest: .4},
		{Rank: 1, MinS: 100e-9, Q1S: 200e-9, MedianS: 250e-9, Q3S: 500e-9, MaxS: 600e-9, Slowest: .6},
		{Rank: 2, MinS: 50e-9, Q1S: 50e-9, MedianS: 50e-9, Q3S: 50e-9, MaxS: 800e-9, Slowest: .2},
	} {
		got := f.ByRank[i]
		for _, x := range [][2]float64{{got.MinS, want.MinS}, {got.Q1S, want.Q1S}, {got.MedianS, want.MedianS}, {got.Q3S, want.Q3S}, {got.MaxS, want.MaxS}, {got.Slowest, want.Slowest}} {
			if math.Abs(x[0]-x[1]) > 1e-12 || got.Rank != want.Rank {
				t.Errorf("%+v, want %+v", got, want)
				break
			}
		}
	}
	should.Hold(t, f.AddRanks(nil) == nil && len(f.ByRank) == 3, "nothing stored is something")
}
