package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
)

var compareCommand = command{
	name:  "compare",
	args:  "A B",
	short: "what changed from one results folder to another",
	long: `Compares two results folders: two libraries, two versions, before and after a
change. The first line has the answer. Then the guidelines that are newly
violated or newly kept in B, and the calls that are significantly slower or
faster, with both medians and the ratio B/A with its 95 % interval; --all-rows
shows the others too, with ~. The last line says what could have been seen.
The settings come from A's [analyze]; flags beat them. Alpha and the
adjustment hold for the run-times and for the guidelines, method and test for
the guidelines only. Needs no MPI.

A folder of ` + "`pgmpi ab`" + ` may be given alone: its mpiruns are then compared in
pairs.

Exit codes: 1 a significant slowdown of at least min_slowdown (not where the
machine changed, see --fail-on) or a guideline newly violated, 4 too few
mpiruns, or less than --need could be seen, else 0.`,
	flags: func(fs *pflag.FlagSet) action {
		var s settings
		var o output
		s.judging(fs)
		o.compared(fs)
		o.into(fs)
		return func(_ context.Context, args []string) error {
			a, b, paired, err := comparedFolders(args)
			if err != nil {
				return err
			}
			_, m, err := reading.OpenResults(a)
			if err != nil {
				return err
			}
			config, err := s.load(m)
			if err != nil {
				return err
			}
			cfg, err := o.comparison(config.Analyze, paired)
			if err != nil {
				return err
			}
			return o.compare(a, b, cfg)
		}
	},
}

// comparedFolders takes two results folders, or one of `pgmpi ab`.
func comparedFolders(args []string) (a, b string, paired bool, err error) {
	switch {
	case len(args) == 2:
		return args[0], args[1], false, nil
	case len(args) == 1:
		if _, err := os.Stat(filepath.Join(args[0], run.ABFile)); err == nil {
			return filepath.Join(args[0], "a"), filepath.Join(args[0], "b"), true, nil
		}
	}
	return "", "", false, setupf("compare: give two results folders, or one of `pgmpi ab`; see `pgmpi help compare`")
}

// comparison is how two folders are compared.
func (o *output) comparison(cfg judge.Config, paired bool) (series.CompareConfig, error) {
	switch words := judge.Strings(series.ExitOns); {
	case !slices.Contains(words, o.failOn):
		return series.CompareConfig{}, setupf("--fail-on: %s", conf.Unknown("word", o.failOn, words))
	case o.need != 0 && !(o.need > 1 && o.need <= 1000):
		return series.CompareConfig{}, setupf("--need: is a ratio above 1, such as 1.25, not %v", o.need)
	}
	return series.CompareConfig{Config: cfg, Alternative: judge.Alternative(o.alternative), Paired: paired, All: o.all,
		FailOn: series.ExitOn(o.failOn), Need: o.need, AllRows: o.allRows}, nil
}

// compare reads both folders, compares, and writes the report.
func (o *output) compare(pathA, pathB string, cfg series.CompareConfig) error {
	sides, err := readSides(cfg.Config, pathA, pathB)
	if err != nil {
		return err
	}
	c, err := series.Compare(sides[0], sides[1], cfg)
	if err != nil {
		return err
	}
	if err := o.write(checks.Comparisons.Document(c)); err != nil {
		return err
	}
	switch found := c.ExitCode(); {
	case found == exitcode.Violated:
		return errFound
	case found == exitcode.Failed:
		w := c.Wrong[0]
		return fmt.Errorf("%s at %s %s (%s): leave it out of both with check.exclude", clean.Line(w.Function), conf.HumanSize(w.Msize), w.Did(), clean.Line(w.Message))
	case found == exitcode.NoVerdict && c.Refused != nil:
		return &fail.Refused{Reason: c.Refused.Reason}
	case found == exitcode.NoVerdict && c.Blind > 0:
		return &fail.Refused{Reason: fmt.Sprintf("%s could not have shown a change by %g (--need): more mpiruns in both (--mpiruns)", conf.Plural(c.Blind, "case"), c.Need)}
	case found == exitcode.NoVerdict:
		return &fail.Refused{Reason: "some cases lack valid run medians in one of the folders; see the report"}
	}
	return nil
}

func readSides(cfg judge.Config, paths ...string) ([]*analyze.Side, error) {
	var sides []*analyze.Side
	for _, path := range paths {
		folder, m, err := reading.OpenResults(path)
		if err != nil {
			return nil, err
		}
		j, err := reading.Judge(folder, m, cfg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		sides = append(sides, &analyze.Side{Name: path, Analysis: j.Analysis})
	}
	return sides, nil
}
