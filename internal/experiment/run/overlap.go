package run

import (
	"context"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// What `pgmpi overlap` measures, where nothing says otherwise.
const (
	overlapMPIRuns     = 10
	OverlapRepetitions = 50
)

// OverlapStages are the stages of what NewOverlap makes.
var OverlapStages = []protocol.Mode{protocol.ModeOverlap}

// OverlapDefaults is what flags of `pgmpi overlap` beat.
func OverlapDefaults() *glfile.File {
	f := glfile.Default()
	f.Job.Msizes, f.Job.MPIRuns, f.NREP.Fixed = exploreSizes, overlapMPIRuns, OverlapRepetitions
	f.Check.Guidelines = []string{"everything"} // so that check.functions may name any
	return &f
}

// NewOverlap is New for nonblocking calls with computation beside them. before is the
// manifest of the folder that is resumed, or nil.
func NewOverlap(config *glfile.File, path string, before *results.Manifest, version string) (*Campaign, error) {
	return newOverlap(config, path, before, version, findLaunch)
}

// NewDryOverlap is NewOverlap for a Plan that is only shown: nothing is started.
func NewDryOverlap(config *glfile.File, path string, before *results.Manifest, version string) (*Campaign, error) {
	return newOverlap(config, path, before, version, func(config *glfile.File, m *results.Manifest) (string, error) {
		return seeLaunch(config, m, before)
	})
}

func newOverlap(config *glfile.File, path string, before *results.Manifest, version string,
	find func(*glfile.File, *results.Manifest) (string, error)) (*Campaign, error) {
	if before != nil && !isOverlap(before) {
		return nil, fail.Setupf("%s is no folder of pgmpi overlap: go on with the command that has made it, or take a new folder with --out", path)
	}
	if sync := config.Measure.Sync; strings.HasPrefix(sync, "window") {
		return nil, fail.Setupf("measure.sync = %q: a window of the call's own length has no room for computation; take round_time or a barrier (--sync)", sync)
	}
	if config.NREP.Fixed == 0 {
		config.NREP.Fixed = OverlapRepetitions
	}
	if config.Job.MPIRuns == 0 && len(config.Job.Looks) == 0 {
		config.Job.MPIRuns = overlapMPIRuns
	}
	return planned(config, path, before, version, find, func(np []int) (*guidelines.Plan, error) { return overlapPlan(config, np) })
}

// isOverlap tells whether a folder's plan is one of overlapPlan.
func isOverlap(m *results.Manifest) bool {
	return len(m.Plan.Tests) == 0 && !slices.ContainsFunc(m.Plan.Cases, func(c guidelines.Case) bool {
		f, _ := mockups.Get(c.Function)
		return f.Call != mockups.Nonblocking
	})
}

// overlapPlan has every nonblocking collective at each size, and tests nothing.
func overlapPlan(config *glfile.File, np []int) (*guidelines.Plan, error) {
	f := *config
	f.Check, f.Guideline = guidelines.Default(), nil // which there are does not matter
	p, err := f.Plan(np)
	if err != nil {
		return nil, err
	}
	sizes, _, err := guidelines.FitMsizes(config.Job.Msizes, guidelines.Extent(p.Datatype))
	if err != nil {
		return nil, err
	}
	p.Guidelines, p.Tests, p.Notes, p.Cases = []guidelines.Guideline{}, []guidelines.Test{}, nil, nil
	for _, shape := range p.Shapes {
		for _, f := range mockups.Variants() {
			of, _ := mockups.Get(f.Of)
			wanted := len(config.Check.Functions) == 0 || slices.Contains(config.Check.Functions, f.Of)
			if f.Call != mockups.Nonblocking || !of.Regular || !wanted {
				continue
			}
			for _, size := range sizes {
				p.Cases = append(p.Cases, guidelines.Case{Function: f.ID, Msize: size, Shape: shape})
			}
		}
	}
	if len(p.Cases) == 0 {
		return nil, fail.Setupf("check.functions (--functions) names no collective that is overlapped: those with data and equal parts are")
	}
	return p, nil
}

// MeasureOverlap does the mpiruns.
func (c *Campaign) MeasureOverlap(ctx context.Context) error {
	c.plan(protocol.ModeOverlap, c.Manifest.R)
	return c.stage(ctx, protocol.ModeOverlap, 1, c.Manifest.R)
}
