// Pgmpi finds out whether an MPI library keeps its own promises: it measures
// every collective and its mock-ups, and reports which self-consistent
// performance guidelines are violated.
//
//	pgmpi check --guidelines gl.toml
//
// See `pgmpi help` for the commands and docs/guide.md for the manual.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	programVersion "pgmpi/internal/version"
)

var version = programVersion.String()

// errFound is exit code 1: what was found has been shown.
var errFound = errors.New("violated")

func setup(err error) error { return &fail.Setup{Err: err} }

func setupf(format string, args ...any) error { return setup(fmt.Errorf(format, args...)) }

// command is one subcommand.
type command struct {
	name  string
	args  string // shown after the name
	short string
	long  string // what help adds
	flags func(*pflag.FlagSet) action
}

// action is what a command does with its arguments, once its flags are parsed.
type action = func(context.Context, []string) error

func (c command) flagSet() (*pflag.FlagSet, action) {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	fs.SortFlags = false
	run := c.flags(fs)
	if documentFormat(fs) != nil || fs.Lookup("dry-run") != nil {
		pageFlags(fs)
	}
	return fs, run
}

// commands is in the order of the help text.
func commands() []command {
	return []command{
		checkCommand, nrepCommand, measureCommand, analyzeCommand, timesCommand, fingerprintCommand, compareCommand, abCommand, reproduceCommand, historyCommand,
		matrixCommand, figuresCommand, exportCommand,
		expectCommand,
		exploreCommand, overlapCommand, remedyCommand, selftestCommand, envCommand, clocksCommand, listCommand, initCommand, submitCommand, statusCommand, completionCommand(), manCommand(), versionCommand,
	}
}

var stdout, stderr io.Writer = os.Stdout, os.Stderr

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	go func() {
		// A second Ctrl-C ends pgmpi at once; mpirun follows by itself.
		<-ctx.Done()
		stop()
	}()
	os.Exit(execute(ctx, os.Args[1:]))
}

// endings are the signals that end a measurement with exit status 130: from the
// terminal, and what batch systems warn with. What was ignored when pgmpi was
// started stays so, for nohup.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU,
	}, signal.Ignored)
}

func execute(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			warn("pgmpi: internal error: %v\n  This is a fault of pgmpi %s, not of your input. Finished mpiruns are on disk; --resume goes on.\n", r, version)
			code = exitcode.Failed
		}
	}()
	err := dispatch(ctx, args)
	if err != nil && !errors.Is(err, errFound) {
		warn("pgmpi: %v\n", err)
	}
	return codeOf(err)
}

// warn writes to standard error, whatever names of others are in it.
func warn(format string, args ...any) {
	fmt.Fprint(stderr, clean.Text(fmt.Sprintf(format, args...)))
}

// codeOf is the exit code of what ended a command.
func codeOf(err error) int {
	var (
		setup        *fail.Setup
		incomparable *analyze.NotComparable
		refused      *fail.Refused
		interrupted  *fail.Interrupted
	)
	switch {
	case err == nil:
		return exitcode.OK
	case errors.Is(err, errFound):
		return exitcode.Violated
	case errors.As(err, &interrupted):
		return exitcode.Interrupted
	case errors.As(err, &setup), errors.As(err, &incomparable):
		return exitcode.Setup
	case errors.As(err, &refused):
		return exitcode.NoVerdict
	}
	return exitcode.Failed
}

func dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			if args[1] == "help" {
				return say(overview())
			}
			c, err := find(args[1])
			if err != nil {
				return err
			}
			return say(c.help())
		}
		return say(overview())
	}
	name := args[0]
	if slices.Contains([]string{"--version", "-V", "-v"}, name) {
		name = versionCommand.name
	}
	c, err := find(name)
	if err != nil {
		return err
	}
	fs, run := c.flagSet()
	fs.Usage = func() {}
	if err := fs.Parse(args[1:]); errors.Is(err, pflag.ErrHelp) {
		return say(c.help())
	} else if err != nil {
		return setupf("%s: %w; see `pgmpi help %s`", c.name, flagHint(err, fs), c.name)
	}
	if c.args == "" && fs.NArg() > 0 {
		return setupf("%s: unexpected argument %q; see `pgmpi help %s`", c.name, fs.Arg(0), c.name)
	}
	if printed, err = checked(fs); err != nil {
		return err
	}
	return run(ctx, fs.Args())
}

