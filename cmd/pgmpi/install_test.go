package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/internal/command"
	"pgmpi/internal/manual"
	"pgmpi/internal/version"
	"pgmpi/testkit/must"
)

// stage is an installation below a DESTDIR, from which packages are made.
type stage struct {
	t    *testing.T
	root string // DESTDIR and PREFIX
	path string // a folder that the PATH has before all else
}

func newStage(t *testing.T) *stage {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make here")
	}
	return &stage{t, filepath.Join(t.TempDir(), "a stage", "opt"), t.TempDir()}
}

// program writes a script that prints a text.
func (s *stage) program(name, says string) string {
	s.t.Helper()
	path := filepath.Join(s.path, name)
	must.Do(s.t, os.WriteFile(path, []byte("#!/bin/sh\nprintf '%s\\n' '"+says+"'\n"), 0o777))
	return path
}

// install runs `make install`, without its build, with a fake rank program of a library.
func (s *stage) install(library string, more ...string) (string, error) {
	s.t.Helper()
	driver, err := exec.LookPath("pgmpi") // the program of this test
	if err != nil {
		s.t.Fatal(err)
	}
	rank := s.program("fake-rank", fmt.Sprintf(`  "library": "%s"`, library))
	s.program("fake-rank-delay.so", "")
	s.program("fake-rank-preload.so", "")
	cmd := exec.Command("make", append([]string{"-C", "../..", "-o", "build", "install", "PGMPI=" + driver, "RANK=" + rank,
		"DESTDIR=" + filepath.Dir(s.root), "PREFIX=/opt"}, more...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *stage) mustInstall(library string, more ...string) {
	s.t.Helper()
	if out, err := s.install(library, more...); err != nil {
		s.t.Fatalf("make install: %v\n%s", err, out)
	}
}

// pgmpi runs the installed program.
func (s *stage) pgmpi(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.root, "bin/pgmpi"), args...)
	cmd.Env = append(os.Environ(), "PATH="+s.path+":"+os.Getenv("PATH"), "PGMPI_RANK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("pgmpi %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestWhatIsInstalledWorks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.mustInstall("openmpi")
	s.mustInstall("mpich")
	if out := s.pgmpi("--help"); !strings.Contains(out, "Usage: pgmpi") {
		t.Errorf("--help: %s", out)
	}
	if out := s.pgmpi("list"); !strings.Contains(out, "GL17") {
		t.Errorf("list: %s", out)
	}
	for _, file := range []string{
		"libexec/pgmpi/rank-openmpi", "libexec/pgmpi/rank-openmpi-delay.so", "libexec/pgmpi/rank-openmpi-preload.so", "libexec/pgmpi/rank-mpich", "libexec/pgmpi/rank-mpich-delay.so",
		"share/man/man1/pgmpi.1", "share/doc/pgmpi/docs/guide.md", "share/modulefiles/pgmpi/" + strings.Split(version.String(), "+")[0] + ".lua", "include/pgmpi/mockups.h", "share/bash-completion/completions/pgmpi", "share/zsh/site-functions/_pgmpi", "share/fish/vendor_completions.d/pgmpi.fish",
	} {
		if info, err := os.Stat(filepath.Join(s.root, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.root, "share/doc/pgmpi/docs/dev")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("developers' pages: %v", err)
	}
	if page, err := os.ReadFile(filepath.Join(s.root, "share/doc/pgmpi/docs/statistics.md")); err != nil || strings.Contains(string(page), "\nDevelopers: ") {
		t.Errorf("a link to developers' pages is installed: %v", err)
	}
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		if _, err := os.Stat(filepath.Join(s.root, "share/man/man1/pgmpi-"+c.Name()+".1")); err != nil {
			t.Error(err)
		}
	}
}

func TestTheInstalledRankProgramIsThatOfTheMPIRunOnThePath(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	answer := `{"program": "pgmpi-rank", "version": "1", "built_for": "%s", "lib_version": "%[1]s"}`
	for _, library := range []string{"openmpi", "mpich"} {
		s.mustInstall(library)
		fake := s.program("fake-rank", fmt.Sprintf(answer, library))
		must.Do(t, os.Rename(fake, filepath.Join(s.root, "libexec/pgmpi/rank-"+library)))
	}
	for says, want := range map[string]string{"mpirun (Open MPI) 4.1.4": "rank-openmpi", "HYDRA build details:": "rank-mpich"} {
		s.program("mpirun", says)
		if out := s.pgmpi("version"); !strings.Contains(out, "rank program "+filepath.Join(s.root, "libexec/pgmpi", want)+",") {
			t.Errorf("with the mpirun of %q: %s", says, out)
		}
	}
}

func TestALibraryIsInstalledUnderAnotherNameOnlyWhereOneIsGiven(t *testing.T) {
	s := newStage(t)
	s.mustInstall("openmpi", "LIBRARY=openmpi-5.0")
	if _, err := os.Stat(filepath.Join(s.root, "libexec/pgmpi/rank-openmpi-5.0")); err != nil {
		t.Error(err)
	}
	if out, err := s.install(""); err == nil || !strings.Contains(out, "LIBRARY=") {
		t.Errorf("of no known library: %v, %s", err, out)
	}
}

func TestRecipesAreReadByTheirToolsAndAreOfThisVersion(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("bash", "../../.ci/recipes").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
