// Pgmpi finds out whether an MPI library keeps its own promises: it measures
// every collective and its mock-ups, and reports which self-consistent
// performance guidelines are violated.
//
//	pgmpi check gl.toml
//
// See `pgmpi help` for the commands and docs/guide.md for the manual.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/cmd/pgmpi/programs"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/manual"
	"pgmpi/internal/progress"
	"pgmpi/internal/settings"
	programVersion "pgmpi/internal/version"
)

var version = programVersion.String()

// groups are the commands in the order of the overview. A group without a title is hidden.
var groups = []struct {
	title    string
	commands []func() *cobra.Command
}{
	{"Start", []func() *cobra.Command{checkCommand, analyzeCommand, initCommand, listCommand}},
	{"Mend", []func() *cobra.Command{whichCommand, lintCommand, exploreCommand, remedyCommand, abCommand}},
	{"Gain", []func() *cobra.Command{hosted(programs.Profile), hosted(programs.Gain), hosted(programs.Apply)}},
	{"Watch", []func() *cobra.Command{compareCommand, historyCommand, bisectCommand, expectCommand}},
	{"Data", []func() *cobra.Command{exportCommand, figuresCommand, fitCommand, timesCommand, fingerprintCommand, overlapCommand}},
	{"Cluster", []func() *cobra.Command{submitCommand, statusCommand, envCommand}},
	{"Trust", []func() *cobra.Command{selftestCommand, clocksCommand}},
	{"Stages", []func() *cobra.Command{nrepCommand, measureCommand}},
	{"pgmpi", []func() *cobra.Command{versionCommand, completionCommand, manCommand}},
	{"", []func() *cobra.Command{reproduceCommand, matrixCommand}},
}

var stdout, stderr io.Writer = os.Stdout, os.Stderr

func main() {
	signalled, _ := signal.NotifyContext(context.Background(), endings()...)
	ctx := &listened{Context: signalled}
	go func() {
		// A second Ctrl-C ends pgmpi at once; mpirun follows by itself. Other signals come several
		// times: a batch system sends them to every process, and so does its script.
		ctx.end(os.Exit)
		time.Sleep(time.Second)
		signal.Reset(os.Interrupt)
	}()
	os.Exit(execute(ctx, os.Args[1:]))
}

// listened is a context that knows whether a command listens to it.
type listened struct {
	context.Context
	asked atomic.Bool
}

func (l *listened) Done() <-chan struct{} {
	l.asked.Store(true)
	return l.Context.Done()
}

func (l *listened) Err() error {
	l.asked.Store(true)
	return l.Context.Err()
}

// end waits for a signal, and ends a command that does not listen: it only reads, and leaves nothing half done.
func (l *listened) end(exit func(code int)) {
	<-l.Context.Done()
	if !l.asked.Load() {
		warn("pgmpi: %s\n", &fail.Interrupted{})
		exit(exitcode.Interrupted)
	}
}

// endings are the signals that end a measurement with exit status 130: a terminal sends them,
// or a batch system as a warning. A signal that was ignored when pgmpi was started stays ignored,
// for nohup.
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
	err := addresses()
	if err == nil {
		err = dispatch(ctx, args)
	}
	if err != nil && !errors.Is(err, fail.ErrFound) {
		warn("pgmpi: %s\n", err)
	}
	return codeOf(err)
}

// addresses returns an error for a limit under which Go's runtime would soon end by a stack trace.
func addresses() error {
	const least = 1 << 30
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &l) == nil && l.Cur < least {
		return fail.Setupf("ulimit -v is %d MiB, and pgmpi needs %d MiB of addresses, its ranks more: raise it", l.Cur>>20, least>>20)
	}
	return nil
}

func warn(format string, args ...any) { fmt.Fprint(stderr, document.Said(format, args...)) }

func newProgress(quiet bool) *progress.Shown { return progress.New(stderr, warn, quiet) }

func codeOf(err error) int {
	switch {
	case err == nil:
		return exitcode.OK
	case errors.Is(err, fail.ErrFound):
		return exitcode.Violated
	case fail.Is[*fail.Interrupted](err):
		return exitcode.Interrupted
	case fail.Is[*fail.Setup](err), fail.Is[*analyze.NotComparable](err):
		return exitcode.Setup
	case fail.Is[*fail.Refused](err):
		return exitcode.NoVerdict
	}
	return exitcode.Failed
}

