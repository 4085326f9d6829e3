package main

import (
	"github.com/spf13/cobra"

	"pgmpi/analyze/report"
	"pgmpi/internal/experiment"
)

func statusCommand() *cobra.Command {
	var format *formatFlag
	c := &cobra.Command{
		Use:   "status DIR",
		Short: "how far a measurement is, and its batch job",
		Long: `Says how many mpiruns of a results folder are done, how long the missing ones
will take, and the state of its batch job, where pgmpi submit has submitted one.`,
		Args: wants(1, 1, "one results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := experiment.StatusOf(args[0])
			if err != nil {
				return err
			}
			return format.print(report.Statuses.Document(s), "")
		},
	}
	format = oneFormat(c.Flags(), report.Statuses)
	return c
}
