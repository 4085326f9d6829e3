package experiment

import (
	"cmp"
	"context"

	"pgmpi/analyze/report/calls"
	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// What is measured of calls in a row, where nothing says otherwise.
const (
	pipelinedRepetitions = 200 // of single calls beside them
	pipelinedMPIRuns     = 5
)

// Pipelined times the collectives alone, each as single calls and as calls in a row.
var Pipelined = &run.Experiment{Kind: results.Pipelined, Name: "times",
	Defaults: run.Defaults(func(f *glfile.File) { f.Job.MPIRuns = pipelinedMPIRuns }),
	Prepare: func(_ context.Context, config *glfile.File, _ run.Options) (*glfile.File, error) {
		config.NREP.Fixed = cmp.Or(config.NREP.Fixed, pipelinedRepetitions)
		config.Job.MPIRuns = cmp.Or(config.Job.MPIRuns, pipelinedMPIRuns)
		return config, nil
	},
	Plan: func(config *glfile.File) (*guidelines.Plan, error) {
		functions := config.Check.Functions
		if len(functions) == 0 {
			for _, f := range mockups.All() {
				if f.Regular && !f.IsMockup() {
					functions = append(functions, f.ID)
				}
			}
		}
		return config.CasesOnly(config.Job.NP, functions)
	},
	Stages: []run.Stage{{Mode: protocol.ModePipelined, Name: "calls in a row", Doing: "measuring calls in a row", Runs: run.AllMpiruns}},
	Judge: func(c *run.Campaign) (*run.Found, error) {
		return run.JudgeSamples(c, calls.PipelinedTimes, func(name string, runs []*results.Run) (*samples.Pipelined, error) {
			return samples.NewPipelined(name, c.Manifest, runs)
		})
	},
	Answer: calls.PipelinedTimes}
