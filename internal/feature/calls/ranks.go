package calls

import (
	"pgmpi/internal/stats"
)

// RankTimes holds the times of a rank by its own clock, in seconds. They are of the repetitions of all mpiruns;
// quartiles by R's type 7.
type RankTimes struct {
	Rank    int     `json:"rank"`
	MinS    float64 `json:"min_s"`
	Q1S     float64 `json:"q1_s"`
	MedianS float64 `json:"median_s"`
	Q3S     float64 `json:"q3_s"`
	MaxS    float64 `json:"max_s"`
	Slowest float64 `json:"slowest"` // the share of repetitions in which no rank took longer
}

// RanksOfRun holds the durations of an mpirun by rank and repetition, in ns.
type RanksOfRun struct {
	Run int
	NS  [][]int64
}

// AddRanks describes the durations by rank of the mpiruns that have them. It leaves out repetitions that were out
// of sync, as everywhere: an early rank waits for a late one.
func (f *Fingerprint) AddRanks(runs []RanksOfRun) error {
	np := 0
	for _, r := range runs {
		np = max(np, len(r.NS))
	}
	all, slowest := make([][]float64, np), make([]int, np)
	for _, r := range runs {
		valid := f.validIn(r.Run)
		longest := map[int]int64{}
		for _, series := range r.NS {
			for rep, ns := range series {
				longest[rep] = max(longest[rep], ns)
			}
		}
		for rank, series := range r.NS {
			for rep, ns := range series {
				if !valid(rep) {
					continue
				}
				all[rank] = append(all[rank], float64(ns))
				if ns == longest[rep] {
					slowest[rank]++
				}
			}
		}
	}
	for rank, ns := range all {
		if len(ns) == 0 {
			continue
		}
		r := RankTimes{Rank: rank, Slowest: float64(slowest[rank]) / float64(len(ns))}
		for quarter, to := range []*float64{&r.MinS, &r.Q1S, &r.MedianS, &r.Q3S, &r.MaxS} {
			q, err := stats.Quantile(ns, float64(quarter)/4)
			if err != nil {
				return err
			}
			*to = q / 1e9
		}
		f.ByRank = append(f.ByRank, r)
	}
	return nil
}

func (f *Fingerprint) validIn(run int) func(rep int) bool {
	for i := range f.Runs {
		if f.Runs[i].Run == run {
			of := f.Runs[i].Of
			return func(rep int) bool { return rep < len(of) && of[rep] != "" }
		}
	}
	return func(int) bool { return false }
}
