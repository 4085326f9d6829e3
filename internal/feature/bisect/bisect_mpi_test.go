package bisect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// slow slows MPI_Allgather of large counts down: pgmpi's own are small. The commits of a history differ in NS.
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
    for (long end = now() + NS; m > 1000 && now() < end;)
        ;
    return error;
}
`

// MPICH starts sooner than Open MPI, and there are dozens of mpiruns.
func TestTheCommitThatSlowsAPreloadedLibraryDownIsFound(t *testing.T) {
	b := mpirun.New(t, mpirun.Libraries[1])
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
	for i := range 3 {
		ns := 20000000 * max(0, i-1) // more than a call waits on a busy machine
		must.Do(t, os.WriteFile(filepath.Join(repo, "slow.c"), fmt.Appendf(nil, "/* commit %d */\n"+slow, i, ns), 0o666))
		must.Do(t, os.WriteFile(filepath.Join(repo, "build"), []byte("#!/bin/sh -e\n"+mpicc+" -O2 -fPIC -c -o slow.o slow.c\ngcc -shared -o $PREFIX/slow.so slow.o\n"), 0o777))
		commit(fmt.Sprintf("git add slow.c build; git commit -q -m 'Commit %d'", i))
	}
	gl := b.TOML(fmt.Sprintf(strings.Replace(mpirun.OneCase, "fixed = 100", "fixed = 3\n[measure]\nalternate = false\nfirst_calls = 1\nwarmup = 0", 1), "GL5") + fmt.Sprintf("rank = %q\nenv = { LD_PRELOAD = \"{prefix}/slow.so\" }\n", b.Rank))
	s := b.Pgmpi("bisect", "HEAD~2", "HEAD", "--repo", repo, "--build", "./build", "--out", b.Out, "--mpiruns", "6", "--keep", "--", gl)
	s.Exits(t, exitcode.OK).Shows(t, `\Afirst bad commit: [0-9a-f]{40} Commit 2$`, "MPI_Allgather at 64 KiB on p2 takes")
	_, err := os.Stat(filepath.Join(b.Out, "prefix"))
	should.Hold(t, err == nil, "--keep: %v", err)
	b.Pgmpi("compare", filepath.Join(b.Out, "ends")).Exits(t, exitcode.Violated).Shows(t, "slower")
}
