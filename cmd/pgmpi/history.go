package main

import (
	"github.com/spf13/cobra"

	"pgmpi/analyze/report/checks"
	"pgmpi/internal/reading"
)

func historyCommand() *cobra.Command {
	var o output
	var cells []string
	c := &cobra.Command{
		Use:   "history ROOT…",
		Short: "checks one after another: what changed, and since when",
		Long: `Finds the reports in and below each ROOT and shows them by time, one row for
each check: violations, alarms, violations that are gone, slow mpiruns, and the
speed of the machine. A mark shows where library, node or kernel changed. A
ratio that changes for three checks or more is listed with the check at which it
began. Each library and number of processes has a series of its own. A report
that cannot be read is named and left out. Needs no MPI.

Exit codes: 0, or 2 where there is no report.`,
		Args: wants(1, anyNumber, "at least one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			h, err := reading.History(args, cells)
			if err != nil {
				return err
			}
			return o.write(checks.Histories.Document(h))
		},
	}
	fs := c.Flags()
	fs.StringArrayVar(&cells, "cell", nil, "also show the ratio of a `SELECTOR` in each check: GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL16:Scan:256Ki; may be given again")
	full(fs)
	o.formats = formatsFlag(fs, checks.Histories, "")
	o.into(fs)
	return c
}
