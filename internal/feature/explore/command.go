package explore

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
)

func newCommand(h *command.Host) *cobra.Command {
	s := settings.Settings{Base: Experiment.Defaults()}
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "explore [gl.toml]",
		Example: "pgmpi explore --np 2 --msizes 8,1Ki,64Ki\npgmpi explore gl.toml --functions Bcast,Allreduce",
		Short:   "test the library's choices against its own algorithms",
		Long: `Measures every collective by the library's default, by each of the library's
own algorithms (MPI_T), by mock-ups, and by textbook algorithms over messages,
all in the same mpiruns. A few mpiruns choose the fastest of each at every size;
others, which measure nothing else, test whether it beats the default. Without
gl.toml the sizes are 8 B, 1, 16, 64 and 256 KiB and 1 MiB. An interrupted run
goes on with --out FOLDER --resume.

Exit codes: 1 where one of the library's own algorithms beats the default, 0
where none is shown to; 2, 3, 4 and 130 as for check. See docs/how-to-tune.md.`,
		Args:        command.OrFile(&s),
		Annotations: manual.MostNeeded("guidelines np msizes functions algorithms mpiruns max-time rank out resume dry-run full format quiet"),
		RunE:        func(c *cobra.Command, _ []string) error { return o.Measure(c.Context(), Experiment, &s) },
	}
	fs := c.Flags()
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: all collectives and the defaults)")
	s.Measuring(fs)
	s.Keys(fs, "functions", "algorithms", "select", "max-time")
	fs.Lookup("mpiruns").Usage = "mpiruns that test (default: what suits the number of candidates, at least 10)"
	o.Folder(fs, "pgmpi-explore-<UTC time>")
	o.Resumable(fs)
	o.Dry.Flags(fs)
	s.Judging(fs)
	command.Full(fs)
	o.Formats = h.FormatsFlag(fs, kind, ", all into the folder")
	return c
}
