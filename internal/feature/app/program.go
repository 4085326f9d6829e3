package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"golang.org/x/term"

	"pgmpi/internal/child"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/measure/launch"
)

// Program is a command that starts an MPI program.
type Program struct {
	launch.Command
	Stdin          *os.File
	Stdout, Stderr io.Writer
	Profiled       *profile.Profile // each of many runs is held against it; nil takes what the first one calls
	Sync           bool             // profile with a barrier before each blocking collective
	Sites          bool             // profile where the program calls from, too
	Before         []string         // a command that runs before each of them, or nil
	Same           []string         // each of these runs leaves the same text in them
}

// Setting sets variables for a run.
type Setting struct {
	Ranks map[string]string // for the library in the ranks
	Env   map[string]string // for all programs of the command

	Options []string // of the launcher
}

const stopWithin = 10 * time.Second

// newProgram refuses a command that cannot be started.
func newProgram(argv []string, rank string, stdout, stderr io.Writer) (*Program, error) {
	c, err := launch.NewCommand(argv, rank)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	return &Program{Command: c, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr}, nil
}

// run starts the program once and returns its run-time.
func (p *Program) run(ctx context.Context, s Setting, stdin *os.File) (time.Duration, error) {
	started := p.Command
	started.Argv = slices.Insert(slices.Clone(p.Argv), 1, s.Options...)
	argv, env := started.With(s.Ranks, s.Env)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(launch.Bare(os.Environ()), env...), stdin, p.Stdout, p.Stderr
	begun := time.Now()
	err := child.Run(ctx, cmd, stopWithin)
	switch {
	case ctx.Err() != nil:
		return 0, &fail.Interrupted{}
	case err != nil:
		return 0, &fail.Failed{Err: fmt.Errorf("%s: %w", argv[0], err)}
	}
	return time.Since(begun), nil
}

// prepare runs the command of --before.
func (p *Program) prepare(ctx context.Context) error {
	if len(p.Before) == 0 {
		return nil
	}
	cmd := exec.Command(p.Before[0], p.Before[1:]...)
	cmd.Stdout, cmd.Stderr = p.Stderr, p.Stderr
	if err := child.Run(ctx, cmd, stopWithin); ctx.Err() != nil {
		return &fail.Interrupted{}
	} else if err != nil {
		return fmt.Errorf("--before: %s: %w", p.Before[0], err)
	}
	return nil
}

// isTerminal tells whether standard input is a terminal. If so, it says that the program gets an empty one: its
// process group could not read from a terminal.
func (p *Program) isTerminal() bool {
	if !term.IsTerminal(int(p.Stdin.Fd())) {
		return false
	}
	fmt.Fprintln(p.Stderr, "Note: the program's standard input is empty, as it is a terminal here; < FILE gives it a file")
	return true
}
