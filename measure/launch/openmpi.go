package launch

import (
	"errors"
	"os"
	"regexp"
)

// Open MPI 5 starts processes with PRRTE: its mpirun calls prterun. Binding is
// as before; --oversubscribe has become a word of --map-by (Open MPI 5
// documentation, "Scheduling processes across hosts", Oversubscribing nodes).
var openMPI = library{
	family: "openmpi", says: "Open MPI", pmi: "pmix",
	launchers: []launcher{{
		programs: []string{"mpirun.openmpi", "mpirun", "mpiexec"},
		says:     regexp.MustCompile(`\((Open MPI|OpenRTE)\) [1-4]\.`),
		words:    []string{"-np", "{np}", "--bind-to", "core"},
		shared:   []string{"-np", "{np}", "--oversubscribe", "--bind-to", "none"},
		refuses:  refusesRoot,
	}, {
		programs: []string{"mpirun.openmpi", "mpirun", "mpiexec", "prterun"},
		says:     regexp.MustCompile(`\(Open MPI\) ([5-9]|[1-9]\d)\.|\(PRRTE\)`),
		words:    []string{"-np", "{np}", "--bind-to", "core"},
		shared:   []string{"-np", "{np}", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"},
		refuses:  refusesRoot,
	}},
	startUp: StartUp{Fixed: 0.01, PerRank: 0.037, Choice: 0.2, SharedStep: yieldingStep},
}

// refusesRoot is Open MPI's rule, in 5 as in 4 (prrte: schizo_ompi.c,
// allow_run_as_root).
func refusesRoot() error {
	if os.Geteuid() != 0 || (os.Getenv("OMPI_ALLOW_RUN_AS_ROOT") == "1" && os.Getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1") {
		return nil
	}
	return errors.New("as root, Open MPI starts nothing unless told to: run pgmpi as another user, or, where nothing can be harmed (a container), set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 in the environment of pgmpi (mpi.env of gl.toml is not enough)")
}
