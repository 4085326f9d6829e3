package averages

import (
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// judged judges a results folder by run medians, and by other summaries of its samples.
func judged(path string, names []string, load func(*results.Manifest) (*glfile.File, error)) (*Summaries, error) {
	folder, m, err := reading.Open(path, results.Check)
	if err != nil {
		return nil, err
	}
	config, err := load(m)
	if err != nil {
		return nil, err
	}
	by := []Summary{RunMedian}
	for _, name := range names {
		if s := Summary(name); !slices.Contains(others, s) {
			return nil, fail.Setupf("--summary: %s", conf.Unknown("summary", name, judge.Strings(others)))
		} else {
			by = append(by, s)
		}
	}
	var sides []*analyze.Side
	for _, s := range by {
		set, err := reading.CollectBy(folder, m, m.R, func(r *results.Run) error { return summarised(folder, s, r) })
		if err != nil {
			return nil, err
		}
		j, err := reading.Judged(folder, m, set, config.Analyze)
		if err != nil {
			return nil, err
		}
		sides = append(sides, j.Side(path))
	}
	return newSummaries(by, sides), nil
}

// summarised replaces the samples of an mpirun by a summary.
func summarised(folder *results.Folder, s Summary, r *results.Run) error {
	if s.ByRank() && r.Mode != protocol.ModeMeasure {
		return nil // others are not stored by rank, and not asked
	}
	var ranks map[int][][]int64
	if s.ByRank() {
		var err error
		if ranks, err = folder.Ranks(r.Shape, r.Run); err != nil {
			return err
		}
	}
	for i, c := range r.Cases {
		if s.ByRank() && len(r.Samples[i]) > 0 && len(ranks[c.Plan]) == 0 {
			return fail.Setupf("--summary %s: %s has no times by rank; `pgmpi check --per-rank` stores them", s, folder.Path)
		}
		s.Put(r.Samples[i], ranks[c.Plan])
	}
	return nil
}
