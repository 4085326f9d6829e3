package main

import (
	"context"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report"
)

var timesCommand = command{
	name:  "times",
	args:  "DIR",
	short: "the run-times of a results folder, without verdicts",
	long: `Shows for every function and msize how long a call takes: smallest, quartiles
and largest of the run medians of all mpiruns. Needs no MPI.`,
	flags: func(fs *pflag.FlagSet) action {
		var o output
		o.functions(fs)
		o.formats = formatsFlag(fs, report.RunTimes, "")
		o.into(fs)
		return func(_ context.Context, args []string) error {
			if len(args) != 1 {
				return setupf("times: give one results folder; see `pgmpi help times`")
			}
			sides, err := readSides(judge.Default(), args[0])
			if err != nil {
				return err
			}
			t, err := analyze.NewTimes(sides[0], o.all)
			if err != nil {
				return err
			}
			return o.write(report.RunTimes.Document(t))
		}
	},
}
