package calls

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
)

func fingerprintCommand(h *command.Host) *cobra.Command {
	s := settings.Settings{Base: Experiment("").Defaults()}
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "fingerprint [DIR [DIR]] CASE",
		Example: "pgmpi fingerprint --np 2 Scan:256Ki\npgmpi fingerprint before after Scan:256Ki",
		Short:   "all samples of one call: modes, distribution, ranks",
		Long: `Shows all samples of one function at one size, the CASE, such as Bcast:1Ki or
Reduce:64Ki:p4 (FUNCTION:MSIZE[:SHAPE]): which are warm-up, outliers or good,
where they cluster, quantiles, run-time by repetition, histogram, box plot and
cumulative distribution with and without outliers, each mpirun with its page
faults, the ranks side by side, how samples depend on each other, and what can
have changed them all (MPI-MiBFi, the fingerprint of a micro-benchmark).

With DIR it reads the samples of a results folder, and needs no MPI; of two
folders it compares the quantiles. Without, it measures this call alone, 1000
times in a row in each of 5 mpiruns (nrep.fixed of --guidelines, --mpiruns),
into a new folder: from the first call of each process on with --fresh, and with
--sync window alternately with several --windows, to see what each costs.`,
		Args:        command.Wants(1, 3, "FUNCTION:MSIZE[:SHAPE], after one or two results folders where it is there already"),
		Annotations: manual.MostNeeded("guidelines np mpiruns fresh counters rank full out format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Of = args[len(args)-1]; len(args) == 1 {
				return o.Measure(c.Context(), Experiment(args[0]), &s)
			}
			if len(args) == 3 {
				return command.Written(&o, quantileLists,
					func() (*[2]*Fingerprint, error) { return both(args[:2], o.Of) })
			}
			return o.Again(args[0], false, &s, Experiment(args[1]))
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: the defaults)")
	s.Keys(fs, "np", "shape", "mpiruns", "seed", "stall", "sync", "windows", "clock", "clock-sync", "cache", "fresh",
		"launch", "hostfile", "rank", "job-file", "thread-level", "counters")
	s.Means(fs, "mpiruns", "mpiruns, for each number of processes")
	o.ShownOrMeasured(fs, "pgmpi-fingerprint-<UTC time>")
	command.Full(fs)
	o.Formats = h.FormatsFlag(fs, fingerprints, "")
	return c
}
