package regular

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	got := must.Get(os.ReadFile(path))(t)
	return string(got)
}

// Writing replaces a link under the final name, and leaves alone what it points to.
func TestWritingFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "report.json")
	must.Do(t, os.WriteFile(victim, []byte("mine"), 0o666))
	for _, name := range []string{path, filepath.Join(dir, ".tmp-report.json"), filepath.Join(dir, ".lock")} {
		must.Do(t, os.Symlink(victim, name))
	}
	must.Do(t, Write(path, text("theirs")))
	should.Equal(t, content(t, victim), "mine", "the file that a link pointed to became")
	should.Equal(t, content(t, path), "theirs", "written")
	_, err := Lock(filepath.Join(dir, ".lock"))
	should.Fail(t, err, "is a link", "a lock that is a link")
	_, err = New(filepath.Join(dir, ".lock"))
	should.Hold(t, err != nil, "a new file where a link was")
}

func TestFileThatCannotBeWrittenLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	err := Write(filepath.Join(dir, "x"), func(io.Writer) error { return errors.New("no") })
	entries, _ := os.ReadDir(dir)
	should.Hold(t, err != nil && len(entries) == 0, "%v, left: %v", err, entries)
}

func TestTwoWritersOfOneFileDoNotMixTheirs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	var all sync.WaitGroup
	for range 8 {
		for _, s := range []string{"a", "b"} {
			all.Go(func() {
				should.Do(t, Write(path, text(strings.Repeat(s, 1<<16))))
			})
		}
	}
	all.Wait()
	got := content(t, path)
	should.Hold(t, got == strings.Repeat(got[:1], 1<<16), "the file holds what two have written")
}

func TestOnlyRegularFilesAreReadAndNoMoreOfThemThanTheLimit(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o666))
	for path, says := range map[string]string{pipe: "a named pipe", dir: "a folder", "/dev/zero": "a device"} {
		_, err := Read(path, 10)
		should.Fail(t, err, says, "%s", path)
	}
	_, err := Lock(pipe)
	should.Fail(t, err, "a named pipe", "lock")
	path := filepath.Join(dir, "long")
	must.Do(t, os.WriteFile(path, []byte("0123456789"), 0o666))
	got, err := Read(path, 10)
	should.Hold(t, err == nil && len(got) == 10, "%q, %v", got, err)
	_, err = Read(path, 9)
	should.Fail(t, err, "more than 9 bytes", "above the limit")
}
