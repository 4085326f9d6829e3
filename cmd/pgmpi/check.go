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

	"pgmpi/analyze/report"
	"pgmpi/internal/campaign"
	"pgmpi/internal/conf"

	"github.com/spf13/pflag"
)

var checkCommand = command{
	name:  "check",
	short: "measure and judge: all three stages",
	long: `Predicts how often to measure (stage 1), measures every collective and mock-up
over R mpiruns (stage 2), tests the guidelines and prints the tables (stage 3).
Where the medians suggest that k calls on 1/k of the data are faster than one,
R further mpiruns test it. With --looks, what is decided early is not measured
to the end. Everything goes into a results folder; an interrupted check goes on
with --out FOLDER --resume.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		var o output
		s.measuring(fs)
		s.ending(fs)
		o.folder(fs)
		o.dry(fs)
		s.judging(fs)
		o.formats(fs)
		o.explains(fs)
		return func(ctx context.Context, _ []string) error { return check(ctx, &s, &o) }
	},
}

var nrepCommand = command{
	name:  "nrep",
	short: "stage 1 only: predict the repetitions of every case",
	long: `Predicts for every case how many repetitions give a reproducible run median
(S-PGMPI §4.2) and stores them in the results folder, where
` + "`pgmpi measure --out FOLDER` goes on.",
	flags: stageFlags(func(*campaign.Campaign) error { return nil }, (*campaign.Campaign).Predict),
}

var measureCommand = command{
	name:  "measure",
	short: "stage 2 only: measure all cases over R mpiruns",
	long: `Measures with the repetitions that ` + "`pgmpi nrep --out FOLDER`" + ` predicted, or
with nrep.fixed of gl.toml. ` + "`pgmpi analyze FOLDER`" + ` judges the result.`,
	flags: stageFlags(refuseUnpredicted, (*campaign.Campaign).Measure),
}

func stageFlags(refuse func(*campaign.Campaign) error, do func(*campaign.Campaign, context.Context) error) func(*pflag.FlagSet) func(context.Context, []string) error {
	return func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		var o output
		s.measuring(fs)
		o.folder(fs)
		o.dry(fs)
		return func(ctx context.Context, _ []string) error {
			o.resume = true // the stages share a folder
			return o.run(&s, fs.Name(), refuse, func(c *campaign.Campaign) error {
				err := do(c, ctx)
				o.progress.clear()
				if err == nil {
					fmt.Fprintf(stderr, "results: %s\n", c.Path)
				}
				return err
			})
		}
	}
}

// prepare makes the campaign of the flags. Nothing is started and nothing is
// written.
func (o *output) prepare(s *settings) (*campaign.Campaign, error) {
	if o.out == "" {
		o.out = campaign.NewFolder("pgmpi-", time.Now())
	}
	before, err := campaign.Before(o.out, o.resume)
	if err != nil {
		return nil, err
	}
	config, err := s.load(before)
	if err != nil {
		return nil, err
	}
	c, err := campaign.New(config, o.out, before, version)
	if err != nil {
		return nil, err
	}
	o.progress = newProgress(o.quiet)
	c.Tell = o.progress.tell
	return c, nil
}

// run does what a command is there for in its results folder, unless refuse has
// a reason not to, or a dry run is wanted.
func (o *output) run(s *settings, command string, refuse, do func(*campaign.Campaign) error) error {
	c, err := o.prepare(s)
	if err != nil {
		return err
	}
	if o.dryRun {
		return dryRun(c, command, o.format)
	}
	if err := refuse(c); err != nil {
		return err
	}
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Close()
	return goOnWith(do(c), os.Args, c.Path)
}

// output is where results go and what is printed.
type output struct {
	out    string
	resume bool
	quiet  bool
	dryRun bool
	format string
	// explain holds selectors of verdicts that are explained.
	explain  []string
	progress *progress // once the campaign is prepared
}

func (o *output) folder(fs *pflag.FlagSet) {
	fs.StringVar(&o.out, "out", "", "the results folder `DIR` (default pgmpi-<UTC time>)")
	if fs.Name() != "nrep" && fs.Name() != "measure" {
		fs.BoolVar(&o.resume, "resume", false, "go on in a folder with finished mpiruns")
	}
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
}

func (o *output) dry(fs *pflag.FlagSet) {
	fs.BoolVar(&o.dryRun, "dry-run", false, "print the plan, the launch lines and an estimate of time and memory; start and write nothing")
}

func (o *output) formats(fs *pflag.FlagSet) {
	formatsFlag(fs, &o.format, report.Reports, ", all into the folder")
}

func check(ctx context.Context, s *settings, o *output) error {
	formats, err := pick(report.Reports, o.format)
	if err != nil {
		return err
	}
	if known := report.Explanations.Formats(); len(o.explain) > 0 && !slices.Contains(known, formats[0].Name) {
		return setupf("--explain prints after the tables: put %s first in --format, or use `pgmpi analyze DIR --explain`", strings.Join(known, " or "))
	}
	var tests []int
	refuse := func(c *campaign.Campaign) error {
		if tests, err = selected(&c.Manifest.Plan, o.explain); err != nil {
			return err
		}
		return c.Refuse()
	}
	return o.run(s, "check", refuse, func(c *campaign.Campaign) error {
		j, err := c.Check(ctx)
		o.progress.clear()
		if err != nil {
			return err
		}
		return showJudgement(j, c.Path, c.Folder(), formats, tests, true)
	})
}

// refuseUnpredicted ends `pgmpi measure` before its first mpirun when it cannot
// know how often to repeat.
func refuseUnpredicted(c *campaign.Campaign) error {
	if err := campaign.Unpredicted(c.Manifest, conf.Quote(c.Path)); err != nil {
		return setup(err)
	}
	return nil
}

// goOnWith adds to what ended a measurement the command line that goes on in
// the folder of --out; argv is this one.
func goOnWith(err error, argv []string, folder string) error {
	var interrupted *campaign.Interrupted
	var failed *campaign.Failed
	switch {
	case errors.As(err, &interrupted):
		return fmt.Errorf("%w; finished mpiruns are kept. Go on with:\n  %s", err, resumeLine(argv, folder))
	case errors.As(err, &failed):
		return fmt.Errorf("%w\n  %sgo on with: %s", err, makeRoom(err), resumeLine(argv, folder))
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
	if len(argv) > 1 && (argv[1] == "check" || argv[1] == "ab") {
		args = append(args, "--resume")
	}
	return strings.Join(args, " ")
}
