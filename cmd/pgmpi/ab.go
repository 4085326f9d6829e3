package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/experiment/run"
)

var abCommand = command{
	name:  "ab",
	args:  "A.toml [B.toml]",
	short: "measure two set-ups alternately, then compare them",
	long: `Measures two set-ups, such as two rank programs or two environments, each with a
gl.toml of its own. Their mpiruns alternate, in an order drawn anew for every
pair, so that what drifts on the machine hits both; then they are compared in
pairs. The results folders are OUT/a and OUT/b, each with a report of its own;
the comparison is in OUT/compare.*. An interrupted run goes on with --out OUT
--resume. With --under B has the variables of a setting, and may be the same
gl.toml.

Exit codes: those of compare and of check.`,
	flags: func(fs *pflag.FlagSet) action {
		var s settings
		var o output
		s.design(fs)
		s.predicting(fs)
		s.keys(fs, "under")
		fs.Lookup("under").Usage = "run B, and not A, under the setting in `DIR`, a folder with an env.sh; B.toml may then be left out"
		o.folder(fs)
		o.mpiruns = 10
		fs.Lookup("mpiruns").Usage = fmt.Sprintf("`R`, mpiruns of each set-up that measure (default %d)", o.mpiruns)
		fs.Lookup("out").Usage = "the `DIR` of both results folders (default pgmpi-ab-<UTC time>)"
		s.judging(fs)
		o.compared(fs)
		return func(ctx context.Context, args []string) error {
			if len(args) == 1 && s.given("mpi.under") {
				args = append(args, args[0])
			}
			if len(args) != 2 {
				return setupf("ab: give two configurations; see `pgmpi help ab`")
			}
			return ab(ctx, args, &s, &o)
		}
	},
}

func ab(ctx context.Context, toml []string, s *settings, o *output) error {
	if o.out == "" {
		o.out = run.NewFolder("pgmpi-ab-", time.Now())
	}
	x := &run.AB{Out: o.out, Names: [2]string(toml)}
	var p *progress // one for both
	var err error
	for i, name := range []string{"a", "b"} {
		mine, side := *s, *o
		mine.guidelines, side.out = toml[i], filepath.Join(o.out, name)
		if name == "a" {
			mine.flags = slices.DeleteFunc(slices.Clone(s.flags), func(k *keyFlag) bool { return k.key.Flag == "under" })
		}
		if x.Sides[i], err = side.prepare(&mine); err != nil {
			return err
		}
		p = side.progress
	}
	a, b := x.Sides[0], x.Sides[1]
	a.Tell = p.tell
	cfg, err := o.comparison(a.Config.Analyze, true)
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
	p.clear()
	if err != nil {
		return goOnWith(err, o.out)
	}
	reports, err := x.Reports()
	if err != nil {
		return err
	}
	warn("results: %s\n%s", o.out, bySide(reports, a.Path, b.Path))
	return o.compare(a.Path, b.Path, cfg)
}

// bySide says how many tests each side violates by itself, a line for each.
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
