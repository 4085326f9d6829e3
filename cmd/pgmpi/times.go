package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/calls"
	"pgmpi/analyze/samples"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/reading"
)

// What is measured of calls in a row, where nothing says otherwise.
const (
	pipelinedRepetitions = 200 // of single calls beside them
	pipelinedMPIRuns     = 5
)

func timesCommand() *cobra.Command {
	base := glfile.Default()
	base.Job.MPIRuns = pipelinedMPIRuns
	s := settings{base: &base}
	var o output
	var pipelined, all bool
	c := &cobra.Command{
		Use:   "times [DIR]",
		Short: "the run-times of a results folder, without verdicts",
		Long: `Shows for every function and msize how long a call takes: smallest, quartiles
and largest of the run medians of all mpiruns. Needs no MPI.

With --pipelined it shows beside the time of a single call, which follows a
synchronisation, that of one among many in a row, as mppTest and IMB time it, so
that numbers can be held against theirs. Without DIR this is measured: each
collective (check.functions of --guidelines) at each size, in 5 mpiruns, into a
folder of its own; with DIR such a folder is shown again.`,
		Args:        wants(0, 1, "one results folder"),
		Annotations: mostNeeded("pipelined guidelines np msizes mpiruns rank all out format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case pipelined && len(args) == 0:
				return pipelinedAnew(c.Context(), &s, &o)
			case len(args) == 0:
				return setup(usageError(c, errors.New("give one results folder")))
			case s.first() != "":
				return setupf("times: --%s is for what is measured, and %s was measured already", s.first(), args[0])
			case pipelined:
				p, err := pipelinedOf(args[0])
				if err != nil {
					return err
				}
				return o.write(calls.PipelinedTimes.Document(p))
			}
			return showTimes(&o, args[0], all)
		},
	}
	fs := c.Flags()
	fs.BoolVar(&pipelined, "pipelined", false, "calls in a row beside single ones; measured where no folder is given")
	s.file(fs, "all collectives and the defaults")
	s.keys(fs, "np", "shape", "mpiruns", "msizes", "seed", "stall", "sync", "clock", "clock-sync", "launch", "hostfile", "rank", "job-file", "thread-level")
	s.means(fs, "mpiruns", "mpiruns, for each number of processes")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
	mockupsToo(fs, &all)
	o.formats = formatsFlag(fs, calls.RunTimes, "")
	fs.StringVar(&o.out, "out", "", "a `DIR`: with a results folder, for the document in all formats of --format; without, the folder for what is measured (default pgmpi-times-<UTC time>)")
	return c
}

func showTimes(o *output, path string, all bool) error {
	folder, m, err := reading.OpenResults(path)
	if err != nil {
		return err
	}
	j, err := reading.Described(folder, m, judge.Default())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t, err := samples.NewTimes(j.Side(path), all)
	if err != nil {
		return err
	}
	return o.write(calls.RunTimes.Document(t))
}

// pipelinedOf reads a results folder.
func pipelinedOf(path string) (*samples.Pipelined, error) {
	folder, m, err := reading.OpenResults(path)
	if err != nil {
		return nil, err
	}
	return reading.Pipelined(folder, m)
}

// pipelinedAnew measures calls in a row.
func pipelinedAnew(ctx context.Context, s *settings, o *output) error {
	if o.out == "" {
		o.out = run.NewFolder("pgmpi-times-", time.Now())
	}
	if _, err := run.Before(o.out, false); err != nil {
		return err
	}
	config, err := s.load(nil)
	if err != nil {
		return err
	}
	config.NREP.Fixed = cmp.Or(config.NREP.Fixed, pipelinedRepetitions)
	config.Job.MPIRuns = cmp.Or(config.Job.MPIRuns, pipelinedMPIRuns)
	c, err := run.NewPipelined(config, o.out, version)
	if err != nil {
		return err
	}
	o.progress = newProgress(o.quiet)
	c.Tell = o.progress.tell
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Close()
	err = c.MeasurePipelined(ctx)
	o.progress.clear()
	if err != nil {
		return err
	}
	p, err := pipelinedOf(c.Path)
	if err != nil {
		return err
	}
	if err := o.write(calls.PipelinedTimes.Document(p)); err != nil {
		return err
	}
	warn("results: %s\n", c.Path)
	return nil
}
