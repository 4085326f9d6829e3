package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// What launchers answer to --version.
const (
	openMPISays = "mpirun (Open MPI) 4.1.4"
	mpichSays   = "HYDRA build details:\n    Version: 4.0.2"
	nobodySays  = "a launcher 1.0"
)

func script(t *testing.T, path, says string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\nprintf '%s\\n' '"+says+"'\n"), 0o777))
}

func TestTheMPIRunFirstOnThePathChoosesTheInstalledRankProgram(t *testing.T) {
	for name, c := range map[string]struct {
		says      string // of mpirun; "": there is none
		installed string
		want      string // the program, or "error: " and words of it
	}{
		"Open MPI of two":            {openMPISays, "rank-mpich rank-openmpi rank-openmpi-delay.so", "rank-openmpi"},
		"MPICH of two":               {mpichSays, "rank-mpich rank-openmpi", "rank-mpich"},
		"a version in the name":      {openMPISays, "rank-mpich rank-openmpi-4.1", "rank-openmpi-4.1"},
		"two, neither answers":       {openMPISays, "rank-openmpi-4.1 rank-openmpi-5.0", "error: no rank program loads"},
		"only another library's":     {openMPISays, "rank-mpich", "error: make install MPICC="},
		"the only one, no mpirun":    {"", "rank-mpich", "rank-mpich"},
		"the only one, unknown":      {nobodySays, "rank-mpich", "rank-mpich"},
		"several, no mpirun":         {"", "rank-mpich rank-openmpi", "error: no mpirun is on the PATH"},
		"several, an unknown mpirun": {nobodySays, "rank-mpich rank-openmpi", "error: of no known library"},
		"none":                       {openMPISays, "", "error: make install"},
		"beside comes first":         {openMPISays, "rank-openmpi ../../bin/pgmpi-rank", "pgmpi-rank"},
	} {
		t.Run(name, func(t *testing.T) {
			// A folder's name is no pattern.
			prefix, path := filepath.Join(t.TempDir(), "a[b]*"), t.TempDir()
			if c.says != "" {
				script(t, filepath.Join(path, "mpirun"), c.says)
			}
			t.Setenv("PATH", path)
			for _, rank := range strings.Fields(c.installed) {
				script(t, filepath.Join(prefix, "libexec/pgmpi", rank), "")
			}
			got, err := findFrom(filepath.Join(prefix, "bin"))
			if words, fails := strings.CutPrefix(c.want, "error: "); fails {
				should.Hold(t, err != nil && strings.Contains(err.Error(), words) && strings.Contains(err.Error(), "--rank, mpi.rank or PGMPI_RANK"),
					"%q, %v", got, err)
			} else if err != nil || filepath.Base(got) != c.want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestARankProgramThatIsNamedIsTheOneOrNone(t *testing.T) {
	dir := t.TempDir()
	configured, fromEnv := filepath.Join(dir, "configured"), filepath.Join(dir, "from-env")
	script(t, configured, "")
	script(t, fromEnv, "")
	t.Setenv(rankVariable, fromEnv)
	got, err := FindRank(configured)
	should.Hold(t, got == configured && err == nil, "with both: %q, %v", got, err)
	got, err = FindRank("")
	should.Hold(t, got == fromEnv && err == nil, "from the environment: %q, %v", got, err)
	t.Setenv(rankVariable, filepath.Join(dir, "absent"))
	_, err = FindRank("")
	should.Fail(t, err, rankVariable, "of an absent one")
}

// The wrapper's name is in the flags of the linker, so this takes a real program.
func TestOfTwoOfOneLibraryThatBuiltBesideTheMPIRunIsTaken(t *testing.T) {
	dir := t.TempDir()
	source, path := filepath.Join(dir, "main.go"), filepath.Join(dir, "mpi-5.0", "bin")
	must.Do(t, os.WriteFile(source, []byte("package main\nfunc main() {}\n"), 0o666))
	for _, version := range []string{"4.1", "5.0"} {
		mpicc := filepath.Join(dir, "mpi-"+version, "bin", "mpicc")
		build := exec.Command("go", "build", "-ldflags", "-X pgmpi/measure/rank.MPICC="+mpicc,
			"-o", filepath.Join(dir, "libexec/pgmpi/rank-openmpi-"+version), source)
		out, err := build.CombinedOutput()
		must.Hold(t, err == nil, "%v\n%s", err, out)
	}
	script(t, filepath.Join(path, "mpirun"), openMPISays)
	t.Setenv("PATH", path)
	got, err := findFrom(filepath.Join(dir, "bin"))
	should.Hold(t, err == nil && filepath.Base(got) == "rank-openmpi-5.0", "%q, %v", got, err)
}
