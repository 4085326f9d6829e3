package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report"
	"pgmpi/internal/campaign"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/measure/results"
)

var compareCommand = command{
	name:  "compare",
	args:  "A B",
	short: "what changed from one results folder to another",
	long: `Compares two results folders: two libraries, two versions, before and after a
change. Per function and msize: both medians, the ratio B/A with its 95 %
interval, and whether B is significantly slower or faster; ~ where nothing is
significant. Then the guidelines that are newly violated or newly kept in B.
The settings come from A's [analyze]; flags beat them. Alpha and the
adjustment hold for the run-times and for the guidelines, method and test for
the guidelines only. Needs no MPI.

A folder of ` + "`pgmpi ab`" + ` may be given alone: its mpiruns are then compared in
pairs.

Exit codes: 1 a significant slowdown of at least min_slowdown or a guideline
newly violated, 4 too few mpiruns, else 0.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		var o compareOutput
		s.judging(fs)
		o.flags(fs)
		return func(_ context.Context, args []string) error {
			a, b, paired, err := comparedFolders(args)
			if err != nil {
				return err
			}
			formats, err := pick(report.Comparisons, o.format)
			if err != nil {
				return err
			}
			cfg, err := s.ofFolder(a)
			if err != nil {
				return err
			}
			return compareFolders(a, b, o.config(cfg.Analyze, paired), formats, o.out)
		}
	},
}

// compareOutput is how two folders are compared and where that is written.
type compareOutput struct {
	view
	alternative string
}

func (o *compareOutput) flags(fs *pflag.FlagSet) {
	o.judging(fs)
	o.folder(fs)
}

// view is what is shown of results folders, and where it goes.
type view struct {
	all    bool
	format string
	out    string
}

func (v *view) formats(fs *pflag.FlagSet) {
	fs.BoolVar(&v.all, "all", false, "mock-ups too, not only collectives")
	formatsFlag(fs, &v.format, report.Comparisons, "")
}

func (v *view) folder(fs *pflag.FlagSet) {
	fs.StringVar(&v.out, "out", "", "a `DIR` for the report in all formats of --format (default: nothing is written)")
}

func (o *compareOutput) judging(fs *pflag.FlagSet) {
	fs.StringVar(&o.alternative, "alternative", string(judge.TwoSided), "what is asked of B against A, a `WORD`: "+strings.Join(judge.Strings(judge.Alternatives), ", ")+" (greater: B takes longer)")
	o.formats(fs)
}

func (o *compareOutput) config(cfg judge.Config, paired bool) analyze.CompareConfig {
	return analyze.CompareConfig{Config: cfg, Alternative: judge.Alternative(o.alternative), Paired: paired, All: o.all}
}

// comparedFolders takes two results folders, or one of `pgmpi ab`.
func comparedFolders(args []string) (a, b string, paired bool, err error) {
	switch {
	case len(args) == 2:
		return args[0], args[1], false, nil
	case len(args) == 1:
		if _, err := os.Stat(filepath.Join(args[0], campaign.ABFile)); err == nil {
			return filepath.Join(args[0], "a"), filepath.Join(args[0], "b"), true, nil
		}
	}
	return "", "", false, setupf("compare: give two results folders, or one of `pgmpi ab`; see `pgmpi help compare`")
}

// ofFolder is a folder's configuration under the flags.
func (s *settings) ofFolder(path string) (*glfile.File, error) {
	_, m, err := campaign.OpenResults(path)
	if err != nil {
		return nil, err
	}
	config, err := campaign.ConfigOf(m)
	if err != nil {
		return nil, err
	}
	return config, s.apply(config)
}

// compareFolders reads both folders, compares, and writes the report.
func compareFolders(pathA, pathB string, cfg analyze.CompareConfig, formats []report.Format, out string) error {
	a, err := readSide(pathA, cfg.Config)
	if err != nil {
		return err
	}
	b, err := readSide(pathB, cfg.Config)
	if err != nil {
		return err
	}
	c, err := analyze.Compare(a, b, cfg)
	if err != nil {
		return asSetup(err)
	}
	if err := writeReport(report.Comparisons.Document(c), formats, out); err != nil {
		return err
	}
	return comparisonExit(c)
}

// asSetup gives folders that cannot be compared their exit code.
func asSetup(err error) error {
	var no *analyze.NotComparable
	if errors.As(err, &no) {
		return setup(err)
	}
	return err
}

func readSide(path string, cfg judge.Config) (*analyze.Side, error) {
	folder, m, err := campaign.OpenResults(path)
	if err != nil {
		return nil, err
	}
	j, err := campaign.Judge(folder, m, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &analyze.Side{Name: path, Analysis: j.Analysis}, nil
}

// writeReport writes all formats into a folder, where one is given, and the
// first to standard output.
func writeReport(d *report.Document, formats []report.Format, out string) error {
	if out != "" {
		if err := os.MkdirAll(out, 0o777); err != nil {
			return setup(err)
		}
		if err := campaign.Store(&results.Folder{Path: out}, d, formats); err != nil {
			return err
		}
	}
	return show(d, formats[0])
}

func comparisonExit(c *analyze.Comparison) error {
	switch {
	case c.Exit == exitcode.Failed:
		w := c.Wrong[0]
		return &exit{c.Exit, fmt.Errorf("%s at %s gave wrong data (%s): leave it out of both with check.exclude", w.Function, conf.HumanSize(w.Msize), w.Message)}
	case c.Exit == exitcode.NoVerdict && c.Refused != nil:
		return &exit{c.Exit, errors.New(c.Refused.Reason)}
	case c.Exit == exitcode.NoVerdict:
		return &exit{c.Exit, errors.New("some cases lack valid run medians in one of the folders; see the report")}
	}
	return exitOrNil(c.Exit, nil)
}
