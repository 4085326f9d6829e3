package main

import (
	"github.com/spf13/cobra"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/command"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
)

func analyzeCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "analyze DIR",
		Example: "pgmpi analyze DIR --explain violated\npgmpi analyze DIR --format html=page.html",
		Short:   "stage 3 only: judge a results folder again",
		Long: `Reads the raw files of a results folder, filters and tests them, prints the
tables and writes report.json into the folder, or into another with --out. The
folder's gl.toml has the settings, and flags beat them. --explain prints what
verdicts rest on, in place of the tables. Needs no MPI.`,
		Args:        command.Wants(1, command.AnyNumber, "one results folder"),
		Annotations: manual.MostNeeded("explain baseline expect method alpha min-slowdown out full format"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fail.Setupf("analyze: give one results folder: `pgmpi compare` and `pgmpi history` take several")
			}
			return o.Again(args[0], true, &s, h.Analyzed()...)
		},
	}
	fs := c.Flags()
	s.Judging(fs)
	s.Gate(fs)
	o.Formats = h.FormatsFlag(fs, check.Reports, ", all into the folder")
	o.Explains(fs)
	more := h.Extend(c, &s, &o)
	fs.StringVar(&o.Out, "out", "", "a `DIR` for the report (default: the results folder, unless its report was made with other settings)"+more)
	return c
}
