package reading

import (
	"pgmpi/analyze"
	"pgmpi/analyze/explore"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/samples"
	"pgmpi/internal/fail"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Fingerprint describes the samples of the case that "FUNCTION:MSIZE[:SHAPE]" names, from
// the raw files of stage 2.
func Fingerprint(folder *results.Folder, m *results.Manifest, text string) (*samples.Fingerprint, error) {
	cases, err := analyze.SelectCases(&m.Plan, text)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	i := cases[0]
	var runs []*results.Run
	for r, err := range folder.Runs(protocol.ModeMeasure, m.Plan.Cases[i].Shape, &m.Plan) {
		if err != nil {
			return nil, err
		}
		runs = append(runs, only(r, i))
	}
	name, err := nameOf(folder.Path)
	if err != nil {
		return nil, err
	}
	f, err := samples.NewFingerprint(name, m, i, runs)
	if err != nil {
		return nil, &fail.Failed{Err: err}
	}
	f.AddReading(runs, i)
	var byRank []samples.RanksOfRun
	for _, r := range runs {
		counters, counts, err := folder.CountsOfCase(r.Shape, r.Run, i)
		if err != nil {
			return nil, err
		}
		f.AddCounts(r.Run, counters, counts)
		ranks, err := folder.RanksOfCase(r.Shape, r.Run, i)
		if err != nil {
			return nil, err
		}
		if ranks != nil {
			byRank = append(byRank, samples.RanksOfRun{Run: r.Run, NS: ranks})
		}
	}
	if err := f.Correlate(); err != nil {
		return nil, err
	}
	return f, f.AddRanks(byRank)
}

// only is an mpirun without the samples of other cases.
func only(r *results.Run, plan int) *results.Run {
	for k, c := range r.Cases {
		if c.Plan != plan {
			r.Samples[k] = nil
		}
	}
	return r
}

// Overlap sums up what such a folder holds; its tests are as cfg says.
func Overlap(folder *results.Folder, m *results.Manifest, cfg judge.Config) (*samples.Overlap, error) {
	var runs []*results.Run
	for _, shape := range m.Plan.Shapes {
		for r, err := range folder.Runs(protocol.ModeOverlap, shape, &m.Plan) {
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		}
	}
	name, err := nameOf(folder.Path)
	if err != nil {
		return nil, err
	}
	config, err := ConfigOf(m)
	if err != nil {
		return nil, err
	}
	o, err := samples.NewOverlap(name, config.Overlap.Method, m, runs, cfg)
	if err != nil {
		return nil, fail.Setupf("%s: %w", folder.Path, err)
	}
	return o, nil
}

// Pipelined compares what such a folder holds.
func Pipelined(folder *results.Folder, m *results.Manifest) (*samples.Pipelined, error) {
	var runs []*results.Run
	for _, shape := range m.Plan.Shapes {
		for r, err := range folder.Runs(protocol.ModePipelined, shape, &m.Plan) {
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		}
	}
	name, err := nameOf(folder.Path)
	if err != nil {
		return nil, err
	}
	p, err := samples.NewPipelined(name, m, runs)
	if err != nil {
		return nil, fail.Setupf("%s: %w", folder.Path, err)
	}
	return p, nil
}

// JudgeExploration judges what a results folder has of an exploration.
func JudgeExploration(folder *results.Folder, m *results.Manifest, cfg judge.Config) (*explore.Exploration, error) {
	data, err := Collect(folder, m, m.R)
	if err != nil {
		return nil, err
	}
	return explore.Explore(m, data, cfg)
}
