package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/reading"
)

var expectCommand = command{
	name:  "expect",
	args:  "DIR",
	short: "print what a check violates as expectations",
	long: `Prints an [[expect]] for every violation of a results folder, or of its
report.json, for the file of --expect: what it names is measured, and is no
alarm. Add a ticket, and until, the last day on which it is expected:

  pgmpi expect DIR > expect.toml
  pgmpi check --expect expect.toml`,
	flags: func(*pflag.FlagSet) action {
		return func(_ context.Context, args []string) error {
			if len(args) != 1 {
				return setupf("expect: give one results folder, or its report.json; see `pgmpi help expect`")
			}
			list, err := reading.Expectations(args[0])
			if err != nil {
				return setup(err)
			}
			_, err = fmt.Fprint(stdout, glfile.FormatExpect(list))
			if len(list) == 0 {
				warn("%s violates nothing: there is nothing to expect\n", args[0])
			}
			return err
		}
	},
}
