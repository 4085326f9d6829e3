package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pgmpi/analyze"
	"pgmpi/analyze/series"
	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

func abCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := comparison{Output: command.Output{Host: h}}
	var libraries []string
	var factor string
	c := &cobra.Command{
		Use:     "ab A.toml [B.toml…]",
		Example: "pgmpi ab old.toml new.toml\npgmpi ab --library /opt/mpi-a --library /opt/mpi-b gl.toml",
		Short:   "measure set-ups alternately, then compare them",
		Long: `Measures two set-ups, each with a gl.toml of its own. Their mpiruns alternate,
in an order drawn anew for every pair, so that a drift of the machine hits both;
then they are compared in pairs. OUT/a and OUT/b are their results folders, and
the comparison is in OUT/compare.*. With --under, B runs with the variables of a
setting, and B.toml may be left out.

With --factor NAME there are up to 8, levels of one factor such as pinning: each
is compared with the first, all tests as one family.

With --library twice, A and B are two MPI libraries, by the folders in which
they are installed, with one gl.toml. Each runs with its launcher, and a rank
program for it, which pgmpi builds into OUT where there is none.

Exit codes: as for compare and check.`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case factor != "" && len(libraries) == 0:
				return command.Wants(2, experiment.MaxSides, fmt.Sprintf("a configuration for each level, from 2 to %d", experiment.MaxSides))(c, args)
			case len(libraries) == 2 || factor != "" && len(libraries) > 2 && len(libraries) <= experiment.MaxSides:
				return command.Wants(1, 1, "one configuration for both of --library")(c, args)
			case len(libraries) > 0:
				return command.UsageError(c, errors.New("give --library twice, for A and for B"))
			case len(args) == 1 && s.Given("mpi.under"):
				return nil
			}
			return command.Wants(2, 2, "two configurations")(c, args)
		},
		Annotations: manual.MostNeeded("np msizes mpiruns factor library under fail-on full out resume format"),
		RunE: func(c *cobra.Command, args []string) error {
			for n := max(2, len(libraries)); len(args) < n; { // one for all libraries, or for both sides of --under
				args = append(args, args[0])
			}
			return ab(c.Context(), args, libraries, factor, &s, &o)
		},
	}
	fs := c.Flags()
	s.Design(fs)
	s.Selecting(fs)
	s.Predicting(fs)
	s.Keys(fs, "under")
	fs.Lookup("under").Usage = "run B, and not A, under the setting in `DIR`, a folder with an env.sh; B.toml may then be left out"
	fs.StringArrayVar(&libraries, "library", nil, "the `PREFIX` in which the MPI library of A, and given again of B, is installed")
	fs.StringVar(&factor, "factor", "", "the `NAME` of the factor whose levels the configurations, or the libraries, are: more than two of them")
	o.Folder(fs, "")
	o.Resumable(fs)
	fs.Lookup("out").Usage = "the `DIR` of both results folders (default pgmpi-ab-<UTC time>)"
	fs.Lookup("mpiruns").Usage = fmt.Sprintf("`R`, mpiruns of each set-up that measure (default %d)", experiment.ABMPIRuns)
	s.Judging(fs)
	o.flags(fs)
	return c
}

func ab(ctx context.Context, toml, libraries []string, factor string, s *settings.Settings, o *comparison) error {
	if err := o.FolderOr(experiment.Side.NewFolder()); err != nil {
		return err
	}
	o.Progress = o.NewProgress(o.Quiet) // one bar for both sides
	x := &experiment.AB{Out: o.Out, Factor: factor}
	copy(x.Names[:], toml)
	var paths []string
	for i := range toml {
		name := string(rune('a' + i))
		mine, side := *s, o.Output
		if name == "a" {
			mine = *s.Without("mpi.under")
		}
		mine.File, side.Out = toml[i], filepath.Join(o.Out, name)
		if libraries != nil {
			if err := mine.Library(ctx, libraries[i], filepath.Join(o.Out, "rank-"+name)); err != nil {
				return err
			}
			x.Names[i] = libraries[i]
		}
		c, err := side.Begin(ctx, experiment.Side, &mine)
		if err != nil {
			return err
		}
		x.Sides, paths = append(x.Sides, c), append(paths, c.Path)
	}
	cfg, err := o.config(x.Sides[0].Config.Analyze, true)
	if err != nil {
		return err
	}
	if err := x.Refuse(cfg); err != nil {
		return err
	}
	err = x.Judged(ctx, func(sides []*analyze.Side) error {
		o.Progress.Clear()
		o.Warn("%s\n", x.BySide(sides))
		return nil
	})
	o.Progress.Clear()
	if err != nil {
		return o.GoOnWith(err, o.Out)
	}
	o.Line = results.AB.Shown(conf.Quote(o.Out))
	return o.compare(paths, series.Factor{Name: factor, Levels: x.Names[:len(paths)]}, cfg)
}
