package campaign

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Fingerprint describes the samples of the case that "FUNCTION:MSIZE[:SHAPE]" names, from
// the raw files of stage 2.
func Fingerprint(folder *results.Folder, m *results.Manifest, text string) (*samples.Fingerprint, error) {
	i, err := samples.FindCase(&m.Plan, text)
	if err != nil {
		return nil, setup(err)
	}
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
		return nil, &Failed{Err: err}
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

// NewFingerprint is New for the one case that "FUNCTION:MSIZE[:SHAPE]" names, whose
// nrep.fixed repetitions are made in a row.
func NewFingerprint(config *glfile.File, path, text, version string) (*Campaign, error) {
	function, size, on, err := samples.ParseCase(text)
	if err != nil {
		return nil, setup(err)
	}
	if extent := guidelines.Extent(config.Job.Datatype); size%extent != 0 {
		return nil, setupf("%s is no multiple of the %d bytes of job.datatype = %q", conf.HumanSize(size), extent, config.Job.Datatype)
	}
	if on != "" {
		shape, err := guidelines.ParseShape(strings.TrimPrefix(on, "p"))
		if np, e := strconv.Atoi(strings.TrimPrefix(on, "p")); strings.HasPrefix(on, "p") && e == nil {
			shape, err = guidelines.Shape{NP: np}, nil
		}
		if err != nil {
			return nil, setup(err)
		}
		config.Job.NP, config.Job.Shapes = nil, nil
		if shape.Nodes > 0 {
			config.Job.Shapes = []string{shape.String()}
		} else {
			config.Job.NP = []int{shape.NP}
		}
	}
	return planned(config, path, nil, version, findLaunch, func(np []int) (*guidelines.Plan, error) {
		p, err := config.Plan(np)
		if err != nil {
			return nil, err
		}
		if len(p.Shapes) > 1 {
			return nil, errors.New("a fingerprint is of one number of processes or one shape")
		}
		p.Guidelines, p.Tests, p.Notes = []guidelines.Guideline{}, []guidelines.Test{}, nil
		p.Cases = []guidelines.Case{{Function: function, Msize: size, Shape: p.Shapes[0]}}
		return p, nil
	})
}

// MeasureAlone is stage 2 of a campaign without guidelines.
func (c *Campaign) MeasureAlone(ctx context.Context) error {
	c.plan(protocol.ModeMeasure, c.Manifest.R)
	return c.measure(ctx, 1, c.Manifest.R)
}
