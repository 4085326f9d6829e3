package launch

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// OfABI is the family of the headers of MPI's standard ABI, whose programs run with any library that has it.
const OfABI = "abi"

const (
	abiFile    = "libmpi_abi.so.1"
	abiHeaders = "MPI's standard ABI" // in RankInfo.BuiltFor
)

// ForABI tells whether a program, or a library to preload, is for MPI's standard ABI.
func ForABI(path string) bool { return Needs(path) == abiFile }

// Family returns the family of the library whose launcher a configuration starts, or "" where that does not
// tell.
func (c Config) Family() string {
	_, family := c.firstLauncher()
	return family
}

func (c Config) firstLauncher() (path, family string) {
	switch {
	case len(c.Words) > 0:
		path, _ = exec.LookPath(c.Words[0])
		return path, familyOfLauncher(versionOf(path))
	case c.Library != "":
		for _, name := range []string{"mpirun", "mpiexec"} {
			if path = filepath.Join(c.Library, "bin", name); there(path) {
				return path, familyOfLauncher(versionText(path))
			}
		}
	}
	return firstOnPath()
}

// ABIEnv returns the variables with which a rank program for the standard ABI loads the library of its
// launcher. env is what ranks have besides pgmpi's environment. There are none for other rank programs, and
// with a launcher of no known library.
func (c Config) ABIEnv(rank string, env map[string]string) (map[string]string, error) {
	if !ForABI(rank) {
		return nil, nil
	}
	mpirun, family := c.firstLauncher()
	if family == "" {
		return nil, nil
	}
	folders := foldersOf(mpirun)
	for _, set := range abiChoices(folders, env) {
		all := map[string]string{}
		maps.Copy(all, env)
		maps.Copy(all, set)
		if info, err := Probe(rank, all); err == nil && info.Library == family {
			return set, nil
		}
	}
	return nil, fmt.Errorf("%s is for MPI's standard ABI, and the library of %s (%s's) has no %s in %s: "+
		"build a rank program with that library's mpicc, or name the library's folder in mpi.env, as in LD_LIBRARY_PATH=/opt/mpi/lib",
		rank, mpirun, family, abiFile, strings.Join(folders, ", "))
}

// foldersOf lists where the library of a launcher may be: below its prefix, and below the one of what it is a link to.
func foldersOf(mpirun string) (folders []string) {
	real, _ := filepath.EvalSymlinks(mpirun)
	for _, path := range []string{mpirun, real} {
		prefix := filepath.Dir(filepath.Dir(path))
		for _, pattern := range []string{"lib", "lib64", "lib/*-linux-gnu*"} {
			found, _ := filepath.Glob(filepath.Join(quoted(prefix), pattern))
			for _, folder := range found {
				folders = lists.With(folders, folder)
			}
		}
	}
	return folders
}

// ofSystem matches folders in which the loader looks anyway.
var ofSystem = regexp.MustCompile(`^(/usr)?/lib(64)?(/[^/]*-linux-gnu[^/]*)?$`)

// abiChoices lists what may make the loader take the library in one of these folders, the best first. What
// the loader does by itself comes before what Debian needs: there libraries of several families lie in one
// folder, with the family in their names (libmpi_abi_mpich.so.1.0.0), and one of them has the name that
// programs ask for.
func abiChoices(folders []string, env map[string]string) (choices []map[string]string) {
	before := cmp.Or(env[LibraryPath], os.Getenv(LibraryPath))
	for _, folder := range folders {
		if !ofSystem.MatchString(folder) && there(filepath.Join(folder, abiFile)) {
			choices = append(choices, map[string]string{LibraryPath: inFront(folder, before)})
		}
	}
	if env[LibraryPath] != "" { // somebody has chosen
		choices = slices.Insert(choices, 0, map[string]string(nil))
	} else {
		choices = append(choices, nil)
	}
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(quoted(folder), "libmpi_abi_*.so.1*"))
		for _, file := range files {
			choices = append(choices, map[string]string{preload: inFront(file, cmp.Or(env[preload], os.Getenv(preload)))})
		}
	}
	return choices
}

// inFront puts a path before others that colons part, unless it is there.
func inFront(path, before string) string {
	switch {
	case before == path || strings.HasPrefix(before, path+":"):
		return before
	case before != "":
		return path + ":" + before
	}
	return path
}

// loading returns those variables of an environment by which the loader finds the MPI library.
func loading(env map[string]string) (set []string) {
	if path := env[LibraryPath]; path != "" {
		set = append(set, LibraryPath+"="+path)
	}
	libraries := lists.Keep(strings.Split(env[preload], ":"), func(file string) bool {
		return strings.HasPrefix(filepath.Base(file), "libmpi_abi")
	})
	if len(libraries) > 0 {
		set = append(set, preload+"="+strings.Join(libraries, ":"))
	}
	return set
}
