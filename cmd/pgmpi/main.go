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

	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/manual"
)

type makers []func(*command.Host) *cobra.Command

// groups has the commands in the order of the overview.
var groups = []struct {
	title    string
	commands makers
}{
	{"Start", makers{checkCommand, analyzeCommand, initCommand, listCommand}},
	{"Mend", makers{abCommand}},
	{"Gain", nil},
	{"Watch", makers{compareCommand, historyCommand, expectCommand}},
	{"Data", nil},
	{"Cluster", makers{submitCommand, statusCommand, envCommand}},
	{"Trust", nil},
	{"Stages", makers{nrepCommand, measureCommand}},
	{"pgmpi", makers{versionCommand, completionCommand, manCommand}},
}

func main() {
	signalled, _ := signal.NotifyContext(context.Background(), endings()...)
	ctx := &listened{Context: signalled}
	go func() {
		// A second Ctrl-C ends pgmpi at once; mpirun follows by itself. Other signals come several
		// times: a batch system sends them to every process, and so does its script.
		ctx.end(os.Stderr, os.Exit)
		time.Sleep(time.Second)
		signal.Reset(os.Interrupt)
	}()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
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

// end waits for a signal, and ends a command that does not listen: such a command only reads, and leaves nothing
// half done.
func (l *listened) end(stderr io.Writer, exit func(code int)) {
	<-l.Context.Done()
	if !l.asked.Load() {
		fmt.Fprintf(stderr, "pgmpi: %s\n", &fail.Interrupted{})
		exit(exitcode.Interrupted)
	}
}

// endings returns the signals that end a measurement with exit status 130: a terminal sends them, or a batch system
// as a warning. A signal that was ignored when pgmpi started stays ignored, for nohup.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU,
	}, signal.Ignored)
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	h := command.New(stdout, stderr)
	defer func() {
		if r := recover(); r != nil {
			h.Warn("pgmpi: internal error: %v\n  This is a fault of pgmpi %s, not of your input. Finished mpiruns are on disk; --resume goes on.\n", r, h.Version)
			code = exitcode.Failed
		}
	}()
	err := addresses()
	if err == nil {
		err = dispatch(ctx, h, args)
	}
	if err != nil && !errors.Is(err, fail.ErrFound) {
		h.Warn("%s\n", h.Complaint("pgmpi: ", err))
	}
	return command.Code(err)
}

// addresses refuses a limit under which Go's runtime would soon end with a stack trace.
func addresses() error {
	const least = 1 << 30
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &l) == nil && l.Cur < least {
		return fail.Setupf("ulimit -v is %d MiB, and pgmpi needs %d MiB of addresses, its ranks more: raise it", l.Cur>>20, least>>20)
	}
	return nil
}

// dispatch runs a command line. Whatever cobra refuses is an error of usage.
func dispatch(ctx context.Context, h *command.Host, args []string) error {
	root := rootCommand(h)
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
	root.SetOut(h.Stdout)
	root.SetErr(h.Stderr)
	var unwritten error
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { unwritten = h.Say(manual.Help(c, all >= 0)) })
	begun := false
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		begun = true
		return h.Given(c.Flags(), args)
	}
	err := root.ExecuteContext(ctx)
	if err != nil && !begun {
		err = fail.AsSetup(err)
	}
	return cmp.Or(err, unwritten)
}

func rootCommand(h *command.Host) *cobra.Command {
	cobra.EnableCommandSorting = false
	equip(h)
	root := &cobra.Command{
		Use:   "pgmpi COMMAND",
		Short: "check whether an MPI library keeps its own promises",
		Long:  about,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return h.Say(manual.Help(c, false)) },

		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		hint := manual.FlagHint(err, c.Flags())
		if strings.Contains(c.Use, "-- ") && len(c.Flags().Args()) > 0 {
			hint = fmt.Errorf("%w: -- goes before the command line of the program, as in `pgmpi %s -- mpirun …`", hint, c.Name())
		}
		return command.UsageError(c, hint)
	})
	root.SetHelpCommand(helpCommand(h))
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		var commands []*cobra.Command
		for _, made := range g.commands {
			commands = append(commands, made(h))
		}
		for _, c := range addTo(g.title, commands, h) {
			c.GroupID = g.title
			root.AddCommand(c)
			finish(c)
		}
	}
	return root
}

// finish adds the page's flags to a command that prints a page. It also adds the values that a shell offers after a
// flag.
func finish(c *cobra.Command) {
	fs := c.Flags()
	fs.SortFlags = false
	if c.Args == nil && c.HasParent() {
		c.Args = command.Wants(0, 0, "")
	}
	if command.FormatOf(fs) != nil || fs.Lookup("dry-run") != nil {
		command.PageFlags(fs)
	}
	manual.Offered(c)
}

// otherNames are names by which other programs have what a command does.
var otherNames = map[string]string{
	"diff": "compare", "run": "check", "test": "check", "report": "analyze", "show": "analyze", "plot": "figures", "trace": "profile",
}

func unknownCommand(root *cobra.Command, name string) error {
	names := lists.Map(root.Commands(), (*cobra.Command).Name)
	near := conf.Nearest(name, names)
	if other := otherNames[name]; near == "" && slices.Contains(names, other) {
		near = other
	}
	if near == "" {
		return fmt.Errorf("there is no command %q: `pgmpi help` lists them", name)
	}
	return fmt.Errorf("there is no command %q: did you mean `pgmpi %s`?", name, near)
}
