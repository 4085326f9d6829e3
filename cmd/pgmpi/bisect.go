package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/internal/bisect"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
)

func bisectCommand() *cobra.Command {
	var s settings.Settings
	var o output
	var x bisect.Bisection
	c := &cobra.Command{
		Use:   "bisect GOOD BAD --build CMD -- gl.toml",
		Short: "find the commit that made an MPI library slower",
		Long: `Finds the first commit between GOOD and BAD of a git repository since which calls
are slower, or faster. CMD builds one commit: it is run, without a shell, in a
checkout of the commit, and puts into the folder {prefix}, also PREFIX in its
environment, what gl.toml then runs with: an installed MPI library, or whatever
its [mpi] names with {prefix}, such as
  env = { LD_PRELOAD = "{prefix}/libtuned.so" }

First GOOD and BAD are measured alternately, as by ` + "`pgmpi ab`" + `, and what differs is
measured again. Then git bisect chooses commits. Each alternates with GOOD and
BAD in the calls that differ, and is bad if its times are shown to be nearer to
BAD's: after 4, 8 or 20 mpiruns. A commit that does not build, or that stays
undecided, is skipped. git works in OUT/tree, a work tree of its own.

Exit codes: 0 the first bad commit is named; 4 GOOD and BAD show no difference,
or skipped commits leave several; 2 GOOD, BAD, their builds or gl.toml cannot be
used; 3 a measurement failed; 130 interrupted, go on with --out OUT --resume.`,
		Args:        wants(3, 3, "two commits and, behind --, a gl.toml"),
		Annotations: manual.MostNeeded("build repo keep np msizes mpiruns out resume quiet"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			x.Good, x.Bad, s.File = args[0], args[1], args[2]
			if x.Config, err = s.Load(nil); err != nil {
				return err
			}
			if o.out == "" {
				o.out = "pgmpi-bisect-" + strings.TrimPrefix(experiment.Side.NewFolder(), "pgmpi-ab-")
			}
			o.progress = newProgress(o.quiet)
			x.Out, x.Version, x.Tell = o.out, version, o.progress.Tell
			r, err := x.Do(c.Context(), o.resume)
			o.progress.Clear()
			if err != nil {
				return o.goOnWith(err, o.out)
			}
			return found(r, o.out)
		},
	}
	fs := c.Flags()
	fs.StringVar(&x.Build, "build", "", "the `CMD` that builds a commit into {prefix}, split at spaces, no shell: a script, or \"make install prefix={prefix}\"")
	fs.StringVar(&x.Repo, "repo", ".", "the git repository `DIR`")
	fs.BoolVar(&x.Keep, "keep", false, "keep what was built, in OUT/prefix")
	s.Design(fs)
	s.Predicting(fs)
	s.Keys(fs, "alpha", "min-slowdown")
	fs.StringVar(&o.out, "out", "", "the `DIR` of builds, mpiruns and bisect.json (default pgmpi-bisect-<UTC time>)")
	o.resumable(fs)
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
	fs.Lookup("mpiruns").Usage = fmt.Sprintf("`R`, mpiruns of GOOD and of BAD (default %d)", experiment.ABMPIRuns)
	return c
}

// found prints the answer of a bisection.
func found(r *bisect.Result, folder string) error {
	var out strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	switch {
	case len(r.Cells) == 0:
		add("no difference between GOOD and BAD in %s", conf.Plural(r.Compared, "call"))
		if r.CouldHaveSeen != nil {
			add("half of the calls could have shown a change by a factor of %.2f", *r.CouldHaveSeen)
		}
	case len(r.FirstBad) == 1:
		add("first bad commit: %s", r.FirstBad[0])
	default:
		add("the first bad commit is one of %d, since commits were skipped:\n  %s", len(r.FirstBad), strings.Join(r.FirstBad, "\n  "))
	}
	for _, k := range r.Cells {
		add("  %s at %s on %s takes %.2f times as long in BAD as in GOOD (95 %% interval %.2f to %.2f)",
			k.Function, conf.HumanSize(k.Msize), k.Shape, *k.Ratio, *k.RatioLo, *k.RatioHi)
	}
	if len(r.Cells) > 0 {
		add("%s after GOOD, %d tried:", conf.Plural(r.Commits, "commit"), len(r.Steps))
	}
	for _, s := range r.Steps {
		add("  %.12s %-4s %s", s.Commit, s.Mark, s.Why)
	}
	if err := say(clean.Text(out.String())); err != nil || len(r.FirstBad) == 1 {
		return err
	}
	return &fail.Refused{Reason: "no single first bad commit can be named; see " + filepath.Join(folder, bisect.File)}
}
