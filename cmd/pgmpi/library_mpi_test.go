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
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// prefix makes a folder in which a library seems to be installed.
func (b *fixture) prefix(l mpirun.Library) string {
	b.T.Helper()
	dir := filepath.Join(b.Dir, "opt", l.Name)
	launcher := l.Launcher()
	must.Do(b.T, os.MkdirAll(filepath.Join(dir, "bin"), 0o777))
	must.Do(b.T, os.MkdirAll(filepath.Join(dir, "lib"), 0o777))
	must.Do(b.T, os.Symlink(must.Get(exec.LookPath(launcher))(b.T), filepath.Join(dir, "bin", "mpirun")))
	if proxy, err := exec.LookPath("hydra_pmi_proxy"); err == nil { // MPICH's launcher wants it next to itself
		must.Do(b.T, os.Symlink(proxy, filepath.Join(dir, "bin", "hydra_pmi_proxy")))
	}
	for line := range strings.Lines(string(must.Get(exec.Command("ldd", filepath.Join(b.Bin, l.Rank)).Output())(b.T))) {
		if words := strings.Fields(line); len(words) > 2 && strings.HasPrefix(words[0], "libmpi") {
			must.Do(b.T, os.Symlink(words[2], filepath.Join(dir, "lib", words[0])))
		}
	}
	return dir
}

// installed copies pgmpi into a folder, and rank programs below it. It returns the path of pgmpi.
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
	gl := b.TOML(fmt.Sprintf(strings.ReplaceAll(mpirun.OneCase, "mpiruns = 10", "mpiruns = 4"), "GL8"))
	pgmpi := b.installed(mpirun.Libraries[0].Rank)
	args := []string{"ab", "--library", b.prefix(mpirun.Libraries[0]), "--library", b.prefix(mpirun.Libraries[1]), "--out", b.Out, gl, "--alpha", "0.5", "--quiet", "--format", "json"}
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
