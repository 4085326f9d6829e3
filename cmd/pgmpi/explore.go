package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze/explore"
	"pgmpi/analyze/report"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

var exploreCommand = command{
	name:  "explore",
	short: "compare what the library chooses with its own algorithms",
	long: `Measures every collective as the library chooses, by each of the library's own
algorithms (MPI_T), and its mock-ups, all in the same mpiruns. A few mpiruns
choose the fastest at every size; others, which measure nothing else, test
whether it beats the default. Without --guidelines the sizes are 8 B, 1, 16, 64
and 256 KiB and 1 MiB. An interrupted run goes on with --out FOLDER --resume.

Exit codes: 1 where one of the library's own algorithms beats the default, 0
where none is shown to, 2, 3, 4 and 130 as for check. See docs/how-to-tune.md.`,
	flags: func(fs *pflag.FlagSet) action {
		var s settings
		var o output
		s.base = run.ExploreDefaults()
		s.measuring(fs)
		s.keys(fs, "algorithms", "select", "max-time")
		fs.Lookup("mpiruns").Usage = "`R`, mpiruns that test (default: what suits the number of candidates, at least 10)"
		o.folder(fs)
		o.dry(fs)
		s.judging(fs)
		fs.Bool("full", false, "print all cells and how they were explored, not only what comes first")
		o.formats = formatsFlag(fs, report.Explorations, ", all into the folder")
		return func(ctx context.Context, _ []string) error { return exploreAnew(ctx, &s, &o) }
	},
}

func exploreAnew(ctx context.Context, s *settings, o *output) error {
	if o.out == "" {
		o.out = run.NewFolder("pgmpi-explore-", time.Now())
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
		x, err := run.NewDryExplore(config, o.out, before, version)
		if err != nil {
			return err
		}
		x.LaunchTime = o.launchTime
		return o.plan(x.Campaign, "explore")
	}
	if before != nil && s.guidelines == "" {
		if err := run.MayStart(o.out, before, config, s.given); err != nil {
			return err
		}
	}
	x, err := run.NewExplore(ctx, config, o.out, before, version, nil)
	if err != nil {
		return err
	}
	if err := x.Label(o.label); err != nil {
		return err
	}
	o.progress = newProgress(o.quiet)
	x.Tell = o.progress.tell
	if err := x.Open(); err != nil {
		return err
	}
	defer x.Close()
	e, err := x.Do(ctx)
	o.progress.clear()
	if err != nil {
		return goOnWith(err, x.Path)
	}
	return showExploration(e, x.Folder(), o.formats)
}

// showExploration puts an exploration into a folder and on standard output.
func showExploration(e *explore.Exploration, into *results.Folder, formats *formatFlag) error {
	d := report.Explorations.Document(e)
	if err := errors.Join(reading.StoreExploration(into, d, formats.stored()), formats.deliver(d), formats.print(d, into.Path)); err != nil {
		return err
	}
	warn("results: %s\n", into.Path)
	return explorationExit(e)
}

// analyzeExploration judges a folder of pgmpi explore again.
func (o *output) analyzeExploration(s *settings, folder *results.Folder, m *results.Manifest) error {
	if len(o.explain) > 0 || s.given("gate.baseline", "gate.expect") {
		return setupf("%s is an exploration: --explain, --baseline and --expect are for checks", folder.Path)
	}
	config, err := s.load(m)
	if err != nil {
		return err
	}
	formats := *o.formats
	formats.pick = report.Explorations.Pick
	if _ = formats.Set(o.formats.text); formats.err != nil {
		return setupf("--format: %w", formats.err)
	}
	formats.usual = usually(report.Explorations, "")
	into := folder
	if o.out != "" {
		if into, err = folderFor(o.out); err != nil {
			return err
		}
	}
	e, err := reading.JudgeExploration(folder, m, config.Analyze)
	if err != nil {
		return err
	}
	return showExploration(e, into, &formats)
}

// explorationExit is how a command ends that has shown an exploration.
func explorationExit(e *explore.Exploration) error {
	switch e.Exit {
	case exitcode.Violated:
		return errFound
	case exitcode.NoVerdict:
		return &fail.Refused{Reason: e.Refused.Reason}
	case exitcode.Failed:
		return errors.New("a collective or a mock-up gave wrong data: the exploration names it")
	}
	return nil
}
