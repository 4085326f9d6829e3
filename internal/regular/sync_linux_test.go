package regular

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A pipe instead of the file imitates a disk that refuses: it takes everything and cannot be synchronised (EINVAL).
func TestAFileThatDoesNotReachTheDiskIsAnErrorAndNotThere(t *testing.T) {
	dir := t.TempDir()
	r, pipe, err := os.Pipe()
	must.Do(t, err)
	defer r.Close()
	defer pipe.Close()
	err = Write(filepath.Join(dir, "report.json"), func(w io.Writer) error {
		return syscall.Dup3(int(pipe.Fd()), int(w.(*os.File).Fd()), 0)
	})
	entries, _ := os.ReadDir(dir)
	should.Hold(t, errors.Is(err, syscall.EINVAL) && len(entries) == 0, "%v, left: %v", err, entries)
}
