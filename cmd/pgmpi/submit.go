package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
)

var submitCommand = command{
	name:  "submit",
	args:  "gl.toml",
	short: "write a batch script for a check, and submit it",
	long: `Writes the script of a batch job that does a check, by the section [batch] of
gl.toml, to OUT/batch.sh, for Slurm or from a template of your own. With --go
the job is submitted. Slurm's id is kept in OUT, and before the time limit of an
allocation the job goes back into the queue and then goes on, until the check
has its report. What follows -- are flags of check, such as:
pgmpi submit gl.toml --go -- --method ci`,
	flags: func(fs *pflag.FlagSet) action {
		out := fs.String("out", "", "the results folder `DIR` (default pgmpi-<UTC time>)")
		submit := fs.Bool("go", false, "submit the script")
		explore := fs.Bool("explore", false, "the job of pgmpi explore in place of a check; what follows -- are its flags")
		return func(_ context.Context, args []string) error {
			own := args
			var flags []string
			if at := fs.ArgsLenAtDash(); at >= 0 {
				own, flags = args[:at], args[at:]
			}
			if len(own) != 1 {
				return setupf("submit: give one gl.toml, and flags of check behind --; see `pgmpi help submit`")
			}
			if *out == "" {
				*out = run.NewFolder("pgmpi-", time.Now())
			}
			s, err := submission(own[0], *out, *explore, flags)
			if err != nil {
				return err
			}
			if err := s.Write(); err != nil {
				return err
			}
			if !*submit {
				sayWritten(s)
				return nil
			}
			job, err := s.Go()
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "submitted job %s: %s\n  how far it is: pgmpi status %s\n", job, s.Size(), conf.Quote(s.Folder))
			return nil
		}
	},
}

func sayWritten(s *run.Submission) {
	fmt.Fprintf(stdout, "wrote %s: %s\n", filepath.Join(s.Folder, filepath.Base(s.Path)), s.Size())
	if line := s.SubmitLine(); line != "" {
		fmt.Fprintf(stdout, "  submit it with: %s\n", line)
	}
}

// given are the flags of check that submit gives itself.
var given = []string{"guidelines", "out", "resume", "dry-run"}

// submission is the job of a check, or of an exploration, with a gl.toml and more flags.
func submission(toml, out string, explore bool, flags []string) (*run.Submission, error) {
	s := settings{guidelines: toml}
	does := checkCommand
	if explore {
		does = exploreCommand
	}
	fs, _ := does.flagSet()
	fs.Usage = func() {}
	if err := fs.Parse(flags); err != nil {
		return nil, setupf("submit: %w; see `pgmpi help %s`", flagHint(err, fs), does.name)
	}
	if fs.NArg() > 0 {
		return nil, setupf("submit: unexpected argument %q behind --; see `pgmpi help %s`", fs.Arg(0), does.name)
	}
	if _, err := checked(fs); err != nil {
		return nil, err
	}
	var wrong error
	fs.Visit(func(f *pflag.Flag) {
		if slices.Contains(given, f.Name) {
			wrong = setupf("submit: --%s is given by submit itself", f.Name)
		}
		if k, ok := f.Value.(*keyFlag); ok {
			s.flags = append(s.flags, k)
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	config, err := s.load(nil)
	if err != nil {
		return nil, err
	}
	if err := startable(fs, config); err != nil {
		return nil, err
	}
	self, err := exec.LookPath(os.Args[0])
	if err == nil {
		self, err = filepath.Abs(self)
	}
	if err != nil {
		return nil, setup(err)
	}
	argv := slices.Concat([]string{self, does.name, "--guidelines", toml}, flags, []string{"--out", out, "--resume"})
	return run.NewSubmission(config, out, version, explore, argv)
}

// startable returns the error with which the job would end before its first mpirun, after it has waited.
func startable(fs *pflag.FlagSet, config *glfile.File) error {
	if fs.Changed("launch-time") {
		return setupf("submit: --launch-time is for the estimate of --dry-run")
	}
	labels, _ := fs.GetStringArray("label")
	if err := run.ValidateLabels(labels); err != nil {
		return err
	}
	explain, _ := fs.GetStringArray("explain") // explore has none
	if len(explain) == 0 || len(config.Job.NP) == 0 {
		return nil
	}
	if err := mayExplain(documentFormat(fs)); err != nil {
		return err
	}
	plan, err := config.Plan(config.Job.NP)
	if err != nil {
		return setup(err)
	}
	_, err = selected(plan, explain)
	return err
}
