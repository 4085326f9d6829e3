package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// LibraryPath is the variable that the loader looks at before the folders that a program names.
const LibraryPath = "LD_LIBRARY_PATH"

// LibraryEnv returns the variables with which ranks load the library that is installed in a
// folder. before is what the ranks would have else.
func LibraryEnv(prefix, before string) map[string]string {
	path := strings.Join(libraryFolders(prefix), ":")
	switch {
	case before == path || strings.HasPrefix(before, path+":"):
		path = before
	case before != "":
		path += ":" + before
	}
	return map[string]string{LibraryPath: path}
}

func libraryFolders(prefix string) (folders []string) {
	for _, name := range []string{"lib", "lib64"} {
		if dir := filepath.Join(prefix, name); there(dir) {
			folders = append(folders, dir)
		}
	}
	return folders
}

// FindRankFor returns the rank program for the library that is installed in a folder: the
// configured one, else one of PGMPI_RANK, beside this program, installed with it, or among more,
// whose library lies there under the name by which it asks for it.
func FindRankFor(prefix, configured string, more ...string) (string, error) {
	var has []string
	for _, dir := range libraryFolders(prefix) {
		found, _ := filepath.Glob(filepath.Join(quoted(dir), "libmpi*.so.*"))
		for _, file := range found {
			has = append(has, filepath.Base(file))
		}
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
		ranks = append(ranks, installedRanks(bin)...)
	}
	if i := slices.IndexFunc(ranks, func(rank string) bool { return fits(rank, has) }); i >= 0 {
		return filepath.Abs(ranks[i])
	}
	return "", fmt.Errorf("no rank program is built for %s of %s: in the sources of pgmpi, `make install MPICC=%s LIBRARY=%s` builds and installs one",
		strings.Join(has, ", "), prefix, wrapper(prefix), filepath.Base(prefix))
}

func wrapper(prefix string) string { return filepath.Join(prefix, "bin", "mpicc") }

// fits tells whether a rank program asks for one of these libraries, and not for one in folders of
// its own, which the loader would prefer to LD_LIBRARY_PATH.
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

// buildRank builds the rank program for the library that is installed in a folder, by its
// compiler wrapper, where the sources of pgmpi are around this program.
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
	make := exec.CommandContext(ctx, "make", "-C", sources, "rank", "MPICC="+wrapper(prefix), "RANK="+rank)
	make.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
	if said, err := make.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w:\n%s", strings.Join(make.Args, " "), err, LastLines(string(said), 5))
	}
	return nil
}
