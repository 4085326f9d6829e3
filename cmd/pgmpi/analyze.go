package main

import (
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/internal/command"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
)

func analyzeCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h}
	var summaries []string
	c := &cobra.Command{
		Use:     "analyze DIR",
		Example: "pgmpi analyze DIR --explain violated\npgmpi analyze DIR --format html=page.html",
		Short:   "stage 3 only: judge a results folder again",
		Long: `Reads the raw files of a results folder, filters and tests them, prints the
tables and writes report.json into the folder, or into another with --out. The
folder's gl.toml has the settings, and flags beat them. --explain prints what
verdicts rest on, in place of the tables. Needs no MPI.

--summary LIST prints what the check would have said by other summaries of the
same samples, as other benchmarks take them, beside ours.`,
		Args:        command.Wants(1, command.AnyNumber, "one results folder"),
		Annotations: manual.MostNeeded("explain baseline expect method alpha min-slowdown out full format"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fail.Setupf("analyze: give one results folder: `pgmpi compare` and `pgmpi history` take several")
			}
			if len(summaries) > 0 {
				return command.Written(&o, checks.SummaryLists, func() (*series.Summaries, error) { return reading.Summaries(args[0], summaries, s.Load) })
			}
			return o.Again(args[0], true, &s, h.Analyzed()...)
		},
	}
	fs := c.Flags()
	s.Judging(fs)
	s.Gate(fs)
	o.Formats = h.FormatsFlag(fs, check.Reports, ", all into the folder")
	o.Explains(fs)
	fs.StringSliceVar(&summaries, "summary", nil, "what other summaries would say, a comma `LIST` of "+strings.Join(judge.Strings(series.OtherSummaries), ", "))
	more := h.Extend(c, &s, &o)
	fs.StringVar(&o.Out, "out", "", "a `DIR` for the report (default: the results folder, unless its report was made with other settings)"+more)
	return c
}
