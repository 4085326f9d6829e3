package overlap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/overlap/work"
	"pgmpi/internal/reading"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// These hold where nothing says otherwise.
const (
	mpiruns     = 10
	repetitions = 50
)

var experiment = &run.Experiment{Kind: results.Kind(work.Work.Name), Prepare: prepare, Plan: plan,
	Defaults: run.Defaults(func(f *glfile.File) {
		f.Job.Msizes, f.Job.MPIRuns, f.NREP.Fixed = run.UsualSizes, mpiruns, repetitions
		f.Check.Guidelines = []string{"everything"} // so that check.functions may name any
	}),
	// A call is made alone, and then, after a search, in alternation: alone again, and in three ways
	// with computation or tests during it. Each of these, and the search, has as many calls.
	Stages: []run.Stage{{Mode: protocol.Mode(work.Work.Name), Name: "overlap", Doing: "computing beside calls", Runs: run.AllMpiruns, Work: ask, Load: 9}},
	Mpiruns: func(c *run.Campaign) (string, int) {
		return fmt.Sprintf("R = %d, each with %s of a call alone, and as many beside computation (%s)",
			c.Manifest.R, conf.Plural(c.Config.NREP.Fixed, "repetition"), glfile.Of(c.Config, section).Method), 0
	},
	Judge: func(c *run.Campaign) (*run.Found, error) {
		return run.JudgeSamples(c, kind, func(name string, runs []*results.Run) (*Overlap, error) {
			own, err := reading.ConfigOf(c.Manifest)
			if err != nil {
				return nil, err
			}
			return NewOverlap(name, glfile.Of(own, section).Method, c.Manifest, runs, c.Config.Analyze)
		})
	},
	Answer: kind}

func ask(config *glfile.File) *measure.Work {
	return &measure.Work{Calls: "overlapped calls", Ask: func(j *protocol.CallsJob) (*protocol.Asked, error) {
		j.Sample = protocol.SampleLocal // as what it is compared with: by the ranks' own clocks
		c := glfile.Of(config, section)
		tests, err := intervals(c.Tests)
		if err != nil {
			return nil, err
		}
		return work.Work.Ask(work.Job{Method: c.Method, Intervals: tests})
	}}
}

func prepare(_ context.Context, config *glfile.File, _ run.Options) (*glfile.File, error) {
	if sync := config.Measure.Sync; strings.HasPrefix(sync, "window") {
		return nil, fail.Setupf("measure.sync = %q: a window of the call's own length has no room for computation; take round_time or a barrier (--sync)", sync)
	}
	config.NREP.Fixed = cmp.Or(config.NREP.Fixed, repetitions)
	if len(config.Job.Looks) == 0 {
		config.Job.MPIRuns = cmp.Or(config.Job.MPIRuns, mpiruns)
	}
	return config, nil
}

// plan has every nonblocking collective at each size.
func plan(config *glfile.File) (*guidelines.Plan, error) {
	var functions []string
	for _, f := range mockups.Variants() {
		of, _ := mockups.Get(f.Of)
		wanted := len(config.Check.Functions) == 0 || slices.Contains(config.Check.Functions, f.Of)
		if f.Call == mockups.Nonblocking && of.Regular && wanted {
			functions = append(functions, f.ID)
		}
	}
	if len(functions) == 0 {
		return nil, fail.Setupf("check.functions (--functions) names no collective that is overlapped: those with data and equal parts are")
	}
	return config.CasesOnly(config.Job.NP, functions)
}
