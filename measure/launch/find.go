package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/internal/child"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
)

const (
	rankVariable     = "PGMPI_RANK"
	buildStopsWithin = 5 * time.Second
)

// FindRank returns the path of the rank program: the configured one, the one in PGMPI_RANK, pgmpi-rank
// next to this program, or the installed one (../libexec/pgmpi/rank-*) of the library whose mpirun is
// first on the PATH.
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

// PreloadEnding ends the name of the library that is preloaded into the ranks of programs.
const PreloadEnding = "-preload.so"

// Beside returns the path of a library that is built with a rank program. The library has the program's
// name with this ending; the program may be a link.
func Beside(rank, ending string) (string, error) {
	real, err := filepath.EvalSymlinks(rank)
	if err != nil {
		return "", err
	}
	for _, path := range []string{rank, real} {
		if there(path + ending) {
			return path + ending, nil
		}
	}
	return "", fmt.Errorf("no %s%s beside the rank program: `make build` makes it", real, ending)
}

// FindPreload returns the path of the preloaded library that is built with the rank program.
func FindPreload(configured string) (string, error) {
	rank, err := FindRank(configured)
	if err != nil {
		return "", err
	}
	return Beside(rank, PreloadEnding)
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

// choose returns the rank program of the library whose mpirun is first on the PATH. Of several of one
// library it takes the one built with the compiler wrapper next to that mpirun, else the one that the
// loader can load, and where none of these is, the one for the standard ABI. A single one is taken even where no
// mpirun is on the PATH, or an unknown one.
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
	general := lists.Keep(ranks, ForABI)
	if len(fitting) > 1 || len(fitting) == 1 && len(general) > 0 {
		var fails []string
		fitting = slices.DeleteFunc(fitting, func(path string) bool {
			_, err := Probe(path, nil)
			if err != nil {
				fails = append(fails, err.Error())
			}
			return err != nil
		})
		if len(fitting) == 0 && len(general) == 0 {
			return "", fail.Above(fmt.Errorf("no rank program loads the library of %s, the first mpirun on the PATH; load its module, or name another with --rank, mpi.rank or %s",
				mpirun, rankVariable), fails...)
		}
	}
	if len(fitting) == 0 && len(general) > 0 {
		return general[0], nil
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

// firstOnPath returns the first mpirun, or else mpiexec, on the PATH. family is the library whose
// launcher it says it is, or "" if unknown.
func firstOnPath() (path, family string) {
	for _, name := range []string{"mpirun", "mpiexec"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		return path, familyOfLauncher(versionText(path))
	}
	return "", ""
}

func familyOfLauncher(version string) string {
	for _, l := range libraries {
		if slices.ContainsFunc(l.launchers, func(l launcher) bool { return l.says.MatchString(version) }) {
			return l.family
		}
	}
	return ""
}

// LibraryPath is the variable that the loader looks at before the folders that a program names.
const LibraryPath = "LD_LIBRARY_PATH"

// LibraryEnv returns the variables with which ranks load the library that is installed in a folder.
// before is the value that the ranks would have otherwise.
func LibraryEnv(prefix, before string) map[string]string {
	return map[string]string{LibraryPath: inFront(strings.Join(libraryFolders(prefix), ":"), before)}
}

func libraryFolders(prefix string) (folders []string) {
	for _, name := range []string{"lib", "lib64"} {
		if dir := filepath.Join(prefix, name); there(dir) {
			folders = append(folders, dir)
		}
	}
	return folders
}

// FindRankFor returns the rank program for the library that is installed in a folder. It is the
// configured one, or one of PGMPI_RANK, next to this program, installed with it, or among more, whose
// library lies there under the name by which it asks for it.
func FindRankFor(prefix, configured string, more ...string) (string, error) {
	var has []string
	for _, dir := range libraryFolders(prefix) {
		found, _ := filepath.Glob(filepath.Join(quoted(dir), "libmpi*.so.*"))
		has = append(has, lists.Map(found, filepath.Base)...)
	}
	if len(has) == 0 {
		return "", fmt.Errorf("%s has no MPI library: there is no lib/libmpi*.so.* below it", prefix)
	}
	if configured != "" {
		rank, err := FindRank(configured)
		if err == nil && !fits(rank, has) {
			err = fmt.Errorf("%s cannot be run with the library in %s: it asks for %s, and there is %s", rank, prefix, Needs(rank), strings.Join(has, ", "))
		}
		return rank, err
	}
	ranks := append(more, os.Getenv(rankVariable))
	if self, err := os.Executable(); err == nil {
		bin := filepath.Dir(self)
		ranks = append(ranks, filepath.Join(bin, "pgmpi-rank"))
		for _, l := range libraries {
			ranks = append(ranks, filepath.Join(bin, "pgmpi-rank-"+l.family))
		}
		ranks = append(ranks, filepath.Join(bin, "pgmpi-rank-"+OfABI))
		ranks = append(ranks, installedRanks(bin)...)
	}
	ranks = append(lists.Keep(ranks, func(rank string) bool { return !ForABI(rank) }), lists.Keep(ranks, ForABI)...)
	if i := slices.IndexFunc(ranks, func(rank string) bool { return fits(rank, has) }); i >= 0 {
		return filepath.Abs(ranks[i])
	}
	return "", fmt.Errorf("no rank program is built for %s of %s: in the sources of pgmpi, `make install MPICC=%s LIBRARY=%s` builds and installs one",
		strings.Join(has, ", "), prefix, wrapper(prefix), filepath.Base(prefix))
}

func wrapper(prefix string) string { return filepath.Join(prefix, "bin", "mpicc") }

// fits tells whether a rank program asks for one of these libraries. One that asks for folders of its
// own does not fit: the loader would prefer them to LD_LIBRARY_PATH.
func fits(rank string, libraries []string) bool {
	needs, fixed := asksFor(rank)
	return needs != "" && slices.Contains(libraries, needs) && !fixed
}

// RankFor is FindRankFor, and builds a rank program where there is none and none is configured.
func RankFor(ctx context.Context, prefix, configured, rank string) (string, error) {
	found, err := FindRankFor(prefix, configured, rank)
	if err == nil || configured != "" {
		return found, err
	}
	if failed := buildRank(ctx, prefix, rank); failed != nil {
		return "", errors.Join(err, failed)
	}
	return FindRankFor(prefix, rank)
}

// buildRank builds the rank program for the library that is installed in a folder. It uses the
// library's compiler wrapper, and needs the sources of pgmpi around this program.
func buildRank(ctx context.Context, prefix, rank string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	sources := filepath.Dir(filepath.Dir(self))
	if rank, err = filepath.Abs(rank); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(rank), 0o777); err != nil {
		return err
	}
	for _, file := range []string{wrapper(prefix), filepath.Join(sources, "cmd", "pgmpi-rank"), filepath.Join(sources, "Makefile")} {
		if !there(file) {
			return fmt.Errorf("here it cannot be built: there is no %s", file)
		}
	}
	make := exec.Command("make", "-C", sources, "rank", "MPICC="+wrapper(prefix), "RANK="+rank)
	make.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") || strings.HasPrefix(v, "GIT_")
	})
	var said strings.Builder
	make.Stdout, make.Stderr = &said, &said
	if err := child.Run(ctx, make, buildStopsWithin); err != nil {
		return fail.Above(fmt.Errorf("%s: %w", strings.Join(make.Args, " "), err), strings.Split(LastLines(said.String(), 5), "\n")...)
	}
	return nil
}
