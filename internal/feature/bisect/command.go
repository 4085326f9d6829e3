package bisect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
)

func newCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h}
	var x Bisection
	c := &cobra.Command{
		Use:     "bisect GOOD BAD --build CMD -- gl.toml",
		Example: "pgmpi bisect v4.1.4 main --build 'sh build.sh' -- gl.toml\npgmpi bisect v4.1.4 main --build 'sh build.sh' --out DIR --resume -- gl.toml",
		Short:   "find the commit that made an MPI library slower",
		Long: `Finds the first commit of a git repository, behind GOOD and up to BAD, since
which calls are slower, or faster. CMD builds one commit: it runs in a checkout,
without a shell, and puts into the folder {prefix}, also PREFIX in its
environment, what gl.toml then runs with: an installed MPI library, or what its
[mpi] names, such as env = { LD_PRELOAD = "{prefix}/libtuned.so" }

GOOD and BAD are measured alternately. Then commits are chosen by halves. Each
alternates with GOOD and BAD in the calls in which these differ, in 8 to 256
mpiruns, and is bad if it is shown to be slower than GOOD, good if faster than
BAD. A commit that does not build, or stays undecided, is skipped. git works in
OUT/tree, a clone of its own; no GIT_* of the environment reaches it or CMD.

Exit codes: 0 the first bad commit is named; 4 GOOD and BAD show no difference,
or skipped commits leave several; 2 GOOD, BAD, their builds or gl.toml cannot be
used; 3 a measurement failed; 130 interrupted, go on with --out OUT --resume.`,
		Args:        command.Wants(3, 3, "two commits and, after --, a gl.toml"),
		Annotations: manual.MostNeeded("build repo keep np msizes mpiruns out resume quiet"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			x.Good, x.Bad, s.File = args[0], args[1], args[2]
			if x.Config, err = s.Load(nil); err != nil {
				return err
			}
			o.Out = cmp.Or(o.Out, run.NewFolder("pgmpi-bisect-", time.Now()))
			o.Progress = h.NewProgress(o.Quiet)
			x.Out, x.Version, x.Tell = o.Out, h.Version, o.Progress.Tell
			r, err := x.Do(c.Context(), o.Resume)
			o.Progress.Clear()
			if err != nil {
				return o.GoOnWith(err, o.Out)
			}
			if err := h.Say(r.String()); err != nil || len(r.FirstBad) == 1 {
				return err
			}
			return &fail.Refused{Reason: "no single first bad commit can be named; see " + filepath.Join(o.Out, File)}
		},
	}
	fs := c.Flags()
	fs.StringVar(&x.Build, "build", "", "the `CMD` that builds a commit into {prefix}, split at spaces, no shell: a script, or \"make install prefix={prefix}\"")
	fs.StringVar(&x.Repo, "repo", ".", "the git repository `DIR`")
	fs.BoolVar(&x.Keep, "keep", false, "keep what was built, in OUT/prefix")
	s.Design(fs)
	s.Selecting(fs)
	s.Keys(fs, "alpha", "min-slowdown")
	fs.StringVar(&o.Out, "out", "", "the `DIR` of builds, mpiruns and bisect.json (default pgmpi-bisect-<UTC time>)")
	o.Resumable(fs)
	fs.BoolVar(&o.Quiet, "quiet", false, "no progress")
	fs.Lookup("mpiruns").Usage = fmt.Sprintf("`R`, mpiruns of GOOD and of BAD (default %d)", MPIRuns)
	return c
}
