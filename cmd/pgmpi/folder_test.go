package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	plans "pgmpi/internal/fixture"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// writeFolder writes a results folder in which Reduce takes twice as long as its
// mock-up at 8 bytes and the same at 64.
func writeFolder(t *testing.T, dir string) {
	t.Helper()
	config, err := json.Marshal(glfile.Default())
	if err != nil {
		t.Fatal(err)
	}
	m := plans.Empty(10)
	m.Config = config
	for i, f := range []string{"MPI_Reduce", "MPI_Reduce", "reduce_as_allreduce", "reduce_as_allreduce"} {
		plans.Case(m, f, plans.P2, []int64{8, 64}[i%2])
	}
	for i, size := range []int64{8, 64} {
		plans.Test(m, plans.GL8.Guideline(), plans.P2, size, i+2)
	}
	f, err := results.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m.FolderID = f.ID()
	if err := f.WriteManifest(m); err != nil {
		t.Fatal(err)
	}
	for _, run := range plans.Runs(m, func(plan, run int) []protocol.Sample {
		ns := []int64{2000, 3000, 1000, 3000}[plan] + int64(run)
		return plans.Samples(ns, ns+1, ns+2)
	}) {
		if err := f.WriteRun(&run); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALookAtAReadOnlyFolderEndsWithTheVerdict(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a read-only folder, for root too, is a file system of its own, and this user may not mount one: %v", err)
	}
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	dir, other := filepath.Join(mount, "night"), filepath.Join(mount, "other")
	writeFolder(t, dir)
	if err := syscall.Mount("", mount, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	s := inProcess("analyze", dir).exits(t, exitcode.Violated)
	if !strings.Contains(s.stderr, "may not be written") {
		t.Errorf("%s", s.stderr)
	}
	if s := inProcess("analyze", dir, "--out", other); s.code == exitcode.Violated || s.code == exitcode.OK {
		t.Errorf("a folder of --out that cannot be written: exit status %d", s.code)
	}
}

func TestEnvOfAFolderHasWhatIsDoubtfulAboutItsMpiruns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "night")
	writeFolder(t, dir)
	folder, m, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	inProcess("env", dir).exits(t, exitcode.OK)
	m.Events = []string{"run-p2-03: it ended before its end record"}
	if err := folder.WriteManifest(m); err != nil {
		t.Fatal(err)
	}
	inProcess("env", dir).exits(t, exitcode.OK).shows(t, "^DOUBTFUL$", "repeated: failed mpiruns that were repeated: 1")
}
