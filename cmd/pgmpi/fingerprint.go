package main

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report/calls"
	"pgmpi/analyze/samples"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/reading"
)

// What is measured anew for a fingerprint, where nothing says otherwise.
const (
	fingerprintRepetitions = 1000
	fingerprintMPIRuns     = 5
)

var fingerprintCommand = command{
	name:  "fingerprint",
	args:  "[DIR] CASE",
	short: "all samples of one call: modes, distribution, ranks",
	long: `Shows all samples of one function at one size, the CASE, such as Bcast:1Ki or
MPI_Reduce:64Ki:p4 (FUNCTION:MSIZE[:SHAPE]): which are first ones, warm-up,
outliers or good, where they cluster, quantiles, run-time by repetition,
histogram, box plot and cumulative distribution, with and without outliers, each
mpirun with its page faults, the ranks side by side, the dependence of samples
on each other, and what can have changed them all (MPI-MiBFi, the fingerprint of
a micro-benchmark).

With DIR the samples are those of a results folder, and no MPI is needed.
Without, the call alone is measured anew, 1000 times in a row in each of 5
mpiruns, into a folder of its own (--mpiruns; nrep.fixed of --guidelines).`,
	flags: func(fs *pflag.FlagSet) action {
		base := glfile.Default()
		base.Job.MPIRuns = fingerprintMPIRuns
		s := settings{base: &base}
		var o output
		s.file(fs)
		s.keys(fs, "np", "shape", "mpiruns", "seed", "stall", "sync", "clock", "clock-sync", "cache", "launch", "hostfile", "rank", "job-file", "thread-level", "counters")
		fs.StringVar(&o.out, "out", "", "a `DIR`: with a results folder, for the document in all formats of --format; without, the folder for what is measured (default pgmpi-fingerprint-<UTC time>)")
		fs.BoolVar(&o.quiet, "quiet", false, "no progress")
		o.formats = formatsFlag(fs, calls.Fingerprints, "")
		return func(ctx context.Context, args []string) error {
			switch len(args) {
			case 1:
				return fingerprintAnew(ctx, &s, &o, args[0])
			case 2:
				f, err := fingerprintOf(args[0], args[1])
				if err != nil {
					return err
				}
				return o.write(calls.Fingerprints.Document(f))
			}
			return setupf("fingerprint: give a results folder and FUNCTION:MSIZE[:SHAPE], or only the latter; see `pgmpi help fingerprint`")
		}
	},
}

// fingerprintOf reads a results folder.
func fingerprintOf(path, text string) (*samples.Fingerprint, error) {
	folder, m, err := reading.OpenResults(path)
	if err != nil {
		return nil, err
	}
	return reading.Fingerprint(folder, m, text)
}

// fingerprintAnew measures a case alone.
func fingerprintAnew(ctx context.Context, s *settings, o *output, text string) error {
	if o.out == "" {
		o.out = run.NewFolder("pgmpi-fingerprint-", time.Now())
	}
	if _, err := run.Before(o.out, false); err != nil {
		return err
	}
	config, err := s.load(nil)
	if err != nil {
		return err
	}
	// A file may leave these to check, which has other ones.
	config.Measure.PerRank, config.Measure.Turns = true, 1
	config.NREP.Fixed = cmp.Or(config.NREP.Fixed, fingerprintRepetitions)
	config.Job.MPIRuns = cmp.Or(config.Job.MPIRuns, fingerprintMPIRuns)
	c, err := run.NewFingerprint(config, o.out, text, version)
	if err != nil {
		return err
	}
	o.progress = newProgress(o.quiet)
	c.Tell = o.progress.tell
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Close()
	err = c.MeasureAlone(ctx)
	o.progress.clear()
	if err != nil {
		return err
	}
	f, err := fingerprintOf(c.Path, text)
	if err != nil {
		return err
	}
	if err := o.write(calls.Fingerprints.Document(f)); err != nil {
		return err
	}
	warn("results: %s\n", c.Path)
	return nil
}
