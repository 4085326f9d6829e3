package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/calls"
	"pgmpi/analyze/samples"
	"pgmpi/internal/command"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
)

func timesCommand(h *command.Host) *cobra.Command {
	s := settings.Settings{Base: experiment.Pipelined.Defaults()}
	o := command.Output{Host: h}
	var pipelined, all bool
	c := &cobra.Command{
		Use:   "times [DIR]",
		Short: "the run-times of a results folder, without verdicts",
		Long: `Shows for every function and msize how long a call takes: smallest, quartiles
and largest of the run medians of all mpiruns. Needs no MPI.

With --pipelined it shows two times: of a single call, which follows a
synchronisation, and of one call among many in a row, which mppTest and IMB
time too, so that their numbers can be compared with these. Without DIR this is
measured: each collective (check.functions of --guidelines) at each size, in 5
mpiruns, into a new folder; with DIR such a folder is shown again.`,
		Args:        command.Wants(0, 1, "one results folder"),
		Annotations: manual.MostNeeded("pipelined guidelines np msizes mpiruns rank all full out format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case pipelined && len(args) == 0:
				return o.Measure(c.Context(), experiment.Pipelined, &s)
			case len(args) == 0:
				return fail.AsSetup(command.UsageError(c, errors.New("give one results folder")))
			case s.First() != "":
				return fail.Setupf("times: --%s is for what is measured, and %s was measured already", s.First(), args[0])
			case pipelined:
				return o.Again(args[0], false, &s, experiment.Pipelined)
			}
			return showTimes(&o, args[0], all)
		},
	}
	fs := c.Flags()
	fs.BoolVar(&pipelined, "pipelined", false, "calls in a row beside single ones; measured where no folder is given")
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: all collectives and the defaults)")
	s.Keys(fs, "np", "shape", "mpiruns", "msizes", "seed", "stall", "sync", "clock", "clock-sync", "launch", "hostfile", "rank", "job-file", "thread-level")
	s.Means(fs, "mpiruns", "mpiruns, for each number of processes")
	o.ShownOrMeasured(fs, "pgmpi-times-<UTC time>")
	command.MockupsToo(fs, &all)
	command.Full(fs)
	o.Formats = h.FormatsFlag(fs, calls.RunTimes, "")
	return c
}

func showTimes(o *command.Output, path string, all bool) error {
	folder, m, err := reading.Open(path, reading.Timed...)
	if err != nil {
		return err
	}
	j, err := reading.Judge(folder, m, judge.Default())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t, err := samples.NewTimes(j.Side(path), all)
	if err != nil {
		return err
	}
	return o.Write(calls.RunTimes.Document(t))
}
