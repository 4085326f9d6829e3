package app

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"pgmpi/internal/fail"
)

// input holds a standard input that each run gets from its beginning.
type input struct{ copied *os.File } // nil if it is empty

// longRead passes before newInput says that it waits for the end of the input.
const longRead = 5 * time.Second

// newInput reads standard input into a file without a name.
func newInput(ctx context.Context, p *Program) (*input, error) {
	info, err := p.Stdin.Stat()
	if err != nil {
		return nil, fail.Setupf("standard input cannot be read: %w; < /dev/null gives the program an empty one", err)
	}
	null, err := os.Stat(os.DevNull)
	switch {
	case err == nil && os.SameFile(info, null), p.isTerminal():
		return &input{}, nil
	case info.Mode()&(fs.ModeDir|fs.ModeDevice) != 0:
		return nil, fail.Setupf("standard input is no file and no pipe, so that not every run would get the same: < " +
			"FILE gives them one, and < /dev/null an empty one")
	}
	f, err := os.CreateTemp("", "pgmpi-stdin-")
	if err == nil {
		err = os.Remove(f.Name())
	}
	if err != nil {
		return nil, fail.Setupf("standard input is kept for the runs: %w; TMPDIR names another folder", err)
	}
	waiting := time.AfterFunc(longRead, func() {
		fmt.Fprintln(p.Stderr, "Note: reading standard input to its end, which every run gets; < /dev/null if the "+
			"program reads none")
	})
	defer waiting.Stop()
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(f, p.Stdin)
		read <- err
	}()
	select {
	case err = <-read:
	case <-ctx.Done():
		return nil, &fail.Interrupted{}
	}
	if err != nil {
		f.Close()
		return nil, fail.Setupf("standard input is kept for the runs: %w; %s", err, fail.Remedy(err))
	}
	return &input{f}, nil
}

// open returns the input from its beginning.
func (x *input) open() (*os.File, error) {
	if x.copied == nil {
		return os.Open(os.DevNull)
	}
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", x.copied.Fd()))
}

func (x *input) close() {
	if x.copied != nil {
		x.copied.Close()
	}
}