// checked is the screen that parsed flags ask for; values that no flag may have are errors.
func checked(fs *pflag.FlagSet) (screen, error) {
	if f := documentFormat(fs); f != nil && f.err != nil {
		return screen{}, setupf("--format: %w", f.err)
	}
	return screenOf(fs, os.Getenv, columnsOf(stdout))
}

func find(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return command{}, setupf("%s; see `pgmpi help`", conf.Unknown("command", name, names))
}

// notWanted says by the type of a flag what is wrong with a value, or a part of it.
var notWanted = map[string]string{
	"intSlice": "no number of processes", "float64Slice": "no number", "int": "no whole number", "bool": "neither true nor false",
}

// flagHint adds the nearest flag to an unknown one, and says what is wrong with
// a value.
func flagHint(err error, fs *pflag.FlagSet) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag, cause := invalid.GetFlag(), invalid.Unwrap()
		var number *strconv.NumError
		if no := notWanted[flag.Value.Type()]; no != "" && errors.As(cause, &number) {
			cause = fmt.Errorf("%q is %s", number.Num, no)
		}
		return fmt.Errorf("--%s: %w", flag.Name, cause)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if n := conf.Nearest(unknown.GetSpecifiedName(), names); n != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, n)
	}
	return err
}

const about = `pgmpi finds out whether an MPI library keeps its own promises.

A collective should never be slower than an emulation of it by other
collectives (its mock-up), than itself on more data, or than itself called k
times on 1/k of the data. pgmpi measures, tests and reports the violations.
`

// exitCodes are what scripts go by.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitcode.OK, "nothing violated; with a baseline: nothing newly wrong"},
	{exitcode.Violated, "violated; with a baseline: an alarm"},
	{exitcode.Setup, "nothing was measured"},
	{exitcode.Failed, "the measurement failed, or a call is wrong"},
	{exitcode.NoVerdict, "no verdict possible"},
	{exitcode.Interrupted, "interrupted"},
}

func overview() string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s\nUsage: pgmpi COMMAND [FLAGS]\n\n", about)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-18s %s\n", strings.TrimSpace(c.name+" "+c.args), c.short)
	}
	fmt.Fprint(w, `
Start with:
  pgmpi check                          this machine, GL1–GL17, with the defaults
  pgmpi check --np 2 --msizes 8,1Ki    a quick look
  pgmpi init                           a commented gl.toml for your own settings

`+"`pgmpi help COMMAND` has the flags. Exit codes: 0 nothing violated, 1 violated,\n2 nothing was measured, 3 the measurement failed, 4 no verdict possible,\n130 interrupted.\n")
	return w.String()
}

// helpWidth is the widest line of a help text, in columns.
const helpWidth = 80

func (c command) help() string {
	fs, _ := c.flagSet()
	w := &strings.Builder{}
	fmt.Fprintf(w, "pgmpi %s: %s\n\n%s\n", c.name, c.short, strings.TrimSpace(c.long))
	fmt.Fprintf(w, "\nUsage: pgmpi %s", strings.TrimSpace(c.name+" "+c.args))
	if !fs.HasFlags() {
		fmt.Fprintln(w)
		return w.String()
	}
	fmt.Fprintln(w, " [FLAGS]")
	for _, s := range sections(fs) {
		if s.title != "" {
			fmt.Fprintf(w, "\n%s:", s.title)
		}
		fmt.Fprintf(w, "\n%s", s.flags.FlagUsagesWrapped(helpWidth))
	}
	return w.String()
}
