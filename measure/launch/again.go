package launch

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// words tells what the options of a launcher are for, each with the number of values that follow it.
type words struct {
	launchers []string
	number    []string       // options for the number of processes
	places    map[string]int // decide where ranks run, and by which network
	idle      map[string]int // change nothing that a rank could notice but its folder and its output
}

// known lists launchers; the first that has a name counts. All options have one dash here.
var known = []words{{
	launchers: []string{"srun"},
	number:    []string{"-n", "-ntasks"},
	places: options(`-N -nodes -c -cpus-per-task -ntasks-per-node -cpu-bind -mem-bind -mpi -m -distribution -hint -w
		-nodelist -x -exclude`,
		`-exact -O -overcommit -overlap -K -kill-on-bad-exit`),
	idle: options(`-i -input -o -output -e -error -J -job-name -t -time -D -chdir -p -partition -A -account`,
		`-l -label -u -unbuffered`),
}, {
	launchers: strings.Fields(`mpirun mpiexec orterun prterun mpirun.openmpi mpiexec.openmpi mpirun.mpich mpiexec.mpich
		mpiexec.hydra`),
	number: []string{"-np", "-n", "-c"},
	places: options(`-map-by -bind-to -rank-by -npernode -N -npersocket -cpus-per-proc -cpus-per-rank -cpu-set -cpu-list
		-host -H -hostfile -machinefile -rankfile -rf -ppn -perhost -hosts -f -iface`,
		`-oversubscribe -nooversubscribe -use-hwthread-cpus -pernode -bynode -byslot -bind-to-core
		-bind-to-none -rr`),
	idle: options(`-output-filename -output -stdin -wdir -wd -timeout -prepend-pattern -outfile-pattern
		-errfile-pattern -s`,
		`-tag-output -timestamp-output -merge-stderr-to-stdout -report-bindings -display-map
		-display-allocation -q -quiet -v -verbose -l -prepend-rank -allow-run-as-root -genvall`),
}}

// options returns those with one value and those with none.
func options(one, none string) map[string]int {
	all := map[string]int{}
	for _, o := range strings.Fields(one) {
		all[o] = 1
	}
	for _, o := range strings.Fields(none) {
		all[o] = 0
	}
	return all
}

// These options set a variable: by its name and a value, or in one word.
var (
	setsTwo = map[string]string{"-mca": "OMPI_MCA_", "-gmca": "OMPI_MCA_", "-genv": "", "-env": ""}
	setsOne = "-x"
)

// Start is how a command starts the ranks of a program.
type Start struct {
	Words []string // of the launcher, with "{np}"; nil if they are not known
	Left  []string // options that were left out though they may change times
	Set   []string // NAME=VALUE, by env before the launcher
}

// StartOf reads the launcher's words of a command, up to the program. Only words stay that place ranks or set
// variables that Decides tells: what it returns may have come out of somebody else's file.
func StartOf(argv []string) (s Start) {
	at, of := -1, words{}
	for i, word := range argv {
		of, at = launcherOf(word), i
		if of.launchers != nil {
			break
		}
		if strings.Contains(word, "=") && i > 0 {
			s.Set = append(s.Set, word)
		}
	}
	if of.launchers == nil || slices.Contains(argv, ":") {
		return Start{Set: s.Set}
	}
	s.Words = []string{nameOf(argv[at])}
	r := reader{words: of, rest: argv[at+1:], out: &s}
	for len(r.rest) > 0 && r.next() {
	}
	if !slices.ContainsFunc(s.Words, func(w string) bool { return strings.HasSuffix(w, "{np}") }) {
		s.Words = append(s.Words, of.number[0], "{np}")
	}
	return s
}

func launcherOf(word string) words {
	name := filepath.Base(word)
	if w := lists.First(known, func(w words) bool { return slices.Contains(w.launchers, name) }); w != nil {
		return *w
	}
	return words{}
}

// nameOf leaves out the folder of a launcher that is found without.
func nameOf(word string) string {
	path, err := exec.LookPath(word)
	found, missing := exec.LookPath(filepath.Base(word))
	if err == nil && missing == nil && path == found {
		return filepath.Base(word)
	}
	return word
}

type reader struct {
	words
	rest []string
	out  *Start
}

// next reads an option with its values. It returns false at the program.
func (r *reader) next() bool {
	word := r.rest[0]
	option, value, joined := strings.Cut(word, "=")
	option = "-" + strings.TrimLeft(option, "-")
	if !strings.HasPrefix(word, "-") {
		_, err := exec.LookPath(word)
		r.rest = r.rest[1:] // the value of an option that is not known
		return err != nil && word != "{np}"
	}
	take := func(n int) []string {
		if joined {
			n = 0
		}
		n = min(n+1, len(r.rest))
		its := r.rest[:n]
		r.rest = r.rest[n:]
		return its
	}
	prefix, two := setsTwo[option]
	n, places := r.places[option]
	idle, isIdle := r.idle[option]
	switch {
	case slices.Contains(r.number, option):
		if joined {
			r.out.Words = append(r.out.Words, strings.TrimSuffix(word, value)+"{np}")
			take(0)
		} else if its := take(1); len(its) == 2 {
			r.out.Words = append(r.out.Words, its[0], "{np}")
		}
	case places:
		r.out.Words = append(r.out.Words, take(n)...)
	case two:
		its := take(2)
		r.keep(len(its) == 3 && Decides(prefix+its[1]), its)
	case option == setsOne:
		its := take(1)
		name, _, has := strings.Cut(its[len(its)-1], "=")
		r.keep(has && Decides(name), its)
	case isIdle:
		take(idle)
	default:
		r.out.Left = append(r.out.Left, take(0)[0])
	}
	return true
}

// keep takes an option that sets a variable, or names it as left out.
func (r *reader) keep(does bool, its []string) {
	if does {
		r.out.Words = append(r.out.Words, its...)
		return
	}
	name, _, _ := strings.Cut(strings.Join(its[:min(2, len(its))], " "), "=")
	if !strings.HasSuffix(name, "PATH") {
		r.out.Left = append(r.out.Left, name)
	}
}

// libraries' variables that choose among what the library can do.
var ofLibraries = regexp.MustCompile(`^(OMPI_MCA|MPIR_CVAR|UCX|I_MPI)_\w+$`)

// starting finds variables by which a library would load or start something.
var starting = regexp.MustCompile(`(?i)path|agent|exec|dir|file|prefix|preload|plm|launch|bootstrap|script|command|` +
	`cmd|env_list|module|_lib|rsh|_ess|_orte|_pmix|hydra|info_`)

// Decides tells whether a variable only chooses among what an MPI library can do, so that a value out of somebody
// else's file can be used.
func Decides(name string) bool {
	collective := strings.HasPrefix(name, "OMPI_MCA_coll_") || strings.HasPrefix(name, "MPIR_CVAR_")
	return ofLibraries.MatchString(name) && (collective || !starting.MatchString(name))
}
