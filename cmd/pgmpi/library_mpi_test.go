package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/analyze/series"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fixture/mpirun"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// prefix makes a folder in which a library seems to be installed.
func (b *fixture) prefix(l mpirun.Library) string {
	b.T.Helper()
	dir := filepath.Join(b.Dir, "opt", l.Name)
	launcher := l.Launcher()
	must.Do(b.T, os.MkdirAll(filepath.Join(dir, "bin"), 0o777))
	must.Do(b.T, os.MkdirAll(filepath.Join(dir, "lib"), 0o777))
	must.Do(b.T, os.Symlink(must.Get(exec.LookPath(launcher))(b.T), filepath.Join(dir, "bin", "mpirun")))
	if proxy, err := exec.LookPath("hydra_pmi_proxy"); err == nil { // MPICH's launcher wants it beside itself
		must.Do(b.T, os.Symlink(proxy, filepath.Join(dir, "bin", "hydra_pmi_proxy")))
	}
	for line := range strings.Lines(string(must.Get(exec.Command("ldd", filepath.Join(b.Bin, l.Rank)).Output())(b.T))) {
		if words := strings.Fields(line); len(words) > 2 && strings.HasPrefix(words[0], "libmpi") {
			must.Do(b.T, os.Symlink(words[2], filepath.Join(dir, "lib", words[0])))
		}
	}
	return dir
}

// installed makes a copy of pgmpi in a folder, whose rank programs are below it, and returns its path.
func (b *fixture) installed(ranks ...string) string {
	b.T.Helper()
	program := filepath.Join(b.Dir, "tools", "bin", "pgmpi")
	must.Do(b.T, os.MkdirAll(filepath.Dir(program), 0o777))
	must.Do(b.T, os.MkdirAll(filepath.Join(b.Dir, "tools", "libexec", "pgmpi"), 0o777))
	text := must.Get(os.ReadFile(must.Get(exec.LookPath("pgmpi"))(b.T)))(b.T)
	must.Do(b.T, os.WriteFile(program, text, 0o777))
	for i, rank := range ranks {
		must.Do(b.T, os.Symlink(filepath.Join(b.Bin, rank), filepath.Join(b.Dir, "tools", "libexec", "pgmpi", fmt.Sprintf("rank-%d", i))))
	}
	return program
}

// Each side runs with its library, launcher and rank program; one that is missing is built.
func TestTwoInstalledLibrariesAreComparedAndTheMissingRankProgramIsBuilt(t *testing.T) {
	b := newFixture(t, mpirun.Libraries[0])
	gl := b.TOML(fmt.Sprintf(strings.ReplaceAll(mpirun.OneCase, "mpiruns = 10", "mpiruns = 6"), "GL8"))
	pgmpi := b.installed(mpirun.Libraries[0].Rank)
	args := []string{"ab", "--library", b.prefix(mpirun.Libraries[0]), "--library", b.prefix(mpirun.Libraries[1]), "--out", b.Out, gl, "--quiet", "--format", "json"}
	b.Run(pgmpi, args...).Exits(t, exitcode.Setup).Says(t, "no rank program is built for", "MPICC=", "here it cannot be built")

	other := filepath.Join(b.Bin, mpirun.Libraries[1].Rank)
	sources := filepath.Join(b.Dir, "tools")
	must.Do(t, os.MkdirAll(filepath.Join(sources, "cmd", "pgmpi-rank"), 0o777))
	must.Do(t, os.WriteFile(filepath.Join(sources, "Makefile"), []byte("rank:\n\ttest -e $(MPICC)\n\tcp "+other+" $(RANK)\n"), 0o666))
	must.Do(t, os.WriteFile(filepath.Join(b.Dir, "opt", mpirun.Libraries[1].Name, "bin", "mpicc"), nil, 0o777))
	c := comparisonOf(t, b.Run(pgmpi, args...).Exits(t, exitcode.OK, exitcode.Violated, exitcode.NoVerdict).Stdout)
	should.Hold(t, c.Paired && len(c.Cases) > 0 && c.A.Library != c.B.Library, "%+v", c)
	seen := map[string]series.Difference{}
	for _, d := range c.Differences {
		seen[d.Factor] = d
	}
	launch, path := seen["launch p2"], seen["env LD_LIBRARY_PATH"]
	for i, l := range mpirun.Libraries[:2] {
		dir := filepath.Join(b.Dir, "opt", l.Name)
		should.Hold(t, strings.HasPrefix([]string{launch.A, launch.B}[i], dir+"/bin/mpirun "), "launchers %+v", launch)
		should.Hold(t, strings.HasPrefix([]string{path.A, path.B}[i], dir+"/lib"), "libraries %+v", path)
	}
	b.Run(pgmpi, append(args, "--resume")...).Exits(t, exitcode.OK, exitcode.Violated, exitcode.NoVerdict)
	b.Run(pgmpi, "ab", "--library", "x", gl).Exits(t, exitcode.Setup).Says(t, "give --library twice")
	b.Run(pgmpi, "ab", "--library", b.Dir, "--library", b.Dir, "--out", b.Out+"-no", gl).Exits(t, exitcode.Setup).Says(t, "has no MPI library")
}

