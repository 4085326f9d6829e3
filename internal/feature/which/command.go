package which

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

func newCommand(h *command.Host) *cobra.Command {
	s := settings.Settings{Base: run.Defaults(func(f *glfile.File) { f.Job.Msizes = run.UsualSizes })()}
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "which [DIR|gl.toml]",
		Example: "pgmpi which --np 2 --functions Allreduce\npgmpi which DIR",
		Short:   "which algorithm the library takes for each call",
		Long: `Tells which of its own algorithms the MPI library takes for each collective,
message size and number of processes. Open MPI's are known by their messages:
a plain call sends the same, between the same processes, as a call that is made
to take one algorithm. MPICH's are read from its selection tree. Nothing is
timed, so that more processes than cores do no harm.

With the results folder of a check, it asks for the cases of that check, with
its settings, and writes which.json into the folder. Reports on the folder then
name the algorithm beside each violation, and ` + "`pgmpi compare`" + ` names the
algorithms that changed.`,
		Args: command.OrFolder(&s),
		RunE: func(c *cobra.Command, args []string) error {
			var of *results.Manifest
			if len(args) == 1 && s.File != args[0] {
				if f := s.First(); f != "" {
					return fail.Setupf("which: a results folder has its own settings: leave out --%s", f)
				}
				var err error
				if _, of, err = reading.Open(args[0], results.Check); err != nil {
					return err
				}
				o.Out = args[0]
			}
			config, err := s.Load(of)
			if err != nil {
				return err
			}
			w, err := ask(c.Context(), config, of, nil)
			if err != nil {
				return err
			}
			return o.WriteBy(reading.Keep, kind.Document(w))
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: all collectives and the defaults)")
	s.Keys(fs, "np", "shape", "msizes", "functions", "launch", "hostfile", "rank")
	command.Full(fs)
	o.Formats = h.OneFormat(fs, kind)
	return c
}
