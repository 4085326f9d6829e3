package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"pgmpi/analyze/report"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/reading"
	"pgmpi/internal/remedy"
	"pgmpi/measure/results"
)

func remedyCommand() *cobra.Command {
	var s settings
	var o output
	var force bool
	c := &cobra.Command{
		Use:   "remedy DIR",
		Short: "find a setting that mends what a check calls violated",
		Long: `Tries, for the violated guidelines of the results folder DIR of a check, what
may mend them: variables of the C library's malloc, the MPI library's own
algorithms, and other components of it. What is tried must not be seen to be out
of force, let all conformance calls go right, make violated cells faster, and
harm no case and no guideline of the whole plan, in fresh mpiruns without and
with it in turn; else it is taken back and the rest is proved again. What is
proved is in DIR/remedy: env.sh, the files that it names, gl.toml with the
variables in mpi.env, README and remedy.json.

Exit codes: 0 where something is proved to help, or nothing is violated; 4 where
nothing is; 2, 3 and 130 as for check. See docs/how-to-tune.md.`,
		Args:        wants(1, 1, "the results folder of a check"),
		Annotations: mostNeeded("kinds harm mpiruns launch rank force quiet full format"),
		RunE: func(c *cobra.Command, args []string) error {
			return mend(c.Context(), args[0], force, &s, &o)
		},
	}
	fs := c.Flags()
	s.keys(fs, "kinds", "harm", "mpiruns", "launch", "rank", "seed", "alpha", "adjust", "min-slowdown")
	fs.Lookup("mpiruns").Usage = "`R`, mpiruns without and as many with the setting in each proof (default: what shows one harmed case, at least 10)"
	fs.BoolVar(&force, "force", false, "write over the remedy in DIR/remedy; the mpiruns of its proofs are kept")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
	fs.Bool("full", false, "print the setting and its proofs too, not only what comes first")
	o.formats = oneFormat(fs, report.Remedies)
	return c
}

func mend(ctx context.Context, check string, force bool, s *settings, o *output) error {
	_, m, err := reading.Open(check, results.Check)
	if err != nil {
		return err
	}
	config, err := s.load(m)
	if err != nil {
		return err
	}
	x := &remedy.Remedy{Config: config, Check: check, Force: force, Version: version}
	if s.given("job.mpiruns") {
		x.Mpiruns = config.Job.MPIRuns
	}
	violated, err := x.Prepare()
	if err != nil {
		return err
	}
	if violated {
		if err := run.MayStart(check, m, config, s.given); err != nil {
			return err
		}
	}
	o.progress = newProgress(o.quiet)
	x.Tell = o.progress.tell
	r, err := x.Do(ctx)
	o.progress.clear()
	if r == nil {
		return err
	}
	shown := showRemedy(r, o)
	if err != nil { // what was proved before is shown all the same
		return err
	}
	return shown
}

func showRemedy(r *report.RemedyResult, o *output) error {
	d := report.Remedies.Document(r)
	if err := errors.Join(o.formats.deliver(d), o.formats.print(d, "")); err != nil {
		return err
	}
	if len(r.Cells) > 0 {
		warn("results: %s\n", r.Folder)
	}
	return d.Exit
}
