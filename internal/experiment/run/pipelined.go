package run

import (
	"context"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// NewPipelined is New for the collectives alone, each as single calls and as calls in a row.
func NewPipelined(config *glfile.File, path, version string) (*Campaign, error) {
	functions := config.Check.Functions
	if len(functions) == 0 {
		for _, f := range mockups.All() {
			if f.Regular && !f.IsMockup() {
				functions = append(functions, f.ID)
			}
		}
	}
	return planned(config, path, nil, version, findLaunch, func(np []int) (*guidelines.Plan, error) {
		p, err := config.Plan(np)
		if err != nil {
			return nil, err
		}
		sizes, _, err := guidelines.FitMsizes(config.Job.Msizes, guidelines.Extent(p.Datatype))
		if err != nil {
			return nil, err
		}
		p.Guidelines, p.Tests, p.Notes, p.Cases = []guidelines.Guideline{}, []guidelines.Test{}, nil, nil
		for _, shape := range p.Shapes {
			for _, function := range functions {
				for _, size := range sizes {
					p.Cases = append(p.Cases, guidelines.Case{Function: function, Msize: size, Shape: shape})
				}
			}
		}
		return p, nil
	})
}

// MeasurePipelined does the mpiruns.
func (c *Campaign) MeasurePipelined(ctx context.Context) error {
	c.plan(protocol.ModePipelined, c.Manifest.R)
	return c.stage(ctx, protocol.ModePipelined, 1, c.Manifest.R)
}
