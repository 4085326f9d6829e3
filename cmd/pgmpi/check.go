package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
)

const usualFile = "the configuration `FILE`, gl.toml (default: GL1–GL17 and the defaults)"

func checkCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "check [gl.toml]",
		Example: "pgmpi check --np 2 --msizes 8,1Ki,64Ki\npgmpi check gl.toml --baseline nights --format table,html",
		Short:   "measure and judge: all three stages",
		Long: `Stage 1 predicts how often each call must be repeated. Stage 2 measures every
collective and mock-up in 10 mpiruns, and in up to 14 more those that then look
slow. Stage 3 tests the guidelines and prints the tables. Where the medians
suggest that k calls on 1/k of the data are faster than one, further mpiruns
test that. Everything goes into a results folder; an interrupted check goes on
with --out FOLDER --resume.

With --baseline or --expect the exit code is 1 only where something is newly
wrong, and is wrong again in a second measurement: see docs/gate.md.`,
		Args:        command.OrFile(&s),
		Annotations: manual.MostNeeded("guidelines only np msizes mpiruns max-time rank baseline expect out resume dry-run full format"),
		RunE: func(c *cobra.Command, _ []string) error {
			return o.Measure(c.Context(), experiment.CheckAroundLimits(), &s)
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, usualFile)
	s.Narrows(fs, append(h.Narrows, again)...)
	s.Measuring(fs)
	s.Predicting(fs)
	s.Selecting(fs)
	s.Keys(fs, "looks", "max-mpiruns", "max-time", "no-split-experiment", "per-rank", "messages", "counters")
	s.Gate(fs)
	o.Folder(fs, "pgmpi-<UTC time>")
	o.Resumable(fs)
	o.Dry.Flags(fs)
	s.Judging(fs)
	o.Formats = h.FormatsFlag(fs, check.Reports, ", all into the folder")
	o.Explains(fs)
	return c
}

var again = settings.Narrow{Flag: "again", Usage: "check only what the check in the results folder `DIR` found violated or left open, on its processes and with its datatype", Do: reading.Again}

func nrepCommand(h *command.Host) *cobra.Command {
	return oneStage(h, experiment.Predict, &cobra.Command{
		Use:     "nrep [gl.toml]",
		Example: "pgmpi nrep gl.toml --out DIR\npgmpi nrep --np 4 --msizes 1..1Mi --out DIR",
		Short:   "stage 1 only: predict the repetitions of every case",
		Long: `Predicts for every case how many repetitions give a reproducible run median
and stores them in the results folder, where
` + "`pgmpi measure --out FOLDER` goes on.",
	})
}

func measureCommand(h *command.Host) *cobra.Command {
	return oneStage(h, experiment.Measure, &cobra.Command{
		Use:     "measure [gl.toml]",
		Example: "pgmpi measure gl.toml --out DIR\npgmpi measure --np 2 --mpiruns 20 --out DIR",
		Short:   "stage 2 only: measure all cases over R mpiruns",
		Long: `Measures with the repetitions that ` + "`pgmpi nrep --out FOLDER`" + ` predicted, or
with nrep.fixed of gl.toml. ` + "`pgmpi analyze FOLDER`" + ` judges the result.`,
	})
}

func oneStage(h *command.Host, x *run.Experiment, c *cobra.Command) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h, Resume: true} // the stages share a folder
	c.Args = command.OrFile(&s)
	c.Annotations = manual.MostNeeded("guidelines np msizes mpiruns out rank dry-run quiet")
	c.RunE = func(c *cobra.Command, _ []string) error { return o.Measure(c.Context(), x, &s) }
	fs := c.Flags()
	s.FileFlag(fs, usualFile)
	s.Measuring(fs)
	s.Selecting(fs)
	if x == experiment.Predict {
		s.Predicting(fs)
	}
	o.Folder(fs, "pgmpi-<UTC time>")
	o.Dry.Flags(fs)
	return c
}

func expectCommand(h *command.Host) *cobra.Command {
	c := &cobra.Command{
		Use:     "expect DIR",
		Example: "pgmpi expect DIR > expect.toml\npgmpi check --expect expect.toml",
		Short:   "print what a check violates as expectations",
		Long: `Prints an [[expect]] for every violation of a results folder, or of its
report.json, for the file of --expect. Calls named there are measured as before,
but their violations are no alarms. Add a ticket, and in until the last day on
which the violation is expected:`,
		Args: command.Wants(1, 1, "one results folder, or its report.json"),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := reading.Expectations(args[0])
			if err != nil {
				return fail.AsSetup(err)
			}
			_, err = fmt.Fprint(h.Stdout, glfile.FormatExpect(list))
			if len(list) == 0 {
				h.Warn("%s violates nothing: there is nothing to expect\n", args[0])
			}
			return err
		},
	}
	return c
}
