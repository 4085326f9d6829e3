package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report/calls"
	"pgmpi/analyze/samples"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

var overlapCommand = command{
	name:  "overlap",
	args:  "[DIR]",
	short: "how much of nonblocking calls is hidden behind computation",
	long: `Measures every nonblocking collective as post and Wait, then with computation as
long as that between the two: how much of the call is hidden, and what MPI takes
of the processor: post, progress tests (MPI_Test), Wait. The best distance of
tests is searched in every mpirun. Without --guidelines the sizes are 8 B, 1,
16, 64 and 256 KiB and 1 MiB. With DIR, a folder of this command is shown again.
An interrupted run goes on with --out FOLDER --resume.

Exit codes: 1 where tests delay a call (NB5), or where it costs more with
computation beside it than alone (NB7), 0 where none is shown to, 2, 3, 4 and
130 as for check. See docs/how-to-overlap.md.`,
	flags: func(fs *pflag.FlagSet) action {
		s := settings{base: run.OverlapDefaults()}
		var o output
		s.file(fs)
		s.keys(fs, "np", "shape", "mpiruns", "functions", "msizes")
		s.named(fs, "method", "overlap.method", "METHOD")
		s.named(fs, "tests", "overlap.tests", "LIST")
		s.keys(fs, "seed", "stall", "sync", "clock", "clock-sync", "cache", "launch", "hostfile", "rank", "job-file", "thread-level", "under")
		s.keys(fs, "alpha", "adjust", "min-slowdown")
		o.folder(fs)
		o.dry(fs)
		o.formats = formatsFlag(fs, calls.Overlaps, ", all into the folder")
		return func(ctx context.Context, args []string) error {
			switch {
			case len(args) > 1:
				return setupf("overlap: give one results folder, or none; see `pgmpi help overlap`")
			case len(args) == 1 && (o.out != "" || o.dryRun || o.resume):
				return setupf("overlap: %s is shown again, and nothing is measured: leave out --out, --resume and --dry-run", args[0])
			case len(args) == 1:
				return showOverlap(&s, &o, args[0])
			}
			return overlapAnew(ctx, &s, &o)
		}
	},
}

func overlapAnew(ctx context.Context, s *settings, o *output) error {
	if o.out == "" {
		o.out = run.NewFolder("pgmpi-overlap-", time.Now())
	}
	before, err := run.Before(o.out, o.resume)
	if err != nil {
		return err
	}
	config, err := s.load(before)
	if err != nil {
		return err
	}
	if err := o.estimates(); err != nil {
		return err
	}
	if o.dryRun {
		c, err := run.NewDryOverlap(config, o.out, before, version)
		if err != nil {
			return err
		}
		c.LaunchTime = o.launchTime
		return o.plan(c, "overlap")
	}
	if before != nil && s.guidelines == "" {
		if err := run.MayStart(o.out, before, config, s.given); err != nil {
			return err
		}
	}
	c, err := run.NewOverlap(config, o.out, before, version)
	if err != nil {
		return err
	}
	if err := c.Label(o.label); err != nil {
		return err
	}
	o.progress = newProgress(o.quiet)
	c.Tell = o.progress.tell
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Close()
	err = c.MeasureOverlap(ctx)
	o.progress.clear()
	if err != nil {
		return goOnWith(err, c.Path)
	}
	found, err := reading.Overlap(c.Folder(), c.Manifest, config.Analyze)
	if err != nil {
		return err
	}
	return o.overlapInto(found, c.Folder())
}

// overlapInto puts the document into a folder and on standard output.
func (o *output) overlapInto(found *samples.Overlap, into *results.Folder) error {
	d := calls.Overlaps.Document(found)
	if err := errors.Join(reading.StoreOverlap(into, d, o.formats.stored()), o.formats.deliver(d), o.formats.print(d, into.Path)); err != nil {
		return err
	}
	warn("results: %s\n", into.Path)
	return overlapExit(found)
}

// showOverlap shows a folder of this command again.
func showOverlap(s *settings, o *output, path string) error {
	folder, m, err := reading.OpenResults(path)
	if err != nil {
		return err
	}
	config, err := s.load(m)
	if err != nil {
		return err
	}
	found, err := reading.Overlap(folder, m, config.Analyze)
	if err != nil {
		return err
	}
	d := calls.Overlaps.Document(found)
	if err := errors.Join(o.formats.deliver(d), o.formats.print(d, "")); err != nil {
		return err
	}
	return overlapExit(found)
}

// overlapExit is how the command ends that has shown it.
func overlapExit(found *samples.Overlap) error {
	switch found.Exit {
	case exitcode.Violated:
		return errFound
	case exitcode.NoVerdict:
		return &fail.Refused{Reason: found.Refused.Reason}
	case exitcode.Failed:
		var names []string
		for _, c := range found.Cases {
			if c.Wrong {
				names = append(names, c.Function)
			}
		}
		return errors.New("wrong data from " + strings.Join(names, ", "))
	}
	return nil
}
