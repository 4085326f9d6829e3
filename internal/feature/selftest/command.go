package selftest

import (
	"cmp"
	"context"
	"os"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/fail"
	"pgmpi/internal/settings"
	"pgmpi/mockups"
)

func newCommand(h *command.Host) *cobra.Command {
	s := settings.Settings{Base: defaults()}
	var t Trial
	var own string
	var quiet bool
	var format *command.FormatFlag
	c := &cobra.Command{
		Use:     "selftest",
		Example: "pgmpi selftest --np 2\npgmpi selftest --np 2 --function Bcast",
		Short:   "prove that pgmpi finds what is there, and nothing else",
		Long: `(a) A/A: compares the eleven collectives with themselves. Any violation found
there is false.
(b) Plants a slowdown of one collective at one size (a library that is loaded
into the ranks delays it) and checks again: monotony, split-robustness and every
pattern about the collective must find exactly that size. 25 % and 10 % are
planted into the other collectives: how many of these are found is printed.
A test at level alpha errs now and then: a part with an error is repeated once
in another order, and fails only if the error comes back.
Exit code 0: passed, 1: failed, 4: the machine is too busy to tell, 2 and 3 as
for check. Takes half a minute.`,
		RunE: func(c *cobra.Command, _ []string) error {
			found, err := try(c.Context(), h, &t, &s, own, quiet)
			if found == nil {
				return err
			}
			d := kind.Document(found)
			return cmp.Or(h.Print(d, format.Printed()), err, d.Exit)
		},
	}
	fs := c.Flags()
	s.Keys(fs, "np", "shape", "mpiruns", "msizes", "rank", "launch", "seed")
	s.Means(fs, "mpiruns", "mpiruns of each of the two parts")
	fs.Lookup("np").Usage = "`N` processes (default: the processes of the batch job, else the cores)"
	fs.Lookup("shape").Usage = "`SHAPE` nodes × processes per node in place of --np, such as 2x1"
	fs.Lookup("msizes").Usage += "; at least three, and the slowdown is planted at the middle one"
	fs.StringVar(&t.Function, "function", "Allgather", "the `COLLECTIVE` that is slowed down")
	fs.StringVar(&own, "guidelines", "", "the `FILE` gl.toml whose [[mockup]]s of that collective must find the slowdown, too")
	fs.StringVar(&t.Out, "out", "", "keep the results folders in `DIR` (default: none is kept)")
	fs.BoolVar(&quiet, "quiet", false, "no progress")
	format = h.OneFormat(fs, kind)
	return c
}

// try returns its findings, with an error if it could not finish.
func try(ctx context.Context, h *command.Host, t *Trial, s *settings.Settings, own string, quiet bool) (*Result, error) {
	t.Function = mockups.Canonical(t.Function)
	var err error
	if t.Config, err = s.Load(nil); err != nil {
		return nil, err
	}
	if own != "" {
		f, err := (&settings.Settings{File: own}).Load(nil)
		if err != nil {
			return nil, err
		}
		t.Config.Mockup = f.Mockup
	}
	if err := t.Prepare(); err != nil {
		return nil, err
	}
	if t.Out == "" {
		if t.Out, err = os.MkdirTemp("", "pgmpi-selftest-"); err != nil {
			return nil, fail.AsSetup(err)
		}
		defer os.RemoveAll(t.Out)
	}
	p := h.NewProgress(quiet)
	defer p.Clear()
	t.Version, t.Tell = h.Version, p.Tell
	return t.Do(ctx)
}
