package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/measure/protocol"
)

var checkCommand = command{
	name:  "check",
	short: "measure and judge: all three stages",
	long: `Predicts how often to measure (stage 1), measures every collective and mock-up
over 8 mpiruns, and what then points to a violation over up to 16 more (stage
2), tests the guidelines and prints the tables (stage 3). Where the medians
suggest that k calls on 1/k of the data are faster than one, mpiruns of their
own test it. Everything goes into a results folder; an interrupted check goes on
with --out FOLDER --resume.

With --baseline, and with --expect, the exit code is 1 only where something is
newly wrong, and was so when it was measured again: see docs/gate.md.`,
	flags: func(fs *pflag.FlagSet) action {
		var s settings
		var o output
		s.measuring(fs)
		s.predicting(fs)
		s.keys(fs, "looks", "max-mpiruns", "max-time", "no-split-experiment", "per-rank", "messages", "counters")
		s.gate(fs)
		o.folder(fs)
		o.dry(fs)
		s.judging(fs)
		o.formats = formatsFlag(fs, check.Reports, ", all into the folder")
		o.explains(fs)
		return func(ctx context.Context, _ []string) error { return checkAnew(ctx, &s, &o) }
	},
}

var nrepCommand = command{
	name:  "nrep",
	short: "stage 1 only: predict the repetitions of every case",
	long: `Predicts for every case how many repetitions give a reproducible run median
and stores them in the results folder, where
` + "`pgmpi measure --out FOLDER` goes on.",
	flags: stageFlags(func(*run.Campaign) error { return nil }, (*run.Campaign).Predict),
}

var measureCommand = command{
	name:  "measure",
	short: "stage 2 only: measure all cases over R mpiruns",
	long: `Measures with the repetitions that ` + "`pgmpi nrep --out FOLDER`" + ` predicted, or
with nrep.fixed of gl.toml. ` + "`pgmpi analyze FOLDER`" + ` judges the result.`,
	flags: stageFlags(refuseUnpredicted, (*run.Campaign).Measure),
}

func stageFlags(refuse func(*run.Campaign) error, do func(*run.Campaign, context.Context) error) func(*pflag.FlagSet) action {
	return func(fs *pflag.FlagSet) action {
		var s settings
		var o output
		s.measuring(fs)
		if fs.Name() == "nrep" {
			s.predicting(fs)
		}
		o.folder(fs)
		o.dry(fs)
		return func(ctx context.Context, _ []string) error {
			o.resume = true // the stages share a folder
			return o.run(&s, fs.Name(), refuse, func(c *run.Campaign) error {
				err := do(c, ctx)
				o.progress.clear()
				if err == nil {
					warn("results: %s\n", c.Path)
				}
				return err
			})
		}
	}
}

// prepare makes the campaign of the flags. No MPI is started and nothing is written.
func (o *output) prepare(s *settings) (*run.Campaign, error) {
	if o.out == "" {
		o.out = run.NewFolder("pgmpi-", time.Now())
	}
	before, err := run.Before(o.out, o.resume)
	if err != nil {
		return nil, err
	}
	if before != nil && before.Exploration {
		return nil, setupf("%s is an exploration: `pgmpi explore --out %s --resume` goes on in it; take a new folder with --out", o.out, conf.Quote(o.out))
	}
	config, err := s.load(before)
	if err != nil {
		return nil, err
	}
	if config.Job.MPIRuns == 0 && len(config.Job.Looks) == 0 {
		config.Job.MPIRuns = o.mpiruns
	}
	prepare := run.New
	switch {
	case o.dryRun:
		prepare = run.NewDry
	case before != nil && s.guidelines == "":
		if err := run.MayStart(o.out, before, config, s.given); err != nil {
			return nil, err
		}
	}
	c, err := prepare(config, o.out, before, version)
	if err != nil {
		return nil, err
	}
	if err := c.Label(o.label); err != nil {
		return nil, err
	}
	o.progress = newProgress(o.quiet)
	c.Tell = o.progress.tell
	return c, nil
}

// run does what a command is there for in its results folder, unless refuse has
// a reason not to, or a dry run is wanted.
func (o *output) run(s *settings, command string, refuse, do func(*run.Campaign) error) error {
	c, err := o.prepare(s)
	if err != nil {
		return err
	}
	if command == "check" {
		if err := c.ReadGate(); err != nil {
			return err
		}
	}
	if err := o.estimates(); err != nil {
		return err
	}
	if o.dryRun {
		c.LaunchTime = o.launchTime
		return o.plan(c, command)
	}
	if err := refuse(c); err != nil {
		return err
	}
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Close()
	return goOnWith(do(c), c.Path)
}

