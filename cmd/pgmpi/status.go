package main

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/experiment/run"
)

func statusCommand() *cobra.Command {
	var format *formatFlag
	c := &cobra.Command{
		Use:   "status DIR",
		Short: "how far a check is, and its batch job",
		Long: `Says how many mpiruns of a results folder are done, what the missing ones will
take, and, where pgmpi submit has submitted it, the state of its batch job.`,
		Args: wants(1, 1, "one results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := run.StatusOf(args[0])
			if err != nil {
				return err
			}
			return format.print(run.Statuses.Document(s), "")
		},
	}
	format = oneFormat(c.Flags(), run.Statuses)
	return c
}
