package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

type comparison struct {
	command.Output
	alternative, failOn string
	need                float64
	all, allRows        bool
}

func (x *comparison) flags(fs *pflag.FlagSet) {
	fs.StringVar(&x.alternative, "alternative", string(judge.TwoSided),
		"what is asked of B against A, a `WORD`: "+strings.Join(judge.Strings(judge.Alternatives), ", ")+" (greater: B takes longer)")
	fs.StringVar(&x.failOn, "fail-on", string(series.ExitOnBoth),
		"what ends with exit code 1, a `WORD`: guidelines (newly violated), both (also slower calls, unless the machine changed), times (slower calls even then)")
	fs.Float64Var(&x.need, "need", 0, "end with exit code 4 if a case could not have shown a change by `RATIO`, such as 1.25 (default: nothing is needed)")
	command.Full(fs)
	fs.BoolVar(&x.allRows, "all-rows", false, "show the calls that have not changed too")
	command.MockupsToo(fs, &x.all)
	x.Formats = x.FormatsFlag(fs, checks.Comparisons, "") // matrix and spread have the same formats
}

func compareCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	x := comparison{Output: command.Output{Host: h}}
	var repeat, matrix bool
	c := &cobra.Command{
		Use:     "compare DIR DIR…",
		Example: "pgmpi compare before after --format html=page.html\npgmpi compare --matrix openmpi mpich",
		Short:   "what changed from one results folder to another",
		Long: `Compares two results folders A and B: two libraries, two versions, before and
after a change. The first line has the answer, then come the guidelines that are
newly or no longer violated in B, and the calls that are slower or faster.
"Changes" says how small ones would have been seen. A's [analyze] has the
settings, and flags beat them. A folder of ` + "`pgmpi ab`" + ` may be given alone.
Needs no MPI.

--matrix shows which guideline is violated in which folder, as Table 3 of the
PGMPI paper does; three folders or more are shown so without it. --repeat shows
how far the medians of several measurements of one configuration lie apart.

Exit codes for two folders: 1 a call became slower by min_slowdown or more
(unless the machine changed, see --fail-on), or a guideline is newly violated; 4
there are too few mpiruns, or a change by --need could not have been seen; else
0. For --matrix and --repeat: 0, whatever is violated.`,
		Args:        command.Wants(1, command.AnyNumber, "two results folders, or one of `pgmpi ab`; or several"),
		Annotations: manual.MostNeeded("matrix repeat fail-on need alpha min-slowdown all-rows mock-ups full out format"),
		RunE: func(c *cobra.Command, args []string) error {
			other := matrix || repeat || len(args) > 2
			if f := forTwo(c.Flags()); f != "" && other {
				return fail.Setupf("compare: --%s is for two folders, without --matrix and --repeat", f)
			}
			switch {
			case matrix && repeat:
				return fail.Setupf("compare: --matrix or --repeat: one at a time")
			case repeat:
				return x.spread(args)
			case other:
				return x.matrix(args)
			}
			return x.two(&s, args)
		},
	}
	fs := c.Flags()
	fs.BoolVar(&matrix, "matrix", false, "which guideline is violated in which folder; usual for three or more")
	fs.BoolVar(&repeat, "repeat", false, "how well measurements of one configuration repeat, for two or more")
	s.Judging(fs)
	x.flags(fs)
	x.Into(fs)
	return c
}

// forTwo returns a given flag that fits only a comparison of two folders, or "".
func forTwo(fs *pflag.FlagSet) (name string) {
	fs.Visit(func(f *pflag.Flag) {
		_, judging := settings.KeyOf(f)
		if judging || slices.Contains([]string{"alternative", "fail-on", "need", "all-rows"}, f.Name) {
			name = f.Name
		}
	})
	return name
}

func (x *comparison) matrix(paths []string) error {
	sides, err := reading.Sides(paths)
	if err != nil {
		return err
	}
	return x.Write(checks.Matrices.Document(series.NewMatrix(sides)))
}

func (x *comparison) spread(paths []string) error {
	if len(paths) < 2 {
		return fail.Setupf("compare: --repeat needs two results folders or more")
	}
	sides, err := reading.SidesBy(judge.Default(), paths...)
	if err != nil {
		return err
	}
	s, err := series.NewSpread(sides, x.all)
	if err != nil {
		return err
	}
	return x.Write(checks.Spreads.Document(s))
}

// two compares two folders, or the sides of `pgmpi ab`.
func (x *comparison) two(s *settings.Settings, args []string) error {
	paths, paired, factor, err := experiment.Compares(args)
	if err != nil {
		return err
	}
	_, m, err := reading.Open(paths[0], results.Check, results.Fingerprint, results.Imported)
	if err != nil {
		return err
	}
	config, err := s.Load(m)
	if err != nil {
		return err
	}
	cfg, err := x.config(config.Analyze, paired)
	if err != nil {
		return err
	}
	return x.compare(paths, factor, cfg)
}

func (x *comparison) config(cfg judge.Config, paired bool) (series.CompareConfig, error) {
	switch words := judge.Strings(series.ExitOns); {
	case !slices.Contains(words, x.failOn):
		return series.CompareConfig{}, fail.Setupf("--fail-on: %s", conf.Unknown("word", x.failOn, words))
	case x.need != 0 && !(x.need > 1 && x.need <= 1000):
		return series.CompareConfig{}, fail.Setupf("--need: is a ratio above 1, such as 1.25, not %v", x.need)
	}
	return series.CompareConfig{Config: cfg, Alternative: judge.Alternative(x.alternative), Paired: paired, All: x.all,
		FailOn: series.ExitOn(x.failOn), Need: x.need, AllRows: x.allRows}, nil
}

// compare reads the folders, compares, and writes the report.
func (x *comparison) compare(paths []string, factor series.Factor, cfg series.CompareConfig) error {
	sides, err := reading.SidesBy(cfg.Config, paths...)
	if err != nil {
		return err
	}
	all, err := series.CompareLevels(sides, cfg)
	if err != nil {
		return err
	}
	if factor.Name != "" {
		return command.Written(&x.Output, checks.LevelLists, func() (*series.Levels, error) {
			return &series.Levels{Schema: series.LevelsSchema, Factor: factor, Comparisons: all}, nil
		})
	}
	return x.Write(checks.Comparisons.Document(all[0]))
}

func historyCommand(h *command.Host) *cobra.Command {
	o := command.Output{Host: h}
	var cells []string
	c := &cobra.Command{
		Use:     "history ROOT…",
		Example: "pgmpi history nights\npgmpi history nights --format html=page.html",
		Short:   "checks one after another: what changed, and since when",
		Long: `Finds the reports in and below each ROOT and shows them by time, one row for
each check: violations, alarms, violations that are gone, slow mpiruns, and the
speed of the machine. A mark shows where library, node or kernel changed. A
ratio that changes for three checks or more is listed with the check at which it
began. Each library and number of processes has a series of its own. A report
that cannot be read is named and left out. Needs no MPI.

Exit codes: 0, or 2 where there is no report.`,
		Args: command.Wants(1, command.AnyNumber, "at least one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			h, err := reading.History(args, cells)
			if err != nil {
				return err
			}
			return o.Write(checks.Histories.Document(h))
		},
	}
	fs := c.Flags()
	fs.StringArrayVar(&cells, "cell", nil, "also show the ratio of a `SELECTOR` in each check: GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL16:Scan:256Ki; may be given again")
	command.Full(fs)
	o.Formats = h.FormatsFlag(fs, checks.Histories, "")
	o.Into(fs)
	return c
}
