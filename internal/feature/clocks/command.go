package clocks

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
)

func newCommand(h *command.Host) *cobra.Command {
	x, o := &examination{Tell: h.Warn}, command.Output{Host: h}
	var barrier bool
	var calls int
	c := &cobra.Command{
		Use:     "clocks",
		Example: "pgmpi clocks --np 2,4\npgmpi clocks --np 4 --barrier",
		Short:   "examine clocks and their synchronisation on this machine",
		Long: `Shows the clocks that can time a repetition, with their resolution and cost. For
every method of clock synchronisation it shows how far the ranks' global clocks
are from rank 0's, right after it and some seconds later, and how much time, how
many rounds and how many messages it takes. It starts one mpirun for every
number of processes and every shape, and writes nothing to disk.
docs/measuring.md explains the methods.

With --barrier it shows instead when each rank leaves MPI_Barrier, by which
other benchmarks synchronise: the ranks enter at the same time on the global
clock, and record when they leave, 1000 times (--calls). --rank takes the rank
programs of several libraries, which are then shown one after the other.`,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case c.Flags().Changed("calls") && !barrier:
				return fail.Setupf("--calls goes with --barrier")
			case c.Flags().Changed("seconds") && barrier:
				return fail.Setupf("--seconds does not go with --barrier")
			case barrier:
				x.Barriers = &calls
			}
			if err := x.Check(); err != nil {
				return err
			}
			found, exits, failed := x.Do(c.Context())
			switch {
			case len(exits) > 0:
				return cmp.Or(failed, o.Write(barrierLists.Document(&exits)))
			case len(found) > 0:
				return cmp.Or(failed, o.Write(methodLists.Document(&found)))
			}
			return failed
		},
	}
	fs := c.Flags()
	fs.IntSliceVar(&x.Job.NP, "np", nil, "numbers of processes, a comma `LIST` (default: the processes of the batch job, else the cores)")
	fs.StringSliceVar(&x.Job.Shapes, "shape", nil, "shapes nodes × processes per node, a comma `LIST`: 2x1,1x2,16x32")
	fs.StringSliceVar(&x.Ranks, "rank", nil, "the rank program, or one for each of several libraries, a comma `LIST` of files (default: as for check)")
	fs.StringVar(&x.Launch, "launch", "", "the launcher, a `TEXT` that is split at spaces: \"mpirun.mpich -np {np}\" (default: what comes with the rank program's library)")
	fs.StringVar(&x.Clock, "clock", measure.Default().Clock, "the `CLOCK`: "+strings.Join(protocol.Clocks, ", "))
	fs.StringSliceVar(&x.Methods, "clock-sync", nil, "methods, a comma `LIST` (default: shared, skampi, netgauge, jk, hca, hca2, hca3 and hca3+shared; with --barrier one: shared on one host, else hca3+shared)")
	fs.Float64SliceVar(&x.Seconds, "seconds", []float64{1, 5, 10}, "when the clocks are compared, a comma `LIST` of seconds after a synchronisation")
	fs.Lookup("seconds").DefValue = "1,5,10" // as it is to be typed
	fs.BoolVar(&barrier, "barrier", false, "when each rank leaves MPI_Barrier, instead of methods of synchronisation")
	fs.IntVar(&calls, "calls", 1000, "with --barrier, how many barriers to stamp, a `NUMBER`")
	command.Full(fs)
	o.Formats = h.OneFormat(fs, methodLists)
	return c
}
