// Package input keeps a standard input for programs that run several times: each run gets all of it. It never waits for
// a terminal.
package input

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"pgmpi/internal/fail"
)

// Kept holds a standard input that each run gets from its beginning.
type Kept struct{ copied *os.File } // nil if it is empty

// longRead passes before Keep says that it waits for the end of the input.
const longRead = 5 * time.Second

// Keep reads standard input into a file without a name. What isEmpty gives nothing, such as a terminal; notes go to tell.
func Keep(ctx context.Context, stdin *os.File, isEmpty bool, tell io.Writer) (*Kept, error) {
	info, err := stdin.Stat()
	if err != nil {
		return nil, fail.Setupf("standard input cannot be read: %w; < /dev/null gives the program an empty one", err)
	}
	null, err := os.Stat(os.DevNull)
	switch {
	case err == nil && os.SameFile(info, null), isEmpty:
		return &Kept{}, nil
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
		fmt.Fprintln(tell, "Note: reading standard input to its end, which every run gets; < /dev/null if the "+
			"program reads none")
	})
	defer waiting.Stop()
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(f, stdin)
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
	return &Kept{f}, nil
}

// Open returns the input from its beginning.
func (x *Kept) Open() (*os.File, error) {
	if x.copied == nil {
		return os.Open(os.DevNull)
	}
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", x.copied.Fd()))
}

func (x *Kept) Close() {
	if x.copied != nil {
		x.copied.Close()
	}
}
