package main

import (
	"github.com/spf13/cobra"

	"pgmpi/analyze/report"
	"pgmpi/internal/experiment"
	"pgmpi/internal/settings"
	"pgmpi/internal/untimed"
)

func whichCommand() *cobra.Command {
	s := settings.Settings{Base: experiment.Explore.Defaults()}
	var o output
	c := &cobra.Command{
		Use:   "which",
		Short: "which algorithm the library takes for each call",
		Long: `Tells which of its own algorithms the MPI library takes for each collective,
message size and number of processes. Open MPI's are known by their messages:
a plain call sends the same, between the same processes, as a call that is made
to take one algorithm. MPICH's are read from its selection tree. Nothing is
timed, so that more processes than cores do no harm.`,
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := s.Load(nil)
			if err != nil {
				return err
			}
			w, err := untimed.Which(c.Context(), config, nil)
			if err != nil {
				return err
			}
			return o.write(report.AlgorithmChoices.Document(w))
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: all collectives and the defaults)")
	s.Keys(fs, "np", "shape", "msizes", "functions", "launch", "hostfile", "rank")
	full(fs)
	o.formats = oneFormat(fs, report.AlgorithmChoices)
	return c
}
