package remedy

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/manual"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

func newCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h}
	var x Request
	var dry, verify bool
	c := &cobra.Command{
		Use:     "remedy DIR",
		Example: "pgmpi remedy DIR\npgmpi remedy DIR --max-time 10m",
		Short:   "find a setting that mends what a check calls violated",
		Long: `Reads the violated guidelines of a check in the results folder DIR, or the
faster algorithms of an exploration, and tries what may help: variables of the C
library's malloc, the MPI library's own algorithms, its eager limit and other
components. Fresh mpiruns, without and with a setting in turn, must show that it
makes such cells faster, and not that it harms a case or guideline of the plan.
It must also pass all conformance calls, and must not be seen to have no effect.
A setting that fails is dropped, and the rest is proved again. DIR/remedy has
what is proved: env.sh, the files that it names, gl.toml, README, remedy.json.
With --verify it tries nothing, and says whether the setting that is there still
helps with the library of today, and which parts are obsolete.

Exit codes: 0 where a setting is proved to help, or nothing is violated; 4 where
none is proved; 2, 3 and 130 as for check. With --verify: 1 where something is
obsolete or harms, 4 where not all is shown to help. See docs/how-to-tune.md.`,
		Args:        command.Wants(1, 1, "the results folder of a check, or of an exploration"),
		Annotations: manual.MostNeeded("kinds harm extend mpiruns max-time rank resume force verify dry-run full format"),
		RunE: func(c *cobra.Command, args []string) error {
			x.Check, x.Version = args[0], h.Version
			if verify {
				x.Force = true // nothing is written over
				return verifyAgain(c.Context(), x, &s, &o)
			}
			return mend(c.Context(), x, dry, &s, &o)
		},
	}
	fs := c.Flags()
	s.Keys(fs, "kinds", "harm", "mpiruns", "max-time", "launch", "rank", "seed", "alpha", "adjust", "min-slowdown")
	fs.Lookup("mpiruns").Usage = "`R`, mpiruns without and as many with the setting in each proof (default: what shows one harmed case, at least 10)"
	fs.Lookup("max-time").Usage = "`TIME` after which nothing more is tried, such as 10m; --resume goes on"
	fs.BoolVar(&x.Extend, "extend", false, "let choices also hold below the smallest and above the largest measured size")
	fs.BoolVar(&x.Resume, "resume", false, "go on with the last remedy in DIR/remedy")
	fs.BoolVar(&x.Force, "force", false, "begin another remedy in DIR/remedy; its setting stays until another is proved")
	fs.BoolVar(&verify, "verify", false, "try nothing: does the setting in DIR/remedy still help? (exit 1 where it does not)")
	fs.BoolVar(&dry, "dry-run", false, "print what would be tried, and an estimate of its time; start and write nothing")
	c.MarkFlagsMutuallyExclusive("verify", "resume", "force", "dry-run", "extend")
	fs.BoolVar(&o.Quiet, "quiet", false, "no progress")
	command.Full(fs)
	o.Formats = h.OneFormat(fs, kind) // of both
	return c
}

// loaded completes a request by flags.
func loaded(x *Request, s *settings.Settings) (*results.Manifest, error) {
	_, m, err := reading.Open(x.Check, results.Check, results.Explore)
	if err != nil {
		return nil, err
	}
	if x.Config, err = s.Load(m); err != nil {
		return nil, err
	}
	if s.Given("job.mpiruns") {
		x.Mpiruns = x.Config.Job.MPIRuns
	}
	if s.Given("job.max_time") {
		x.MaxTime = time.Duration(x.Config.Job.MaxTime)
	}
	x.Config.Job.MaxTime = 0 // of a check, not of a proof
	return m, nil
}

func verifyAgain(ctx context.Context, x Request, s *settings.Settings, o *command.Output) error {
	m, err := loaded(&x, s)
	if err != nil {
		return err
	}
	t, err := Prepare(x)
	if err == nil {
		err = run.MayStart(x.Check, m, x.Config, s.Given)
	}
	if err != nil {
		return err
	}
	o.Progress = o.NewProgress(o.Quiet)
	v, err := t.Verify(ctx, o.Progress.Tell)
	o.Progress.Clear()
	if err != nil {
		return err
	}
	return o.Show(verified.Document(v), "", v.Folder)
}

func mend(ctx context.Context, x Request, dry bool, s *settings.Settings, o *command.Output) error {
	m, err := loaded(&x, s)
	if err != nil {
		return err
	}
	t, err := Prepare(x)
	if err != nil {
		return err
	}
	violated := len(t.Cells) > 0
	if violated && dry {
		text, _, err := t.Planned(ctx)
		if err == nil {
			fmt.Fprint(o.Stdout, text)
		}
		return err
	}
	if violated {
		if err := run.MayStart(x.Check, m, t.Config, s.Given); err != nil {
			return err
		}
	}
	o.Progress = o.NewProgress(o.Quiet)
	r, err := t.Do(ctx, o.Progress.Tell)
	o.Progress.Clear()
	if r == nil {
		return err
	}
	d := kind.Document(r) // what was proved before an error is shown all the same
	if err := o.Formats.Print(d, ""); err != nil {
		return err
	}
	err = cmp.Or(err, d.Exit)
	o.End(d, err, "", x.Check, phrase.When(len(r.Cells) > 0, "%s", r.Folder))
	return err
}
