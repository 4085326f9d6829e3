package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
)

func expectCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "expect DIR",
		Short: "print what a check violates as expectations",
		Long: `Prints an [[expect]] for every violation of a results folder, or of its
report.json, for the file of --expect. Calls named there are measured as before,
but their violations are no alarms. Add a ticket, and in until the last day on
which the violation is expected:

  pgmpi expect DIR > expect.toml
  pgmpi check --expect expect.toml`,
		Args: wants(1, 1, "one results folder, or its report.json"),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := reading.Expectations(args[0])
			if err != nil {
				return fail.AsSetup(err)
			}
			_, err = fmt.Fprint(stdout, glfile.FormatExpect(list))
			if len(list) == 0 {
				warn("%s violates nothing: there is nothing to expect\n", args[0])
			}
			return err
		},
	}
	return c
}
