package main

import (
	"context"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report"
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
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var o view
		o.formats(fs)
		o.folder(fs)
		return func(_ context.Context, args []string) error {
			if len(args) < 2 {
				return setupf("reproduce: give at least two results folders; see `pgmpi help reproduce`")
			}
			formats, err := pick(report.Spreads, o.format)
			if err != nil {
				return err
			}
			return reproduce(args, o.all, formats, o.out)
		}
	},
}

func reproduce(folders []string, all bool, formats []report.Format, out string) error {
	var sides []*analyze.Side
	for _, path := range folders {
		side, err := readSide(path, judge.Default())
		if err != nil {
			return err
		}
		sides = append(sides, side)
	}
	s, err := analyze.NewSpread(sides, all)
	if err != nil {
		return asSetup(err)
	}
	return writeReport(report.Spreads.Document(s), formats, out)
}
