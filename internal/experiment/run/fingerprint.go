package run

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure/protocol"
)

// NewFingerprint is New for the one case that "FUNCTION:MSIZE[:SHAPE]" names, whose
// nrep.fixed repetitions are made in a row.
func NewFingerprint(config *glfile.File, path, text, version string) (*Campaign, error) {
	function, size, on, err := samples.ParseCase(text)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	if extent := guidelines.Extent(config.Job.Datatype); size%extent != 0 {
		return nil, fail.Setupf("%s is no multiple of the %d bytes of job.datatype = %q", conf.HumanSize(size), extent, config.Job.Datatype)
	}
	if on != "" {
		shape, err := guidelines.ParseShape(strings.TrimPrefix(on, "p"))
		if np, e := strconv.Atoi(strings.TrimPrefix(on, "p")); strings.HasPrefix(on, "p") && e == nil {
			shape, err = guidelines.Shape{NP: np}, nil
		}
		if err != nil {
			return nil, fail.AsSetup(err)
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
