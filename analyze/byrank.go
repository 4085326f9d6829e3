package analyze

import (
	"pgmpi/internal/stats"
)

// RankTimes is what a rank took by its own clock in the repetitions of all mpiruns,
// seconds; quartiles by R's type 7.
type RankTimes struct {
	Rank    int     `json:"rank"`
	MinS    float64 `json:"min_s"`
	Q1S     float64 `json:"q1_s"`
	MedianS float64 `json:"median_s"`
	Q3S     float64 `json:"q3_s"`
	MaxS    float64 `json:"max_s"`
	Slowest float64 `json:"slowest"` // the share of repetitions in which no rank took longer
}

// AddRanks describes the durations by rank, ns, of the mpiruns that have them, each by rank
// and repetition.
func (f *Fingerprint) AddRanks(runs [][][]int64) error {
	np := 0
	for _, ranks := range runs {
		np = max(np, len(ranks))
	}
	all, slowest := make([][]float64, np), make([]int, np)
	for _, ranks := range runs {
		longest := map[int]int64{}
		for _, series := range ranks {
			for rep, ns := range series {
				longest[rep] = max(longest[rep], ns)
			}
		}
		for rank, series := range ranks {
			for rep, ns := range series {
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
