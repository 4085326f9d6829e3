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

const (
	patience   = 2 * time.Second  // before an interrupted program is told to end
	stopWithin = 10 * time.Second // after that
)

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
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(launch.Bare(os.Environ()), env...), os.Stdin, p.Stdout, p.Stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return stop(cmd.Process) }, stopWithin
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

// stop tells a program to end that does not end by itself. A terminal's Ctrl-C has told it, too, and Open MPI's mpirun
// leaves its ranks where it is told twice.
func stop(p *os.Process) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(patience / 40) {
		if err := p.Signal(syscall.Signal(0)); err != nil {
			return err
		}
	}
	return p.Signal(syscall.SIGTERM)
}

// Profile runs the program with the library that counts, and reads what it wrote to path. A program that
// fails is an error beside the profile, if its ranks left one.
func (p *Program) Profile(ctx context.Context, path string) (*profile.Profile, error) {
	if err := remove(path); err != nil {
		return nil, fail.AsSetup(err)
	}
	argv, env := p.With(map[string]string{"PGMPI_PROFILE": path})
	_, failed := p.run(ctx, argv, env)
	got, err := profile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		got, err = parts(path)
	}
	switch {
	case err == nil && got == nil && failed == nil:
		err = fmt.Errorf("the program has written no profile: no rank of it called MPI_Init of the library that %s is built for, or it does not see %s", p.Preload, path)
	case err == nil && got == nil:
		err = errors.New("no rank has left what it had counted: each writes it once a minute, in MPI_Abort, and where SIGTERM or SIGINT ends it")
	}
	if err != nil {
		failed = &fail.Failed{Err: errors.Join(failed, err)}
	}
	return got, failed
}

// parts joins what ranks have left that did not come to MPI_Finalize, and removes it.
func parts(path string) (*profile.Profile, error) {
	files, err := profile.Left(path)
	if err != nil {
		return nil, err
	}
	got, err := profile.Parts(files)
	if err != nil {
		return nil, err
	}
	if err := remove(path); err != nil || got == nil {
		return nil, err
	}
	return got, got.Store(path)
}

// remove removes a profile and what ranks have left beside it, also of a command that was killed.
func remove(path string) error {
	files, err := profile.Left(path)
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}
