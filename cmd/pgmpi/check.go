package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
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
	flags: stageFlags(func(ctx context.Context, s *measure.Session) error { return s.Predict(ctx, false) }, nil),
}

var measureCommand = command{
	name:  "measure",
	short: "stage 2 only: measure all cases over R mpiruns",
	long: `Measures with the repetitions that ` + "`pgmpi nrep --out FOLDER`" + ` predicted, or
with nrep.fixed of gl.toml. ` + "`pgmpi analyze FOLDER`" + ` judges the result.`,
	flags: stageFlags(func(ctx context.Context, s *measure.Session) error {
		if s.NREP.Fixed > 0 {
			if err := s.Predict(ctx, true); err != nil {
				return err
			}
		}
		return s.MeasureAll(ctx)
	}, refuseUnpredicted),
}

func stageFlags(do func(context.Context, *measure.Session) error, refuse func(*prepared) error) func(*pflag.FlagSet) func(context.Context, []string) error {
	return func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		var o output
		s.measuring(fs)
		o.folder(fs)
		o.dry(fs)
		return func(ctx context.Context, _ []string) error {
			o.resume = true // the stages share a folder
			if o.dryRun {
				return dryRun(&s, &o, fs.Name())
			}
			c, err := open(&s, &o, refuse)
			if err != nil {
				return err
			}
			defer c.Folder.Close()
			if err := c.measured(ctx, do); err != nil {
				return err
			}
			fmt.Fprintf(stderr, "results: %s\n", c.Folder.Path)
			return nil
		}
	}
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
	if o.dryRun {
		return dryRun(s, o, "check")
	}
	c, err := open(s, o, func(p *prepared) error {
		if _, err := selected(&p.manifest.Plan, o.explain); err != nil {
			return err
		}
		return refuseSmallR(p)
	})
	if err != nil {
		return err
	}
	defer c.Folder.Close()
	tests, err := selected(&c.Manifest.Plan, o.explain)
	if err != nil {
		return err
	}
	err = c.measured(ctx, func(ctx context.Context, m *measure.Session) error {
		if err := m.Predict(ctx, true); err != nil {
			return err
		}
		return c.measureAndFollowUp(ctx, m)
	})
	if err != nil {
		return err
	}
	return judgeFolder(c.Folder, c.Folder, c.Manifest, c.config.Analyze, formats, tests, true)
}

// refuseSmallR ends a check before its first mpirun when no result could be
// significant.
func refuseSmallR(p *prepared) error {
	d, err := analyze.Design(p.manifest, p.config.Analyze)
	if err != nil {
		return err
	}
	if d.Refused != nil {
		return &exit{exitNoVerdict, errors.New(d.Refused.Reason)}
	}
	return nil
}

// refuseUnpredicted ends `pgmpi measure` before its first mpirun when it cannot
// know how often to repeat.
func refuseUnpredicted(p *prepared) error {
	if p.config.NREP.Fixed > 0 {
		return nil
	}
	if err := measure.Unpredicted(p.manifest, quote(p.path)); err != nil {
		return setup(err)
	}
	return nil
}

// opened is a command that measures, with its configuration and results folder.
type opened struct {
	*measure.Session
	config   *glfile.File
	progress *progress
}

// prepared is a command that measures, before it changes anything.
type prepared struct {
	config   *glfile.File
	manifest *results.Manifest
	goesOn   bool   // in a results folder with finished mpiruns
	path     string // of the results folder
	rankPath string
}

// prepare reads the configuration, makes the Plan, and finds rank program and
// launcher. Nothing is started and nothing is written.
func prepare(s *settings, o *output) (*prepared, error) {
	path := o.out
	if path == "" {
		path = defaultFolder("pgmpi-", time.Now())
	}
	var before *results.Manifest
	if !results.IsFresh(path) {
		if !o.resume {
			return nil, setupf("the folder %s is not empty: --resume goes on in it, another --out starts anew", path)
		}
		var err error
		if _, before, err = openResults(path); err != nil {
			return nil, err
		}
	}
	config, err := s.load(before)
	if err != nil {
		return nil, err
	}
	if len(config.Job.NP) == 0 {
		config.Job.NP = []int{launch.DefaultNP()}
	}
	plan, err := config.Plan(config.Job.NP)
	if err != nil {
		return nil, setup(err)
	}
	if len(plan.Tests) == 0 {
		return nil, setupf("there is nothing to check: no guideline of [check] has a size to be checked at")
	}
	r, looks, weights := config.Job.Schedule()
	m := &results.Manifest{
		Version: version, Created: time.Now().UTC().Format(time.RFC3339), TOML: config.Source,
		Plan: *plan, R: r, Looks: looks, LookWeights: weights, Seed: config.Job.Seed, Factors: factors(),
	}
	if m.Config, err = json.Marshal(config); err != nil {
		return nil, err
	}
	rankPath, err := findLaunch(config, m)
	if err != nil {
		return nil, setup(err)
	}
	if before != nil {
		if m, err = goOn(before, m, config, path); err != nil {
			return nil, err
		}
	}
	return &prepared{config: config, manifest: m, goesOn: before != nil, path: path, rankPath: rankPath}, nil
}