// dispatch runs a command line. Whatever cobra refuses is an error of usage.
func dispatch(ctx context.Context, args []string) error {
	root := rootCommand()
	if len(args) > 0 && slices.Contains([]string{"--version", "-V", "-v"}, args[0]) {
		args = []string{"version"}
	}
	all := slices.Index(args, "--help=all")
	if all >= 0 { // cobra's --help is a bool
		args = slices.Replace(slices.Clone(args), all, all+1, "--help")
	}
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		manual.Shorten(root)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var unwritten error
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { unwritten = say(manual.Help(c, all >= 0)) })
	begun := false
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) (err error) {
		begun = true
		printed, err = checked(c.Flags())
		printed.line = "pgmpi " + strings.Join(without(args, "--format", "--out"), " ")
		return err
	}
	err := root.ExecuteContext(ctx)
	if err != nil && !begun { // cobra's suggestions are lines
		lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
		err = fail.AsSetup(fail.Also(errors.New(lines[0]), lists.Map(lines[1:], strings.TrimSpace)...))
	}
	return cmp.Or(err, unwritten)
}

func rootCommand() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:   "pgmpi COMMAND",
		Short: "check whether an MPI library keeps its own promises",
		Long:  about,
		RunE:  func(c *cobra.Command, _ []string) error { return say(manual.Help(c, false)) },

		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError(c, manual.FlagHint(err, c.Flags()))
	})
	root.SetHelpCommand(helpCommand())
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, command := range g.commands {
			c := command()
			c.GroupID, c.Hidden = g.title, g.title == ""
			root.AddCommand(c)
			finish(c)
		}
	}
	return root
}

// finish adds to a command the flags of the page, if it prints one, and the values that a shell
// offers behind a flag.
func finish(c *cobra.Command) {
	fs := c.Flags()
	fs.SortFlags = false
	if c.Args == nil && c.HasParent() {
		c.Args = wants(0, 0, "")
	}
	if documentFormat(fs) != nil || fs.Lookup("dry-run") != nil {
		pageFlags(fs)
	}
	manual.Offered(c)
}

func usageError(c *cobra.Command, err error) error {
	if !c.HasParent() {
		return fmt.Errorf("%w; see `pgmpi help`", err)
	}
	return fmt.Errorf("%s: %w; see `pgmpi help %[1]s`", c.Name(), err)
}

const anyNumber = -1

// wants refuses fewer arguments than least and more than most, and asks for what.
func wants(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case most == 0 && len(args) > 0:
			return usageError(c, fmt.Errorf("unexpected argument %q", args[0]))
		case len(args) < least || most != anyNumber && len(args) > most:
			return usageError(c, errors.New("give "+what))
		}
		return nil
	}
}

// orFile takes the configuration as the only argument, in place of --guidelines.
func orFile(s *settings.Settings) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := wants(0, 1, "one gl.toml, or none")(c, args); err != nil || len(args) == 0 {
			return err
		}
		if s.File != "" {
			return usageError(c, fmt.Errorf("%s and --guidelines %s: give one of the two", args[0], s.File))
		}
		if isFolder(args[0]) {
			return usageError(c, fmt.Errorf("%s is a folder, and a gl.toml is wanted", args[0]))
		}
		s.File = args[0]
		return nil
	}
}

// orFolder takes a results folder as the only argument, or a configuration.
func orFolder(s *settings.Settings) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 && isFolder(args[0]) {
			return nil
		}
		return orFile(s)(c, args)
	}
}

func checked(fs *pflag.FlagSet) (screen, error) {
	if f := documentFormat(fs); f != nil && f.err != nil {
		return screen{}, fail.Setupf("--format: %w", f.err)
	}
	return screenOf(fs, os.Getenv, columnsOf(stdout))
}

// hosted makes a command that runs somebody's program.
func hosted(command func(programs.Host) *cobra.Command) func() *cobra.Command {
	return func() *cobra.Command {
		var o output
		return command(programs.Host{Progress: newProgress,
			Formats: func(fs *pflag.FlagSet, k document.Forms, has bool) {
				if o.formats = oneFormat(fs, k); has {
					full(fs)
				}
			},
			Show: func(d *document.Document, all, path string) error {
				if err := o.formats.print(d, ""); err != nil {
					return err
				}
				o.end(d, d.Exit, cmp.Or(all, printed.line), "", path)
				return d.Exit
			}})
	}
}
