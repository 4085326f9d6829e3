package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/fixture/must"
	"pgmpi/measure/protocol"
)

// A rank program that would leave a trace if it was started.
func TestLookingAtARankProgramStartsNothing(t *testing.T) {
	dir := t.TempDir()
	path, trace := filepath.Join(dir, "pgmpi-rank"), filepath.Join(dir, "started")
	must.Do(t, os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\ntouch %s\n", trace), 0o777))
	info, err := Look(path)
	if err != nil || len(info.Hash) != 16 || info.LibVersion != "" {
		t.Errorf("%+v, %v", info, err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	must.Do(t, os.Link(path, filepath.Join(dir, "mpirun.mpich")))
	argv, err := Likely(Config{}, protocol.RankInfo{Library: "mpich"}, guidelines.Shape{NP: 1})
	if err != nil || !slices.Equal(argv[:2], []string{filepath.Join(dir, "mpirun.mpich"), "-np"}) {
		t.Errorf("%q, %v", argv, err)
	}
	if argv, err := Likely(Config{}, protocol.RankInfo{}, guidelines.Shape{NP: 1}); argv != nil || err != nil {
		t.Errorf("of no family: %q, %v", argv, err)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("it was started")
	}
	must.Do(t, exec.Command(path).Run())
	if _, err := os.Stat(trace); err != nil {
		t.Errorf("started, it leaves no trace: %v", err)
	}
}

func TestFamilyIsReadFromTheNameOfTheWrapper(t *testing.T) {
	for mpicc, want := range map[string]string{"/usr/bin/mpicc.openmpi": "openmpi", "/opt/mpich/bin/mpicc": "mpich", "/opt/mvapich2/bin/mpicc": "", "": "", "/no/bin/mpicc": ""} {
		if got := familyOf(mpicc); got != want {
			t.Errorf("%s: %q", mpicc, got)
		}
	}
}
