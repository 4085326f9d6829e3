package main

import (
	"context"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/internal/reading"
)

var matrixCommand = command{
	name:  "matrix",
	args:  "DIR…",
	short: "which guideline is violated in which folder",
	long: `Shows the guidelines of several results folders as rows, and each folder's
library and shapes as columns, as Table 3 of the PGMPI paper: how many sizes are
violated, and by how much at worst. Patterns only; --full shows monotony and
split-robustness too. Every folder is judged anew by its own settings. It
compares no run-times: pgmpi compare does. Needs no MPI.

Exit codes: 0, whatever is violated; 2, or 3 where a folder cannot be read.`,
	flags: func(fs *pflag.FlagSet) action {
		var o output
		fs.Bool("full", false, "print monotony and split-robustness too")
		o.formats = formatsFlag(fs, check.Matrices, "")
		o.into(fs)
		return func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return setupf("matrix: give at least one results folder; see `pgmpi help matrix`")
			}
			sides, err := reading.Sides(args)
			if err != nil {
				return err
			}
			return o.write(check.Matrices.Document(series.NewMatrix(sides)))
		}
	},
}
