package launch

import (
	"cmp"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"

	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
)

type library struct {
	family    string // as in RankInfo.Library
	says      string // is found in the text of MPI_Get_library_version
	pmi       string // of srun --mpi: how ranks find each other
	launchers []launcher
	startUp   StartUp
	counts    bool              // the rank program counts all messages inside its calls
	counting  map[string]string // variables without which some builds of older versions count none
	apart     map[string]string // variables that make it send inside a host as between hosts, where that alone is counted
	// chooses has the variables that MPI_T needs to choose among the library's own algorithms. With
	// them, an algorithm that cannot do a call gives an error.
	chooses map[string]string
}

type launcher struct {
	programs []string            // in the order they are tried
	says     *regexp.Regexp      // is found in the output of PROGRAM --version
	words    func(wish) []string // after the program
	refuses  func() error        // returns why it would start nothing, if it would
	handsOn  string              // the flag that sets a variable for the ranks alone
	joined   bool                // it is given as NAME=VALUE, and again for each program after ":"
}

// Counts tells whether all messages inside a library's calls are counted.
func Counts(family string) bool { return find(family).counts }

// Compares tells whether the messages of two settings can be compared under ComparingEnv.
func Compares(family string) bool { return Counts(family) || find(family).apart != nil }

// CountingEnv returns the variables that make a library count the messages inside its calls, or nil: Open MPI 6.0.0rc2
// crashes under them, in any program.
func CountingEnv(r protocol.RankInfo) map[string]string {
	if tuning.LibraryOf(r.Library, r.LibVersion).Major >= 6 {
		return nil
	}
	return find(r.Library).counting
}

// ComparingEnv returns the variables under which the messages of two settings can be compared: CountingEnv, or what
// keeps MPICH from sending through memory, where nothing counts.
func ComparingEnv(r protocol.RankInfo) map[string]string {
	if apart := find(r.Library).apart; apart != nil {
		return apart
	}
	return CountingEnv(r)
}

// StartUp holds the seconds of an mpirun without its cases. It also has the seconds of a collective's
// step where ranks share cores: the estimate before the first mpirun.
type StartUp struct {
	Fixed, PerRank float64
	Choice         float64 // more, where the messaging layer is chosen again (mpi.keep_pml)
	SharedStep     float64
}

// A library that yields its core waits less for the others.
const (
	yieldingStep = 4e-6
	spinningStep = 6e-3
)

// libraries has a row for every family of MPI libraries that we can run.
var libraries = []library{{
	// Open MPI 5 starts processes with PRRTE: its mpirun calls prterun. Binding is
	// as before; --oversubscribe has become a word of --map-by (Open MPI 5
	// documentation, "Scheduling processes across hosts", Oversubscribing nodes).
	family: "openmpi", says: "Open MPI", pmi: "pmix",
	launchers: []launcher{{
		programs: []string{"mpirun.openmpi", "mpirun", "mpiexec"},
		says:     regexp.MustCompile(`\((Open MPI|OpenRTE)\) [1-4]\.`),
		words:    openMPI("--oversubscribe"),
		refuses:  refusesRoot,
		handsOn:  "-x", joined: true,
	}, {
		programs: []string{"mpirun.openmpi", "mpirun", "mpiexec", "prterun"},
		says:     regexp.MustCompile(`\(Open MPI\) ([5-9]|[1-9]\d)\.|\(PRRTE\)`),
		words:    openMPI("--map-by", ":OVERSUBSCRIBE"),
		refuses:  refusesRoot,
		handsOn:  "-x", joined: true,
	}},
	counts:   true,
	counting: map[string]string{"OMPI_MCA_pml_monitoring_enable": "1"},
	startUp:  StartUp{Fixed: 0.09, PerRank: 0.037, Choice: 0.2, SharedStep: yieldingStep},
	chooses:  map[string]string{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"},
}, {
	family: "mpich", says: "MPICH", pmi: "pmi2",
	launchers: []launcher{{
		programs: []string{"mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"},
		says:     regexp.MustCompile(`(?m)^HYDRA build details:`), // its process manager
		words:    hydra,
		handsOn:  "-genv",
	}},
	startUp: StartUp{Fixed: 0.08, PerRank: 0.045, SharedStep: spinningStep},
	apart:   map[string]string{"MPIR_CVAR_NOLOCAL": "1"},
	// Else MPICH would silently run another algorithm where the forced one cannot do the call.
	chooses: map[string]string{"MPIR_CVAR_COLLECTIVE_FALLBACK": "error"},
}}

// Open MPI refuses root, in 5 as in 4 (prrte: schizo_ompi.c, allow_run_as_root).
func refusesRoot() error {
	if os.Geteuid() != 0 || (os.Getenv("OMPI_ALLOW_RUN_AS_ROOT") == "1" && os.Getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1") {
		return nil
	}
	return errors.New("as root, Open MPI starts nothing unless told to: run pgmpi as another user, or, where nothing can be harmed (a container), set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 in the environment of pgmpi (mpi.env of gl.toml is not enough)")
}

func StartUpOf(family string) StartUp {
	return cmp.Or(find(family).startUp, StartUp{Fixed: 0.5, PerRank: 0.065, SharedStep: spinningStep})
}

// AlgorithmEnv returns the variables that let MPI_T choose the library's own algorithms.
func AlgorithmEnv(family string) map[string]string { return find(family).chooses }

// WithoutHan keeps Open MPI's component "han" from the collectives of several nodes, so that coll/tuned, whose
// algorithms can be forced, chooses.
func WithoutHan() map[string]string { return map[string]string{"OMPI_MCA_coll": "^han"} }

// ForceEnv chooses, before Open MPI starts, a value of one of its variables.
func ForceEnv(variable string, value int) map[string]string {
	return map[string]string{"OMPI_MCA_" + variable: strconv.Itoa(value)}
}

// Forces tells whether a variable forces an algorithm of a collective, in Open MPI or MPICH.
func Forces(variable, collective string) bool {
	name := strings.TrimPrefix(collective, "MPI_")
	return variable == "OMPI_MCA_coll_tuned_"+strings.ToLower(name)+"_algorithm" || variable == "MPIR_CVAR_"+strings.ToUpper(name)+"_INTRA_ALGORITHM"
}

// Family returns the family (as in RankInfo.Library) of the MPI library with this text of
// MPI_Get_library_version; "" if unknown.
func Family(version string) string {
	if l := lists.First(libraries, func(l library) bool { return strings.Contains(version, l.says) }); l != nil {
		return l.family
	}
	return ""
}

func find(family string) library {
	if l := lists.First(libraries, func(l library) bool { return l.family == family }); l != nil {
		return *l
	}
	return library{}
}
