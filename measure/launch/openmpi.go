package launch

import (
	"errors"
	"os"
	"regexp"
)

func init() {
	launchers = append(launchers, launcher{
		families: []string{"openmpi"},
		programs: []string{"mpirun.openmpi", "mpirun", "mpiexec"},
		says:     regexp.MustCompile(`\((Open MPI|OpenRTE)\) [1-4]\.`),
		argv: func(program string, np, cores int) []string {
			if np > cores {
				return []string{program, "-np", "{np}", "--oversubscribe", "--bind-to", "none"}
			}
			return []string{program, "-np", "{np}", "--bind-to", "core"}
		},
		refuses: refusesRoot,
	})
}

// refusesRoot is Open MPI's rule, in 5 as in 4 (prrte: schizo_ompi.c,
// allow_run_as_root).
func refusesRoot() error {
	if os.Geteuid() != 0 || (os.Getenv("OMPI_ALLOW_RUN_AS_ROOT") == "1" && os.Getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1") {
		return nil
	}
	return errors.New("as root, Open MPI starts nothing unless told to: run pgmpi as another user, or, where nothing can be harmed (a container), set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 in the environment of pgmpi (mpi.env of gl.toml is not enough)")
}