// open prepares a command and opens its results folder, unless refuse has a
// reason not to.
func open(s *settings, o *output, refuse func(*prepared) error) (*opened, error) {
	ready, err := prepare(s, o)
	if err != nil {
		return nil, err
	}
	config, m, rankPath := ready.config, ready.manifest, ready.rankPath
	if refuse != nil {
		if err := refuse(ready); err != nil {
			return nil, err
		}
	}
	folder, err := results.Create(ready.path)
	if err != nil {
		return nil, setup(err)
	}
	p := newProgress(o.quiet, config)
	c := &opened{config: config, progress: p, Session: &measure.Session{
		Folder: folder, Manifest: m, RankPath: rankPath, Env: config.MPI.Env, JobFile: config.MPI.JobFile, KeepPML: config.MPI.KeepPML,
		NREP: config.NREP, Measure: config.Measure, Progress: p.show, MaxTime: time.Duration(config.Job.MaxTime),
		Repeated: func(e *measure.Error) {
			p.clear()
			fmt.Fprintf(stderr, "an mpirun failed and is repeated once: %s\n", e.What)
		},
	}}
	if err := c.Resume(); err != nil {
		folder.Close()
		return nil, err
	}
	if err := folder.WriteManifest(m); err != nil {
		folder.Close()
		return nil, setupf("%w; make room there, or choose another folder with --out", err)
	}
	for _, note := range m.Plan.Notes {
		fmt.Fprintf(stderr, "note: %s\n", note)
	}
	return c, nil
}

// defaultFolder is named by the time; a second one in the same second gets a number.
func defaultFolder(prefix string, now time.Time) string {
	name := prefix + now.UTC().Format("20060102T150405Z")
	path := name
	for i := 2; !results.IsFresh(path); i++ {
		path = fmt.Sprintf("%s-%d", name, i)
	}
	return path
}

// findLaunch fills the rank program and the launcher into the manifest.
func findLaunch(config *glfile.File, m *results.Manifest) (string, error) {
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return "", err
	}
	if m.Rank, err = launch.Probe(path); err != nil {
		return "", err
	}
	m.Launch = map[string][]string{}
	for _, s := range m.Plan.Shapes {
		if m.Launch[s.String()], err = launch.Launch(config.MPI.Launch, m.Rank, s.NP); err != nil {
			return "", err
		}
	}
	return path, nil
}

// goOn checks that a folder can be resumed; its Plan rules.
func goOn(before, now *results.Manifest, config *glfile.File, path string) (*results.Manifest, error) {
	old, err := configOf(before)
	if err != nil {
		return nil, err
	}
	if err := sameMeasurement(old, config, path); err != nil {
		return nil, err
	}
	if before.Rank.Hash != now.Rank.Hash || before.Rank.LibVersion != now.Rank.LibVersion {
		return nil, setupf("%s was measured with another rank program or MPI library (%s, %s; now %s, %s): take a new folder with --out",
			path, before.Rank.LibVersion, before.Rank.Hash, now.Rank.LibVersion, now.Rank.Hash)
	}
	before.Config, before.Launch = now.Config, now.Launch
	return before, nil
}

// measured runs stages and turns their failure into an exit code.
func (c *opened) measured(ctx context.Context, do func(context.Context, *measure.Session) error) error {
	if err := do(ctx, c.Session); err != nil {
		return c.failure(ctx, err, c.Folder.Path)
	}
	return nil
}

// failure gives what ended a measurement its exit code, and says how to go on
// in the folder of --out.
func (c *opened) failure(ctx context.Context, err error, folder string) error {
	c.progress.clear()
	if ctx.Err() != nil {
		return &exit{exitInterrupted, fmt.Errorf("interrupted; finished mpiruns are kept. Go on with:\n  %s", resumeLine(folder))}
	}
	var failed *measure.Error
	if errors.As(err, &failed) {
		if !failed.Started && len(c.Manifest.MemoryCap) == 0 {
			return setup(err)
		}
		return &exit{exitFailed, fmt.Errorf("an mpirun failed twice: %w\n  go on with: %s", err, resumeLine(folder))}
	}
	return &exit{exitFailed, fmt.Errorf("%w\n  %sgo on with: %s", err, makeRoom(err), resumeLine(folder))}
}

// makeRoom is the remedy for a full disk.
func makeRoom(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "make room there, then "
	}
	return ""
}

// resumeLine is this command line with --out and --resume.
func resumeLine(folder string) string {
	args := []string{os.Args[0]}
	for i := 1; i < len(os.Args); i++ {
		a := os.Args[i]
		switch {
		case a == "--out":
			i++
		case a == "--resume" || strings.HasPrefix(a, "--out="):
		default:
			args = append(args, quote(a))
		}
	}
	args = append(args, "--out", quote(folder))
	if len(os.Args) > 1 && (os.Args[1] == "check" || os.Args[1] == "ab") {
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
