package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/analyze/report"
	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature"
	"pgmpi/internal/manual"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

func submitCommand(h *command.Host) *cobra.Command {
	var out string
	var submit bool
	c := &cobra.Command{
		Use:     "submit gl.toml|DIR",
		Example: "pgmpi submit gl.toml --out DIR\npgmpi submit gl.toml --out DIR --go",
		Short:   "write a batch script for a check, and submit it",
		Long: `Writes OUT/batch.sh, the script of a batch job that does a check, for Slurm or
from a template of your own; the section [batch] of gl.toml has its settings.
--go submits it, and keeps Slurm's id in OUT. Before the time limit of an
allocation the job goes back into the queue, and later goes on, until the check
has its report. Flags of check come after --, such as:
pgmpi submit gl.toml --go -- --method ci`,
		Args: func(c *cobra.Command, args []string) error {
			own, _ := flagsBehind(c, args)
			return command.Wants(1, 1, "one gl.toml, and flags of check after --")(c, own)
		},
		RunE: func(c *cobra.Command, args []string) error {
			_, flags := flagsBehind(c, args)
			out = cmp.Or(out, run.NewFolder("pgmpi-", time.Now()))
			x := feature.Submit{Command: "check", Measures: experiment.Check}
			for _, other := range submits() {
				if wanted, _ := c.Flags().GetBool(other.Command); wanted {
					x = other
				}
			}
			does, err := named(c.Root(), []string{x.Command})
			if err != nil {
				return err
			}
			s, err := submission(h, x, does, args[0], out, flags)
			if err != nil {
				return err
			}
			if err := s.Write(); err != nil {
				return err
			}
			if !submit {
				fmt.Fprintf(h.Stdout, "wrote %s: %s\n", filepath.Join(s.Folder, filepath.Base(s.Path)), s.Size())
				if line := s.SubmitLine(); line != "" {
					fmt.Fprintf(h.Stdout, "  submit it with: %s\n", line)
				}
				return nil
			}
			job, err := s.Go()
			if err != nil {
				return err
			}
			fmt.Fprintf(h.Stdout, "submitted job %s: %s\n  how far it is: pgmpi status %s\n", job, s.Size(), conf.Quote(s.Folder))
			return nil
		},
	}
	fs := c.Flags()
	fs.StringVar(&out, "out", "", "the results folder `DIR` (default pgmpi-<UTC time>)")
	fs.BoolVar(&submit, "go", false, "submit the script")
	for _, x := range submits() {
		fs.Bool(x.Command, false, x.Usage)
	}
	return c
}

func flagsBehind(c *cobra.Command, args []string) (own, flags []string) {
	if at := c.ArgsLenAtDash(); at >= 0 {
		return args[:at], args[at:]
	}
	return args, nil
}

// given lists the flags of check that submit adds by itself.
var given = []string{"guidelines", "out", "resume", "dry-run"}

// submission returns the job for a gl.toml, or for a results folder.
func submission(h *command.Host, x feature.Submit, does *cobra.Command, of, out string, flags []string) (*experiment.Submission, error) {
	if x.Measures == nil {
		return ofFolder(h, x, does, of, flags)
	}
	s := settings.Settings{File: of}
	config, self, err := ofJob(h, does, &s, nil, flags)
	if err != nil {
		return nil, err
	}
	argv := slices.Concat([]string{self, does.Name(), "--guidelines", of}, flags, []string{"--out", out, "--resume"})
	return experiment.NewSubmission(config, out, argv, func() (time.Duration, error) { return experiment.Takes(x.Measures, config, out, h.Version) })
}

func ofFolder(h *command.Host, x feature.Submit, does *cobra.Command, path string, flags []string) (*experiment.Submission, error) {
	_, m, err := reading.Open(path, x.Of...)
	if err != nil {
		return nil, err
	}
	config, self, err := ofJob(h, does, &settings.Settings{}, m, flags)
	if err != nil {
		return nil, err
	}
	takes, err := x.Takes(config, path, h.Version)
	if err != nil {
		return nil, err
	}
	argv := slices.Concat([]string{self, does.Name(), path}, flags, []string{"--resume"})
	return experiment.NewSubmission(config, filepath.Join(path, x.Into), argv, takes)
}

func ofJob(h *command.Host, does *cobra.Command, s *settings.Settings, m *results.Manifest, flags []string) (config *glfile.File, self string, err error) {
	fs := does.Flags()
	err = does.ParseFlags(flags)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q after --", fs.Arg(0))
	}
	if err != nil {
		return nil, "", fail.Setupf("submit: %w; see `pgmpi help %s`", manual.FlagHint(err, fs), does.Name())
	}
	if err := h.Check(fs); err != nil {
		return nil, "", err
	}
	for _, name := range given {
		if fs.Changed(name) {
			return nil, "", fail.Setupf("submit: --%s is given by submit itself", name)
		}
	}
	s.Take(fs)
	if config, err = s.Load(m); err != nil {
		return nil, "", err
	}
	if err := startable(fs, config); err != nil {
		return nil, "", err
	}
	if self, err = exec.LookPath(os.Args[0]); err == nil {
		self, err = filepath.Abs(self)
	}
	return config, self, fail.AsSetup(err)
}

// startable finds an error that would end the job before its first mpirun. Nobody should wait in the queue for it.
func startable(fs *pflag.FlagSet, config *glfile.File) error {
	if fs.Changed("launch-time") {
		return fail.Setupf("submit: --launch-time is for the estimate of --dry-run")
	}
	labels, _ := fs.GetStringArray("label")
	if err := run.ValidateLabels(labels); err != nil {
		return err
	}
	explain, _ := fs.GetStringArray("explain") // explore has no --explain
	if len(explain) == 0 || len(config.Job.NP) == 0 {
		return nil
	}
	if err := command.MayExplain(explain, command.FormatOf(fs)); err != nil {
		return err
	}
	plan, err := config.Plan(config.Job.NP)
	if err != nil {
		return fail.AsSetup(err)
	}
	_, err = reading.Selected(plan, explain)
	return err
}

func statusCommand(h *command.Host) *cobra.Command {
	var format *command.FormatFlag
	c := &cobra.Command{
		Use:     "status DIR",
		Example: "pgmpi status DIR\npgmpi status DIR --format json",
		Short:   "how far a measurement is, and its batch job",
		Long: `Says how many mpiruns of a results folder are done, how long the missing ones
will take, and the state of its batch job, where pgmpi submit has submitted one.`,
		Args: command.Wants(1, 1, "one results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := experiment.StatusOf(args[0], h.Kinds)
			if err != nil {
				return err
			}
			return format.Print(report.Statuses.Document(s), "")
		},
	}
	format = h.OneFormat(c.Flags(), report.Statuses)
	return c
}
