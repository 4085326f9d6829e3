package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
)

func abCommand() *cobra.Command {
	var s settings.Settings
	var o comparison
	var libraries []string
	c := &cobra.Command{
		Use:   "ab A.toml [B.toml]",
		Short: "measure two set-ups alternately, then compare them",
		Long: `Measures two set-ups, such as two rank programs or two environments, each with a
gl.toml of its own. Their mpiruns alternate, in an order drawn anew for every
pair, so that a drift of the machine hits both; then they are compared in pairs.
The results folders are OUT/a and OUT/b, each with a report of its own; the
comparison is in OUT/compare.*. An interrupted run goes on with --out OUT
--resume. With --under, B runs with the variables of a setting, and B.toml may
be left out.

With --library twice, A and B are two builds of an MPI library, by the folders in
which they are installed, and there is one gl.toml. Each runs with its launcher,
its libraries, and a rank program built for their names; where there is none, and
pgmpi runs in its sources, it is built into OUT by the mpicc of that folder.

Exit codes: as for compare and check.`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(libraries) == 2:
				return wants(1, 1, "one configuration for both of --library")(c, args)
			case len(libraries) > 0:
				return usageError(c, errors.New("give --library twice, for A and for B"))
			case len(args) == 1 && s.Given("mpi.under"):
				return nil
			}
			return wants(2, 2, "two configurations")(c, args)
		},
		Annotations: manual.MostNeeded("np msizes mpiruns library under fail-on need alternative all-rows all full out resume format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			return ab(c.Context(), [2]string{args[0], args[len(args)-1]}, libraries, &s, &o)
		},
	}
	fs := c.Flags()
	s.Design(fs)
	s.Predicting(fs)
	s.Keys(fs, "under")
	fs.Lookup("under").Usage = "run B, and not A, under the setting in `DIR`, a folder with an env.sh; B.toml may then be left out"
	fs.StringArrayVar(&libraries, "library", nil, "the `PREFIX` in which the MPI library of A, and given again of B, is installed")
	o.folder(fs, "")
	o.resumable(fs)
	fs.Lookup("out").Usage = "the `DIR` of both results folders (default pgmpi-ab-<UTC time>)"
	fs.Lookup("mpiruns").Usage = fmt.Sprintf("`R`, mpiruns of each set-up that measure (default %d)", experiment.ABMPIRuns)
	s.Judging(fs)
	o.flags(fs)
	return c
}

func ab(ctx context.Context, toml [2]string, libraries []string, s *settings.Settings, o *comparison) error {
	if o.out == "" {
		o.out = experiment.Side.NewFolder()
	}
	o.progress = newProgress(o.quiet) // one for both
	x := &experiment.AB{Out: o.out, Names: [3]string{toml[0], toml[1]}}
	var err error
	for i, name := range []string{"a", "b"} {
		mine, side := *s, o.output
		if name == "a" {
			mine = *s.Without("mpi.under")
		}
		mine.File, side.out = toml[i], filepath.Join(o.out, name)
		if libraries != nil {
			with, err := withLibrary(ctx, &mine, libraries[i], filepath.Join(o.out, "rank-"+name))
			if err != nil {
				return err
			}
			mine = *with
			x.Names[i] = libraries[i]
		}
		c, err := side.begin(ctx, experiment.Side, &mine)
		if err != nil {
			return err
		}
		x.Sides = append(x.Sides, c)
	}
	a, b := x.Sides[0], x.Sides[1]
	cfg, err := o.config(a.Config.Analyze, true)
	if err != nil {
		return err
	}
	if err := x.Refuse(cfg); err != nil {
		return err
	}
	for _, side := range x.Sides {
		if err := side.Open(); err != nil {
			return err
		}
		defer side.Close()
	}
	err = x.Measure(ctx)
	o.progress.Clear()
	if err != nil {
		return o.goOnWith(err, o.out)
	}
	both, err := x.Judge()
	if err != nil {
		return err
	}
	warn("%s", bySide([2]*analyze.Report{both[0].Report, both[1].Report}, a.Path, b.Path))
	printed.line = results.AB.Shown(conf.Quote(o.out))
	return o.compare(a.Path, b.Path, cfg)
}

// withLibrary are settings with an installed library. A rank program is built where there is none for it.
func withLibrary(ctx context.Context, s *settings.Settings, prefix, rank string) (*settings.Settings, error) {
	config, err := s.Load(nil)
	if err != nil {
		return nil, err
	}
	if prefix, err = filepath.Abs(prefix); err != nil {
		return nil, fail.AsSetup(err)
	}
	found, err := launch.RankFor(ctx, prefix, config.MPI.Rank, rank)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	return s.With("mpi.library", "library", prefix).With("mpi.rank", "library", found), nil
}

// bySide counts the tests that each side violates by itself, on a line for each.
func bySide(reports [2]*analyze.Report, paths ...string) string {
	var violated [2][]string
	for i, r := range reports {
		for _, v := range r.Verdicts {
			if v.Verdict == judge.Violated {
				violated[i] = append(violated[i], fmt.Sprintf("%s %s %d %s", v.Guideline, v.Function, v.Msize, v.Shape))
			}
		}
	}
	both := 0
	for _, v := range violated[1] {
		if slices.Contains(violated[0], v) {
			both++
		}
	}
	same := fmt.Sprintf("%d of them also in A", both)
	if both == len(violated[0]) && both == len(violated[1]) {
		same = "the same as A"
	}
	line := func(i int, more string) string {
		return fmt.Sprintf("%c: %d violated%s; %s\n", 'A'+i, len(violated[i]), more, filepath.Join(paths[i], "report.txt"))
	}
	return line(0, "") + line(1, ", "+same)
}