// slow is a library that slows MPI_Allgather down, and is what a history changes.
const slow = `#include <mpi.h>
#include <time.h>
#define NS %d
static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
int MPI_Allgather(const void *a, int m, MPI_Datatype s, void *b, int n, MPI_Datatype t, MPI_Comm c)
{
    int error = PMPI_Allgather(a, m, s, b, n, t, c);
    for (long end = now() + NS; now() < end;)
        ;
    return error;
}
`

func TestTheCommitThatSlowsAPreloadedLibraryDownIsFound(t *testing.T) {
	b := newFixture(t, mpirun.Libraries[0])
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	repo := filepath.Join(b.Dir, "repo")
	commit := func(script string) {
		cmd, out, errs := b.Command("sh", "-ec", script)
		must.Do(t, os.MkdirAll(repo, 0o777))
		cmd.Dir = repo
		must.Hold(t, cmd.Run() == nil, "%s%s", out, errs)
	}
	launcher := b.Lib.Launcher()
	mpicc := filepath.Join(filepath.Dir(launcher), strings.Replace(filepath.Base(launcher), "mpirun", "mpicc", 1))
	commit("git init -q; git config user.email a@b.c; git config user.name a")
	for i := range 4 {
		ns := 0
		if i >= 2 {
			ns = 200000
		}
		must.Do(t, os.WriteFile(filepath.Join(repo, "slow.c"), fmt.Appendf(nil, "/* commit %d */\n"+slow, i, ns), 0o666))
		must.Do(t, os.WriteFile(filepath.Join(repo, "build"), []byte("#!/bin/sh -e\n"+mpicc+" -O2 -fPIC -c -o slow.o slow.c\ngcc -shared -o $PREFIX/slow.so slow.o\n"), 0o777))
		commit(fmt.Sprintf("git add slow.c build; git commit -q -m 'Commit %d'", i))
	}
	gl := b.TOML(fmt.Sprintf(mpirun.OneCase, "GL5") + fmt.Sprintf("rank = %q\nenv = { LD_PRELOAD = \"{prefix}/slow.so\" }\n", b.Rank))
	s := b.Pgmpi("bisect", "HEAD~3", "HEAD", "--repo", repo, "--build", "./build", "--out", b.Out, "--mpiruns", "8", "--keep", "--", gl)
	s.Exits(t, exitcode.OK).Shows(t, `\Afirst bad commit: [0-9a-f]{40} Commit 2$`, "MPI_Allgather at 64 KiB on p2 takes")
	_, err := os.Stat(filepath.Join(b.Out, "prefix"))
	should.Hold(t, err == nil, "--keep: %v", err)
	b.Pgmpi("compare", filepath.Join(b.Out, "ends")).Exits(t, exitcode.Violated).Shows(t, "slower")
}
