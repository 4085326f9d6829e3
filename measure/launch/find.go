package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const rankVariable = "PGMPI_RANK"

// FindRank returns the path of the rank program: the configured one, the one in
// PGMPI_RANK, pgmpi-rank beside this program, or the installed one
// (../libexec/pgmpi/rank-*) of the library whose mpirun is first on the PATH.
func FindRank(configured string) (string, error) {
	if configured != "" {
		return named(configured, "build it with `make build` (it needs mpicc), or name another with --rank")
	}
	if v := os.Getenv(rankVariable); v != "" {
		return named(v, rankVariable+" names it: build it with `make build`, or set "+rankVariable+" to another")
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return findFrom(filepath.Dir(self))
}

func findFrom(bin string) (string, error) {
	beside := filepath.Join(bin, "pgmpi-rank")
	if there(beside) {
		return beside, nil
	}
	ranks := installedRanks(bin)
	if len(ranks) == 0 {
		return "", fmt.Errorf("no rank program at %s, and none in %s: build one with `make build` (it needs mpicc), install one with `make install`, or name one with --rank, mpi.rank or %s",
			beside, libexec(bin), rankVariable)
	}
	return choose(ranks)
}

func libexec(bin string) string { return filepath.Join(filepath.Dir(bin), "libexec", "pgmpi") }

// installedRanks are the rank programs that are installed with the program in a folder.
func installedRanks(bin string) []string {
	ranks, _ := filepath.Glob(filepath.Join(quoted(libexec(bin)), "rank-*")) // the only error is a bad pattern
	return slices.DeleteFunc(ranks, func(path string) bool { return strings.HasSuffix(path, ".so") })
}

// quoted makes a pattern of a path that only the path matches.
func quoted(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func named(path, remedy string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if !there(path) {
		return "", fmt.Errorf("no rank program at %s: %s", path, remedy)
	}
	return path, nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// choose returns the rank program of the library whose mpirun is first on the PATH. Of
// several of one library it takes the one built with the compiler wrapper beside that mpirun,
// else the one that the loader can load.
// A single one is taken even where no mpirun is on the PATH, or an unknown one.
func choose(ranks []string) (string, error) {
	mpirun, family := firstOnPath()
	if family == "" {
		if len(ranks) == 1 {
			return ranks[0], nil
		}
		first := "no mpirun is on the PATH"
		if mpirun != "" {
			first = "the first mpirun on the PATH, " + mpirun + ", is of no known library"
		}
		return "", fmt.Errorf("%s, and several rank programs are installed (%s): load the module of one library, or name a rank program with --rank, mpi.rank or %s",
			first, strings.Join(ranks, ", "), rankVariable)
	}
	fitting := slices.DeleteFunc(slices.Clone(ranks), func(path string) bool { // named by `make install`: rank-openmpi, rank-openmpi-5.0
		built, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "rank-"), "-")
		return built != family
	})
	if len(fitting) > 1 {
		beside := slices.DeleteFunc(slices.Clone(fitting), func(path string) bool {
			info, err := Look(path)
			return err != nil || filepath.Dir(info.MPICC) != filepath.Dir(mpirun)
		})
		if len(beside) > 0 {
			fitting = beside
		}
	}
	if len(fitting) > 1 {
		var fails []error
		fitting = slices.DeleteFunc(fitting, func(path string) bool {
			_, err := Probe(path, "")
			fails = append(fails, err)
			return err != nil
		})
		if len(fitting) == 0 {
			return "", fmt.Errorf("no rank program loads the library of %s, the first mpirun on the PATH; load its module, or name another with --rank, mpi.rank or %s:\n%w",
				mpirun, rankVariable, errors.Join(fails...))
		}
	}
	switch len(fitting) {
	case 0:
		return "", fmt.Errorf("the first mpirun on the PATH, %s, is %s's, and no rank program installed is built for that (there are %s): put another mpirun first, install one with `make install MPICC=…`, or name one with --rank, mpi.rank or %s",
			mpirun, family, strings.Join(ranks, ", "), rankVariable)
	case 1:
		return fitting[0], nil
	}
	return "", fmt.Errorf("several rank programs fit the first mpirun on the PATH, %s: name one of %s with --rank, mpi.rank or %s",
		mpirun, strings.Join(fitting, ", "), rankVariable)
}

// firstOnPath returns the first mpirun, or else mpiexec, on the PATH, and the family of
// libraries whose launcher it says it is, "" if unknown.
func firstOnPath() (path, family string) {
	for _, name := range []string{"mpirun", "mpiexec"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		text := versionText(path)
		for _, l := range libraries {
			if slices.ContainsFunc(l.launchers, func(l launcher) bool { return l.says.MatchString(text) }) {
				return path, l.family
			}
		}
		return path, ""
	}
	return "", ""
}
