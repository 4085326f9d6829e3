package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"pgmpi/internal/campaign"

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
	flags: stageFlags((*campaign.Campaign).Predict, func(*campaign.Campaign) error { return nil }),
}

var measureCommand = command{
	name:  "measure",
	short: "stage 2 only: measure all cases over R mpiruns",
	long: `Measures with the repetitions that ` + "`pgmpi nrep --out FOLDER`" + ` predicted, or
with nrep.fixed of gl.toml. ` + "`pgmpi analyze FOLDER`" + ` judges the result.`,
	flags: stageFlags((*campaign.Campaign).Measure, refuseUnpredicted),
}

func stageFlags(do func(*campaign.Campaign, context.Context) error, refuse func(*campaign.Campaign) error) func(*pflag.FlagSet) func(context.Context, []string) error {
	return func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		var o output
		s.measuring(fs)
		o.folder(fs)
		o.dry(fs)
		return func(ctx context.Context, _ []string) error {
			o.resume = true // the stages share a folder
			c, p, err := prepare(&s, &o)
			if err != nil {
				return err
			}
			if o.dryRun {
				return dryRun(c, fs.Name())
			}
			if err := refuse(c); err != nil {
				return err
			}
			if err := c.Open(); err != nil {
				return err
			}
			defer c.Close()
			err = do(c, ctx)
			p.clear()
			if err != nil {
				return goOnWith(err, os.Args, c.Path)
			}
			fmt.Fprintf(stderr, "results: %s\n", c.Path)
			return nil
		}
	}
}

// prepare makes the campaign of the flags, which tells what happens to the
// progress. Nothing is started and nothing is written.
func prepare(s *settings, o *output) (*campaign.Campaign, *progress, error) {
	if o.out == "" {
		o.out = campaign.NewFolder("pgmpi-", time.Now())
	}
	before, err := campaign.Before(o.out, o.resume)
	if err != nil {
		return nil, nil, err
	}
	config, err := s.load(before)
	if err != nil {
		return nil, nil, err
	}
	c, err := campaign.New(config, o.out, before, version)
	if err != nil {
		return nil, nil, err
	}
	p := newProgress(o.quiet)
	c.Tell = p.tell
	return c, p, nil
}

// output is where results go and what is printed.
type output struct {
	out    string
	resume bool
	quiet  bool
	dryRun bool
	format string
	// explain holds selectors of verdicts that are explained.
	explain []string
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
	fs.StringVar(&o.format, "format", "table", "comma `LIST` of table, json, csv: the first to standard output, all into the folder")
}

func check(ctx context.Context, s *settings, o *output) error {
	formats, err := parseFormats(o.format)
	if err != nil {
		return err
	}
	if len(o.explain) > 0 && formats[0].Name != "table" {
		return setupf("--explain prints after the tables: put table first in --format, or use `pgmpi analyze DIR --explain`")
	}
	c, p, err := prepare(s, o)
	if err != nil {
		return err
	}
	if o.dryRun {
		return dryRun(c, "check")
	}
	tests, err := selected(&c.Manifest.Plan, o.explain)
	if err != nil {
		return err
	}
	if err := c.Refuse(); err != nil {
		return err
	}
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Close()
	j, err := c.Check(ctx)
	p.clear()
	if err != nil {
		return goOnWith(err, os.Args, c.Path)
	}
	return show(j, c.Path, c.Folder(), formats, tests, true)
}

// refuseUnpredicted ends `pgmpi measure` before its first mpirun when it cannot
// know how often to repeat.
func refuseUnpredicted(c *campaign.Campaign) error {
	if c.Config.NREP.Fixed > 0 {
		return nil
	}
	if err := campaign.Unpredicted(c.Manifest, quote(c.Path)); err != nil {
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
			args = append(args, quote(a))
		}
	}
	args = append(args, "--out", quote(folder))
	if len(argv) > 1 && (argv[1] == "check" || argv[1] == "ab") {
		args = append(args, "--resume")
	}
	return strings.Join(args, " ")
}

// quote makes a word of a command line safe for a shell.
func quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+*") == "" && !strings.Contains(word, "*") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
