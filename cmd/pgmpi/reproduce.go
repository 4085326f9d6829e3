package main

import (
	"context"

	"github.com/spf13/pflag"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
)

var reproduceCommand = command{
	name:  "reproduce",
	args:  "DIR DIR…",
	short: "how well several measurements of one configuration repeat",
	long: `Shows for two or more results folders of the same configuration, per function
and msize, the median of each folder over the median of all,
and the spread: smallest, largest, their ratio, the coefficient of variation. It
tests nothing: compare does that for two folders. Factors that differ between
the folders are named. Needs no MPI.`,
	flags: func(fs *pflag.FlagSet) action {
		var o output
		o.functions(fs)
		o.formats = formatsFlag(fs, checks.Spreads, "")
		o.into(fs)
		return func(_ context.Context, args []string) error {
			if len(args) < 2 {
				return setupf("reproduce: give at least two results folders; see `pgmpi help reproduce`")
			}
			sides, err := readSides(judge.Default(), args...)
			if err != nil {
				return err
			}
			s, err := series.NewSpread(sides, o.all)
			if err != nil {
				return err
			}
			return o.write(checks.Spreads.Document(s))
		}
	},
}
