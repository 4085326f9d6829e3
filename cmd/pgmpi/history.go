package main

import (
	"context"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report/checks"
	"pgmpi/internal/reading"
)

var historyCommand = command{
	name:  "history",
	args:  "ROOT…",
	short: "many checks one after another: what changed, and since when",
	long: `Finds the reports in and below each ROOT and shows them by time, one row for
each check: what was violated, alarms, what has gone, slow mpiruns, and how fast
the machine was. Other libraries, nodes and kernels are marked. A change of a
ratio that lasts three checks is listed with the check it began at. Checks with
other libraries or numbers of processes are series of their own. A report that
cannot be read is named and left out. Needs no MPI.

Exit codes: 0, or 2 where there is no report.`,
	flags: func(fs *pflag.FlagSet) action {
		var o output
		var cells []string
		fs.StringArrayVar(&cells, "cell", nil, "also show the ratio of a `SELECTOR` in each check: GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL16:MPI_Scan:256Ki; may be given again")
		o.formats = formatsFlag(fs, checks.Histories, "")
		o.into(fs)
		return func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return setupf("history: give at least one folder; see `pgmpi help history`")
			}
			h, err := reading.History(args, cells)
			if err != nil {
				return err
			}
			return o.write(checks.Histories.Document(h))
		}
	},
}
