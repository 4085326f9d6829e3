package launch

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Command is the command line of an MPI program, beginning with its launcher or a script.
type Command struct {
	Argv    []string
	Preload string // the library for its ranks
	known   launcher
}

// NewCommand finds the launcher that a command begins with, and the library to preload: next to the
// configured rank program, or one of the launcher's library.
func NewCommand(argv []string, rank string) (c Command, err error) {
	c.Argv = argv
	if len(argv) == 0 {
		return c, errors.New("give the program after --, as you start it: -- mpirun -np 4 ./app")
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return c, err
	}
	family := ""
	version := versionOf(path)
	for _, l := range libraries {
		for _, known := range l.launchers {
			if family == "" && known.says.MatchString(version) {
				c.known, family = known, l.family
			}
		}
	}
	program, asks, err := mpiProgram(argv[1:])
	if err == nil {
		rank, err = rankOf(family, asks, rank)
	}
	if err == nil {
		c.Preload, err = Beside(rank, PreloadEnding)
	}
	if has := Needs(c.Preload); err == nil && asks != "" && has != "" && has != asks {
		err = fmt.Errorf("%s is linked with %s, and %s with %s, whose handles are others: build a rank program with the compiler wrapper of the program's library, or name one with --rank",
			program, asks, c.Preload, has)
	}
	if err == nil && strings.ContainsAny(c.Preload, " :") {
		err = fmt.Errorf("%s cannot be preloaded, as LD_PRELOAD ends a path at a space or colon: install pgmpi into a folder without them, or name with --rank a copy in one (both files)", c.Preload)
	}
	return c, err
}

// versionOf asks what may be a launcher: a script would run the program.
func versionOf(path string) string {
	name := filepath.Base(path)
	if strings.HasPrefix(name, "mpirun") || strings.HasPrefix(name, "mpiexec") || name == "prterun" {
		return versionText(path)
	}
	return ""
}

// mpiProgram finds the first program of a command that is linked with an MPI library, and the library. It refuses one
// that has MPI linked in: nothing can come between.
func mpiProgram(words []string) (program, library string, err error) {
	for _, word := range words {
		path, failed := exec.LookPath(word)
		if failed != nil {
			continue
		}
		asks, linked := programAsks(path)
		switch {
		case linked:
			return "", "", fmt.Errorf("%s has its MPI library linked in: its calls cannot be seen; link it with the shared library", path)
		case asks != "":
			return path, asks, nil
		}
	}
	return "", "", nil
}

// rankOf returns a rank program that is built for a family of libraries, if possible for the library that a program
// asks for. For "" it returns the usual one.
func rankOf(family, asks, configured string) (string, error) {
	usual, err := FindRank(configured)
	if family == "" || err != nil && configured != "" {
		return usual, err
	}
	if configured != "" {
		if ForABI(usual) {
			return usual, nil
		}
		if of := libraryOf(usual); of != "" && of != family {
			return "", fmt.Errorf("%s (--rank) is built for %s, and the launcher is %s's: name a rank program of that library, or leave --rank out", usual, of, family)
		}
		return usual, nil
	}
	self, fails := os.Executable()
	if fails != nil {
		return "", fails
	}
	bin := filepath.Dir(self)
	tried := append([]string{filepath.Join(bin, "pgmpi-rank"), filepath.Join(bin, "pgmpi-rank-"+family), filepath.Join(bin, "pgmpi-rank-"+OfABI)}, installedRanks(bin)...)
	if err == nil {
		tried = slices.Insert(tried, 0, usual)
	}
	all := slices.Clone(tried)
	all = slices.DeleteFunc(all, func(path string) bool {
		info, err := Look(path)
		return err != nil || info.Library != family && (asks != abiFile || !ForABI(path))
	})
	if i := slices.IndexFunc(all, func(path string) bool { return Needs(path) == asks }); i >= 0 {
		return all[i], nil
	}
	if len(all) > 0 {
		return all[0], nil
	}
	return "", fmt.Errorf("the launcher is %s's, and no rank program for that is beside pgmpi or installed (%s): build one with `make build MPICC=…`, or name one with --rank or %s",
		family, strings.Join(tried, ", "), rankVariable)
}

// libraryOf asks a rank program whose file does not tell. It returns "" if the program does not know.
func libraryOf(rank string) string {
	info, err := Look(rank)
	if err == nil && info.Library == "" {
		info, err = Probe(rank, nil)
	}
	if err != nil {
		return ""
	}
	return info.Library
}

// handedOn names variables for the ranks of Open MPI; the env.sh of a setting has it.
const handedOn = "OMPI_MCA_mca_base_env_list"

const preload = "LD_PRELOAD"

// These tell the preloaded library what to do; PGMPI_APPLIED, PGMPI_CALLED and PGMPI_SYNC go with them.
var (
	tells = []string{"PGMPI_APPLY", "PGMPI_PROFILE"}
	told  = append([]string{"PGMPI_APPLIED", "PGMPI_CALLED", "PGMPI_SYNC"}, tells...)
)

func variables(environ []string) map[string]string {
	set := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		set[name] = value
	}
	return set
}

// Told returns the variables of an environment that have ranks' calls counted, or replaced.
func Told(environ []string) (names []string) {
	set := variables(environ)
	handed := variables(strings.Split(set[handedOn], ";"))
	for _, name := range tells {
		if set[name] != "" || handed[name] != "" {
			names = append(names, name)
		}
	}
	return names
}

// Bare returns an environment in which a program starts alone. Whatever the shell has set, its ranks do
// not load the library for them.
func Bare(environ []string) (out []string) {
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case slices.Contains(told, name):
			continue
		case name == preload:
			libraries := strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ' ' })
			value = strings.Join(slices.DeleteFunc(libraries, ownPreload), ":")
		case name == handedOn:
			value = strings.Join(Bare(strings.Split(value, ";")), ";")
		default:
			out = append(out, v)
			continue
		}
		if value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

func ownPreload(library string) bool {
	name := filepath.Base(library)
	return strings.HasPrefix(name, "pgmpi") && strings.HasSuffix(name, PreloadEnding)
}

// With returns the words and the environment that start the program under a setting. Its ranks get the
// library and these variables. A launcher that can set them for the ranks alone does so, also on other
// hosts; else all programs of the command get them.
func (c Command) With(set, setting map[string]string) (argv, env []string) {
	set = maps.Clone(set)
	here := variables(Bare(os.Environ()))
	libraries := []string{c.Preload, set[preload], here[preload]}
	set[preload] = strings.Join(slices.DeleteFunc(libraries, func(l string) bool { return l == "" }), ":")
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		if name != handedOn {
			env = append(env, name+"="+setting[name])
		}
	}
	list := cmp.Or(setting[handedOn], here[handedOn])
	var words []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		switch {
		case c.known.joined && list != "": // Open MPI takes no -x besides it
			list += ";" + name + "=" + set[name]
		case c.known.handsOn == "":
			env = append(env, name+"="+set[name])
		case c.known.joined:
			words = append(words, c.known.handsOn, name+"="+set[name])
		default:
			words = append(words, c.known.handsOn, name, set[name])
		}
	}
	if list != "" {
		env = append(env, handedOn+"="+list)
	}
	for i, word := range c.Argv {
		argv = append(argv, word)
		if i == 0 || word == ":" && c.known.joined {
			argv = append(argv, words...)
		}
	}
	return argv, env
}
