package main

import (
	"context"
	"pgmpi/internal/experiment/run"

	"github.com/spf13/pflag"
)

var statusCommand = command{
	name:  "status",
	args:  "DIR",
	short: "how far the check of a results folder is, and its batch job",
	long: `Says how many mpiruns of a results folder are done, what the missing ones will
take, and, where pgmpi submit has submitted it, the state of its batch job.`,
	flags: func(fs *pflag.FlagSet) action {
		format := oneFormat(fs, run.Statuses)
		return func(_ context.Context, args []string) error {
			if len(args) != 1 {
				return setupf("status: give one results folder; see `pgmpi help status`")
			}
			s, err := run.StatusOf(args[0])
			if err != nil {
				return err
			}
			return format.print(run.Statuses.Document(s), "")
		}
	},
}