func checkAnew(ctx context.Context, s *settings, o *output) error {
	if o.dryRun && len(o.explain) > 0 {
		return setupf("--explain shows what verdicts rest on, and a dry run has none; `pgmpi analyze DIR --explain` shows it of a results folder")
	}
	if len(o.explain) > 0 {
		if err := mayExplain(o.formats); err != nil {
			return err
		}
	}
	var explained []analyze.Selection
	refuse := func(c *run.Campaign) (err error) {
		if explained, err = selected(&c.Manifest.Plan, o.explain); err != nil {
			return err
		}
		return c.Refuse()
	}
	return o.run(s, "check", refuse, func(c *run.Campaign) error {
		j, err := c.Check(ctx)
		o.progress.clear()
		if err != nil {
			return err
		}
		return showJudgement(j, c.Path, c.Folder(), o.formats, explained, true)
	})
}

// estimates checks the flags of an estimate.
func (o *output) estimates() error {
	switch {
	case !o.dryRun && o.launchTime != 0:
		return setupf("--launch-time is for the estimate of --dry-run; how long ranks may take to start is mpi.start_limit")
	case o.launchTime < 0:
		return setupf("--launch-time must be at least 0")
	}
	return nil
}

// mayExplain returns an error where a check prints nothing that explanations can come after.
func mayExplain(formats *formatFlag) error {
	if known := check.Explanations.Formats(); !slices.Contains(known, formats.beside().Name) {
		return setupf("--explain prints after the tables: put %s first in --format, or use `pgmpi analyze DIR --explain`", strings.Join(known, " or "))
	}
	return nil
}

// refuseUnpredicted ends `pgmpi measure` before its first mpirun when it cannot
// know how often to repeat.
func refuseUnpredicted(c *run.Campaign) error {
	if err := run.Unpredicted(c.Manifest, conf.Quote(c.Path)); err != nil {
		return setup(err)
	}
	return nil
}

// stagesOf are the stages of the commands that have a dry run.
var stagesOf = map[string][]protocol.Mode{
	"check":   {protocol.ModeNREP, protocol.ModeMeasure, protocol.ModeSplit},
	"nrep":    {protocol.ModeNREP},
	"measure": {protocol.ModeMeasure},
	"explore": run.ExploreStages,
	"overlap": run.OverlapStages,
}

// plan is a dry run. A check that R is too small for ends with 4, as it would
// without it.
func (o *output) plan(c *run.Campaign, command string) error {
	e, err := c.Estimate(stagesOf[command]...)
	if err != nil {
		return err
	}
	plan, format := run.Plan{Campaign: c, Estimate: e, Command: command}, ""
	if o.formats != nil { // nrep and measure have no --format
		format = o.formats.beside().Name
	}
	if err := show(run.Plans.Document(&plan), usually(run.Plans, format)); err != nil {
		return err
	}
	if command == "check" && e.Design.Refused != nil {
		return &fail.Refused{Reason: e.Design.Refused.Reason}
	}
	return nil
}

// goOnWith adds to what ended a measurement the command line that goes on in
// the folder of --out.
func goOnWith(err error, folder string) error {
	var interrupted *fail.Interrupted
	var failed *fail.Failed
	switch {
	case errors.As(err, &interrupted):
		return fmt.Errorf("%w; finished mpiruns are kept. Go on with:\n  %s", err, resumeLine(os.Args, folder))
	case errors.As(err, &failed):
		return fmt.Errorf("%w\n  %sgo on with: %s", err, makeRoom(err), resumeLine(os.Args, folder))
	}
	return err
}

// makeRoom is the remedy for a full disk.
func makeRoom(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "make room there, then "
	}
	return ""
}

// resumeLine is a command line with --out and --resume.
func resumeLine(argv []string, folder string) string {
	args := []string{argv[0]}
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case a == "--out":
			i++
		case a == "--resume" || strings.HasPrefix(a, "--out="):
		default:
			args = append(args, conf.Quote(a))
		}
	}
	args = append(args, "--out", conf.Quote(folder))
	if len(argv) > 1 && (slices.Contains([]string{"check", "ab", "explore"}, argv[1])) {
		args = append(args, "--resume")
	}
	return strings.Join(args, " ")
}
