package main

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"pgmpi/internal/experiment/run"
	"pgmpi/mockups"
)

func selftestCommand() *cobra.Command {
	s := settings{base: run.SelftestDefaults()}
	var t run.Selftest
	var own string
	var quiet bool
	var format *formatFlag
	c := &cobra.Command{
		Use:   "selftest",
		Short: "prove that pgmpi finds what is there, and nothing else",
		Long: `(a) A/A: compares the eleven collectives with themselves. Whatever is reported
there is false.
(b) Plants a slowdown of one collective at one size (a library that is loaded
into the ranks delays it) and checks again: exactly that size must be found, by
monotony, split-robustness and every pattern about the collective.
A test at level alpha errs now and then: a part with an error is repeated once
in another order, and fails only with an error that comes back.
Exit code 0: passed, 1: failed, 2 and 3 as for check. Takes half a minute.`,
		RunE: func(c *cobra.Command, _ []string) error {
			found := run.SelftestResult{Selftest: &t}
			failed := selftest(c.Context(), &found, &s, own, quiet)
			if none := (*run.Inconclusive)(nil); errors.As(failed, &none) {
				failed = verdictExit(none.Report)
			}
			if found.A == nil {
				return failed
			}
			return cmp.Or(show(run.Selftests.Document(&found), format.printed()), failed)
		},
	}
	fs := c.Flags()
	s.keys(fs, "np", "shape", "mpiruns", "msizes", "rank", "launch", "seed")
	s.means(fs, "mpiruns", "mpiruns of each of the two parts")
	fs.Lookup("np").Usage = "`N` processes (default: the processes of the batch job, else the cores)"
	fs.Lookup("shape").Usage = "`SHAPE` nodes × processes per node in place of --np, such as 2x1"
	fs.Lookup("msizes").Usage += "; at least three, and the slowdown is planted at the middle one"
	fs.StringVar(&t.Function, "function", "Allgather", "the `COLLECTIVE` that is slowed down")
	fs.StringVar(&own, "guidelines", "", "the `FILE` gl.toml whose [[mockup]]s of that collective must find the slowdown, too")
	fs.StringVar(&t.Out, "out", "", "keep the results folders in `DIR` (default: none is kept)")
	fs.BoolVar(&quiet, "quiet", false, "no progress")
	format = oneFormat(fs, run.Selftests)
	return c
}

// selftest fills in what it finds, as far as it gets.
func selftest(ctx context.Context, found *run.SelftestResult, s *settings, own string, quiet bool) error {
	t := found.Selftest
	t.Function = mockups.Canonical(t.Function)
	var err error
	if t.Config, err = s.load(nil); err != nil {
		return err
	}
	if own != "" {
		f, err := (&settings{guidelines: own}).load(nil)
		if err != nil {
			return err
		}
		t.Config.Mockup = f.Mockup
	}
	if err := t.Prepare(); err != nil {
		return err
	}
	if t.Out == "" {
		if t.Out, err = os.MkdirTemp("", "pgmpi-selftest-"); err != nil {
			return setup(err)
		}
		defer os.RemoveAll(t.Out)
	}
	p := newProgress(quiet)
	defer p.clear()
	t.Version, t.Tell = version, p.tell
	if found.A, err = t.Identities(ctx); err != nil {
		return err
	}
	if found.B, err = t.Planted(ctx, found.A.Report); err != nil {
		return err
	}
	if found.Failed() {
		return errFound
	}
	return nil
}
