package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/version"
	"pgmpi/measure/results"
	plans "pgmpi/testkit/fixture"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestALookAtAReadOnlyFolderEndsWithTheVerdict(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a read-only folder, for root too, is a file system of its own, and this user may not mount one: %v", err)
	}
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	dir, other := filepath.Join(mount, "night"), filepath.Join(mount, "other")
	plans.Folder(t, dir, glfile.Default())
	must.Do(t, syscall.Mount("", mount, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	s := inProcess("analyze", dir).Exits(t, exitcode.Violated)
	should.Contain(t, s.Stderr, "may not be written")
	s = inProcess("analyze", dir, "--out", other)
	should.Hold(t, s.Code != exitcode.Violated && s.Code != exitcode.OK, "a folder of --out that cannot be written: exit status %d", s.Code)
}

func TestEnvOfAFolderHasWhatIsDoubtfulAboutItsMpiruns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "night")
	plans.Folder(t, dir, glfile.Default())
	folder, m := must.Two(results.Open(dir))(t)
	inProcess("env", dir).Exits(t, exitcode.OK)
	m.Events = []string{"run-p2-03: it ended before its end record"}
	must.Do(t, folder.WriteManifest(m))
	inProcess("env", dir).Exits(t, exitcode.OK).Shows(t, "DOUBTFUL: repeated$", "repeated: failed mpiruns that were repeated: 1")
}

func TestCausesComeFromTheReportAsTheyWouldFromTheMpiruns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	plans.Folder(t, dir, glfile.Default())
	folder, m := must.Two(results.Open(dir))(t)
	m.Version = version.String()
	must.Do(t, folder.WriteManifest(m))
	inProcess("analyze", dir).Exits(t, exitcode.Violated)
	why := func() mpirun.Said {
		return inProcess("analyze", dir, "--explain", "Reduce", "--explain", "GL8 Reduce 64 B").Exits(t, exitcode.Violated)
	}
	raw := must.Get(filepath.Glob(filepath.Join(dir, "raw", "*")))(t)[0]
	whole := must.Get(os.ReadFile(raw))(t)
	must.Do(t, os.WriteFile(raw, []byte("unreadable"), 0o666))
	kept := why()
	must.Do(t, os.WriteFile(raw, whole, 0o666))
	later := time.Now().Add(time.Hour) // as if an mpirun had come since
	must.Do(t, os.Chtimes(filepath.Dir(raw), later, later))
	should.Equal(t, kept, why())
}

// A screen asks so why, also where one test is violated.
func TestWhatIsViolatedHasItsCauseEvenIfItIsOneTest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	plans.Folder(t, dir, glfile.Default())
	inProcess("analyze", dir, "--explain", "violated").Exits(t, exitcode.Violated).Shows(t, `^1 test violated, by cause: `)
	inProcess("analyze", dir, "--explain", "GL8 Reduce 8 B").Exits(t, exitcode.Violated).Shows(t, `^The verdict: violated$`)
}
