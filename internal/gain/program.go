package gain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"pgmpi/internal/fail"
	"pgmpi/internal/profile"
	"pgmpi/measure/launch"
)

// Program is a command that starts an MPI program.
type Program struct {
	launch.Command
	Stdout, Stderr io.Writer
}

// stopWithin is how long an interrupted program has to end.
const stopWithin = 10 * time.Second

// NewProgram refuses a command that cannot be started.
func NewProgram(argv []string, rank string, stdout, stderr io.Writer) (*Program, error) {
	c, err := launch.NewCommand(argv, rank)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	return &Program{c, stdout, stderr}, nil
}

// run starts the program once and returns its run-time.
func (p *Program) run(ctx context.Context, argv, env []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), os.Stdin, p.Stdout, p.Stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, stopWithin
	begun := time.Now()
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return 0, &fail.Interrupted{}
	case err != nil:
		return 0, &fail.Failed{Err: fmt.Errorf("%s: %w", argv[0], err)}
	}
	return time.Since(begun), nil
}

// Profile runs the program with the library that counts, and reads what it wrote to path. A program that
// fails is an error beside the profile, if its ranks left one.
func (p *Program) Profile(ctx context.Context, path string) (*profile.Profile, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fail.AsSetup(err)
	}
	argv, env := p.With(map[string]string{"PGMPI_PROFILE": path})
	_, failed := p.run(ctx, argv, env)
	got, err := profile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		got, err = parts(path)
	}
	if err == nil && got == nil && failed == nil {
		err = fmt.Errorf("the program has written no profile: no rank of it called MPI_Init of the library that %s is built for, or it does not see %s", p.Preload, path)
	}
	if failed == nil && err != nil {
		failed = &fail.Failed{Err: err}
	}
	return got, failed
}

// parts joins what ranks have left that did not come to MPI_Finalize, and removes it.
func parts(path string) (*profile.Profile, error) {
	got, files, err := profile.Parts(path)
	if err != nil || got == nil {
		return nil, err
	}
	for _, file := range files {
		_ = os.Remove(file)
	}
	return got, got.Store(path)
}
