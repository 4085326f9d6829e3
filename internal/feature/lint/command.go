package lint

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
)

func newCommand(h *command.Host) *cobra.Command {
	base := glfile.Default()
	base.Job.NP, base.Job.Msizes = []int{64, 1024, 65536}, []string{"8", "64", "512", "4Ki", "32Ki", "256Ki", "1Mi"}
	s, l := settings.Settings{Base: &base}, Lint{Prices: usualPrices}
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "lint [gl.toml]",
		Example: "pgmpi lint --np 128,1024\npgmpi lint --np 64 --functions Bcast --table tree.json",
		Short:   "what a library's table of algorithms seems to break",
		Long: `Takes the algorithm that a library chooses for each call, what it costs in
messages and bytes, and prices for these, and holds guidelines against the
times. Nothing is measured and no MPI is needed, so that processes may be many:
what is found is suspected by table, never violated. It shows the guidelines
whose predictions came true where nothing was fitted; --all shows the others
too. docs/at-scale.md says how far tables can be believed.`,
		Args:        command.Wants(0, 1, "gl.toml"),
		Annotations: manual.MostNeeded("np msizes functions table all out format full"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := command.OrFile(&s)(c, args); err != nil {
				return fail.AsSetup(err)
			}
			config, err := s.Load(nil)
			if err != nil {
				return err
			}
			d, err := l.Plan(config)
			if err != nil {
				return err
			}
			return o.Write(d)
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: GL1–GL17 and the defaults)")
	s.Keys(fs, "np", "shape", "msizes", "functions")
	fs.StringVar(&l.Table, "table", openMPI, "the `TABLE` of algorithms: openmpi (4.1 and 5.0), or a file: rules of Open MPI (text or JSON), MPICH's tree (JSON) or libmpich.so, a which.json, a text")
	fs.Float64Var(&l.Prices.Alpha, "latency", l.Prices.Alpha, "microseconds `US` of a message")
	fs.Float64Var(&l.Prices.Gap, "gap", l.Prices.Gap, "microseconds `US` of a message that is not waited for")
	fs.Float64Var(&l.Prices.Beta, "beta", l.Prices.Beta, "nanoseconds `NS` of a byte")
	fs.Float64Var(&l.Prices.Gamma, "gamma", l.Prices.Gamma, "nanoseconds `NS` of a byte that is reduced")
	fs.Float64Var(&l.Prices.Copy, "copy", l.Prices.Copy, "nanoseconds `NS` of a byte that is copied")
	fs.BoolVar(&l.All, "all", false, "all guidelines, not only those that tables predict well")
	command.Full(fs)
	o.Into(fs)
	o.Formats = h.FormatsFlag(fs, kind, "")
	return c
}
