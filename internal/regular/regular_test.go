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

	"pgmpi/internal/fixture/must"
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

// What lies under the final name is replaced, and what it points to is left alone.
func TestWritingFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "report.json")
	must.Do(t, os.WriteFile(victim, []byte("mine"), 0o666))
	for _, name := range []string{path, filepath.Join(dir, ".tmp-report.json"), filepath.Join(dir, ".lock")} {
		must.Do(t, os.Symlink(victim, name))
	}
	must.Do(t, Write(path, text("theirs")))
	if got := content(t, victim); got != "mine" {
		t.Errorf("the file that a link pointed to became %q", got)
	}
	if got := content(t, path); got != "theirs" {
		t.Errorf("written: %q", got)
	}
	if _, err := Lock(filepath.Join(dir, ".lock")); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a lock that is a link: %v", err)
	}
	if _, err := New(filepath.Join(dir, ".lock")); err == nil {
		t.Error("a new file where a link was")
	}
}

func TestFileThatCannotBeWrittenLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	err := Write(filepath.Join(dir, "x"), func(io.Writer) error { return errors.New("no") })
	if entries, _ := os.ReadDir(dir); err == nil || len(entries) > 0 {
		t.Errorf("%v, left: %v", err, entries)
	}
}

func TestTwoWritersOfOneFileDoNotMixTheirs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	var all sync.WaitGroup
	for range 8 {
		for _, s := range []string{"a", "b"} {
			all.Go(func() {
				if err := Write(path, text(strings.Repeat(s, 1<<16))); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if got := content(t, path); got != strings.Repeat(got[:1], 1<<16) {
		t.Error("the file holds what two have written")
	}
}

func TestOnlyRegularFilesAreReadAndNoMoreOfThemThanTheLimit(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o666))
	for path, says := range map[string]string{pipe: "a named pipe", dir: "a folder", "/dev/zero": "a device"} {
		if _, err := Read(path, 10); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Lock(pipe); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("lock: %v", err)
	}
	path := filepath.Join(dir, "long")
	must.Do(t, os.WriteFile(path, []byte("0123456789"), 0o666))
	if got, err := Read(path, 10); err != nil || len(got) != 10 {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Read(path, 9); err == nil || !strings.Contains(err.Error(), "more than 9 bytes") {
		t.Errorf("above the limit: %v", err)
	}
}
