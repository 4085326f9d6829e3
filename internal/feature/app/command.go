package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/manual"
)

// byTurns holds the flags of commands that run a program by turns, with and without a setting.
type byTurns struct {
	command.Output
	pairs int
	rank  string
	same  []string

	before string
}

func (o *byTurns) flags(fs *pflag.FlagSet, usual int) {
	fs.IntVar(&o.pairs, "ab", usual, "run the program after -- alternately without and with the setting, in `N` pairs; at least 6")
	rankFlag(fs, &o.rank)
	fs.StringArrayVar(&o.same, "same", nil, "a `FILE` that each run writes, and that has the same text after each; may be given more than once")
	fs.StringVar(&o.before, "before", "", "a `COMMAND` that runs before each run, such as 'rm -rf out'; its words end at spaces, and no shell reads them")
	fs.BoolVar(&o.Quiet, "quiet", false, "no progress")
}

// program splits the arguments into those before -- and the program. The program is nil if there is none.
func (o *byTurns) program(c *cobra.Command, args []string) (of []string, p *Program, err error) {
	dash := c.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	}
	if dash != 2 {
		return nil, nil, misused(c, "give the results folder of a check, and a profile")
	}
	if of = args[:2]; len(args) > 2 {
		p, err = newProgram(args[2:], o.rank, nil, os.Stderr) // its output would come many times
	}
	if p != nil {
		p.Same, p.Before = o.same, strings.Fields(o.before)
	}
	return of, p, err
}

func (o *byTurns) tell(step string) { o.Progress.Tell(run.Event{Step: step}) }

func newGain(h *command.Host) *cobra.Command {
	o := byTurns{Output: command.Output{Host: h}}
	under := ""
	c := &cobra.Command{
		Use:     "gain DIR FILE [--ab N -- mpirun … ./app]",
		Example: "pgmpi gain DIR app.prof\npgmpi gain DIR app.prof --ab 10 -- mpirun -np 4 ./app",
		Short:   "what a program would gain by what a check has shown",
		Long: `Joins the check in the results folder DIR, the remedy in it, and the profile of
a program in FILE: seconds and percentages of the program's run-time, with
intervals, for each call that a remedy is proved to make faster, and apart for
calls that only a mock-up makes faster. Waiting for late ranks is not counted.
Nor are calls that the program makes in another state of malloc, with another
datatype or another root than the check. Messages have an upper limit alone.
With --ab the program runs alternately without and with DIR/remedy/env.sh, or
with the setting of --under, and what is seen stands beside what was predicted.
It must be the program of the profile. All runs get the same standard input, and
one that fails, or calls twice or half as many collectives as another, ends it.

Exit codes: 0; 4 where the check has measured none of the calls; 2 where
something cannot be read or started; 3 where the program fails; 130 interrupted.`,
		Args:        cobra.ArbitraryArgs,
		Annotations: manual.MostNeeded("ab under before same rank full format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			of, program, err := o.program(c, args)
			if err != nil {
				return err
			}
			if (program != nil) != c.Flags().Changed("ab") || program == nil && (o.same != nil || under != "" || o.before != "") {
				return misused(c, "--ab N, --under, --same, --before and the program after -- belong together")
			}
			g, err := Of(of[0], of[1])
			if err == nil && program != nil {
				g.Gain.Under = under
				err = o.beside(c.Context(), g, of[0], program)
			}
			if err != nil {
				return err
			}
			again := "" // what shows the rest must not run the program again
			if program != nil {
				again = fmt.Sprintf("pgmpi gain %s %s", conf.Folder(of[0]), conf.Quote(of[1]))
			}
			return o.Show(gains.Document(g.Gain), again, "")
		},
	}
	fs := c.Flags()
	o.flags(fs, 0)
	fs.StringVar(&under, "under", "", "the `FOLDER` of another setting than DIR/remedy, such as a trade's, whose env.sh is tried")
	o.Formats = h.OneFormat(fs, gains)
	command.Full(fs)
	return c
}

// beside runs the program alternately without and with a setting. It puts the result next to the prediction.
func (o *byTurns) beside(ctx context.Context, g *Joined, check string, program *Program) error {
	folder := g.Gain.Under
	if folder == "" {
		if err := hasRemedy(check); err != nil {
			return err
		}
		folder = filepath.Join(check, remedy.Folder)
	}
	set, err := settingIn(folder, o.rank)
	if err != nil {
		return err
	}
	o.Progress = o.NewProgress(o.Quiet)
	program.Profiled = g.Calls
	g.Gain.AB, err = program.AB(ctx, o.pairs, set, o.tell)
	o.Progress.Clear()
	return err
}

func newApply(h *command.Host) *cobra.Command {
	o := byTurns{Output: command.Output{Host: h}}
	var a Application
	c := &cobra.Command{
		Use:     "apply DIR FILE -- mpirun … ./app",
		Example: "pgmpi apply DIR app.prof -- mpirun -np 4 ./app\npgmpi apply DIR app.prof --same out.txt -- mpirun -np 4 ./app",
		Short:   "mock-ups in place of a program's calls, if it gains",
		Long: `Where the check in DIR shows that only a mock-up is faster than a call that the
program makes, a preloaded library can make the mock-up's calls in its place.
This is written, as a setting for this program alone, only if the program is
shown to gain: it runs alternately without and with them. Before that all
conformance calls must be right with them at every size. Only calls on the same
processes, at the same sizes, of predefined datatypes with MPI's operators are
replaced; all others go to the library.

DIR/apply, or --out, then has env.sh, mockups.txt, README and apply.json.

Exit codes: 0 the program gains; 4 it is not shown to gain, and nothing is
written; 2, 3 and 130 as for `,
		Args:        cobra.ArbitraryArgs,
		Annotations: manual.MostNeeded("ab before same same-bits out rank format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			of, program, err := o.program(c, args)
			if err == nil && program == nil {
				err = misused(c, "give the program after --: nothing is written for a program that was not run with it")
			}
			if err != nil {
				return err
			}
			g, err := Of(of[0], of[1])
			if err != nil {
				return err
			}
			a.Gain, a.Config, program.Profiled = g.Gain, g.Config, g.Calls
			o.Progress = o.NewProgress(o.Quiet)
			a.Program, a.Pairs, a.Tell = program, o.pairs, o.tell
			a.Out = cmp.Or(a.Out, filepath.Join(of[0], "apply"))
			r, err := a.Do(c.Context())
			o.Progress.Clear()
			if err != nil {
				return err
			}
			return o.Show(applications.Document(r), "", r.Folder)
		},
	}
	fs := c.Flags()
	fs.StringVar(&a.Out, "out", "", "the `DIR` for the setting (default DIR/apply)")
	fs.BoolVar(&a.SameBits, "same-bits", false, "leave out reductions of floating-point numbers and of types below 32 bits, whose bits may depend on the order")
	o.flags(fs, defaultPairs)
	o.Formats = h.OneFormat(fs, applications)
	return c
}

const defaultPairs = 10

// misused returns an error for a command line that cobra has taken.
func misused(c *cobra.Command, what string) error {
	return fail.Setupf("%s: %s; see `pgmpi help %[1]s`", c.Name(), what)
}
