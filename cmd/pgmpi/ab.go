package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
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

With --library twice, A and B are two MPI libraries, by the folders in which
they are installed, with one gl.toml. Each runs with its launcher, and a rank
program that asks for a library of its names; where none does and pgmpi runs in
its sources, it is built into OUT by the mpicc of that folder.

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
	o.out = cmp.Or(o.out, experiment.Side.NewFolder())
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
			if err := mine.Library(ctx, libraries[i], filepath.Join(o.out, "rank-"+name)); err != nil {
				return err
			}
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
	err = x.Judged(ctx, func(sides []*analyze.Side) error {
		o.progress.Clear()
		warn("%s", experiment.BySide([2]*analyze.Report{sides[0].Report, sides[1].Report}, a.Path, b.Path))
		return nil
	})
	o.progress.Clear()
	if err != nil {
		return o.goOnWith(err, o.out)
	}
	printed.line = results.AB.Shown(conf.Quote(o.out))
	return o.compare(a.Path, b.Path, cfg)
}
