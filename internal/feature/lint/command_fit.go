package lint

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/feature/lint/table"
	"pgmpi/internal/reading"
)

func newFitCommand(h *command.Host) *cobra.Command {
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:   "fit DIR",
		Short: "run-times as alpha + beta·bytes, and where not",
		Long: `Fits Hockney's model, time = alpha + beta·bytes, to the run medians of every
function, by least squares of relative errors, with intervals over mpiruns. It
says at which sizes the model does not hold, and from which size on another line
would be better, as where the library takes another algorithm. The folder may be
of a check, an exploration or imported. Needs no MPI.`,
		Args: command.Wants(1, 1, "one results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			sides, err := reading.Sides(args)
			if err != nil {
				return err
			}
			return o.Write(fits.Document(table.FitLines(sides[0])))
		},
	}
	fs := c.Flags()
	command.Full(fs)
	o.Into(fs)
	o.Formats = h.FormatsFlag(fs, fits, "")
	return c
}
