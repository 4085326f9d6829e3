package overlap

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
)

func newCommand(h *command.Host) *cobra.Command {
	s := settings.Settings{Base: experiment.Defaults()}
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "overlap [gl.toml|DIR]",
		Example: "pgmpi overlap --np 2 --functions Bcast,Allreduce\npgmpi overlap DIR --full",
		Short:   "how much of a nonblocking call computation hides",
		Long: `Times every nonblocking collective as post and Wait, and again with computation
of the same length between the two. Shows how much of the call the computation
hides, and how much processor time MPI takes for post, progress tests (MPI_Test)
and Wait. Every mpirun searches the best distance between tests. Without gl.toml
the sizes are 8 B, 1, 16, 64 and 256 KiB and 1 MiB. With DIR, it shows a folder
of this command again, and needs no MPI.
An interrupted run goes on with --out FOLDER --resume.

Exit codes: 1 where Wait takes longer than tests in a row (NB5), or where
a call costs more with computation beside it than alone (NB7), 0 where neither
is shown; 2, 3, 4 and 130 as for check. See docs/how-to-overlap.md.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && settings.IsFolder(args[0]) {
				return nil
			}
			return command.OrFile(&s)(c, args)
		},
		Annotations: manual.MostNeeded("guidelines np msizes functions mpiruns method tests rank out resume dry-run full format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && settings.IsFolder(args[0]) {
				return o.Again(args[0], false, &s, experiment)
			}
			return o.Measure(c.Context(), experiment, &s)
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: all nonblocking collectives and the defaults)")
	s.Keys(fs, "np", "shape", "mpiruns", "functions", "msizes")
	s.Named(fs, "method", "overlap.method", "METHOD")
	s.Named(fs, "tests", "overlap.tests", "LIST")
	s.Keys(fs, "seed", "stall", "sync", "clock", "clock-sync", "cache", "launch", "hostfile", "rank", "job-file", "thread-level", "under")
	s.Keys(fs, "alpha", "adjust", "min-slowdown")
	s.Means(fs, "mpiruns", "mpiruns, for each number of processes")
	s.Means(fs, "functions", "only the nonblocking calls of these collectives: Bcast,Reduce")
	s.Means(fs, "alpha", "level of all tests together; between 0 and 1")
	s.Means(fs, "min-slowdown", "least ratio that counts, at least 1; 1.05 is five per cent slower")
	o.Folder(fs, "pgmpi-overlap-<UTC time>")
	o.Resumable(fs)
	o.Dry.Flags(fs)
	command.Full(fs)
	o.Formats = h.FormatsFlag(fs, kind, ", all into the folder")
	return c
}
