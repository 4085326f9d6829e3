package measure

import (
	"errors"
	"os"
)

func init() {
	launchers = append(launchers, launcher{
		families: []string{"openmpi"},
		programs: []string{"mpirun.openmpi", "mpirun", "mpiexec"},
		says:     []string{"(Open MPI)", "(OpenRTE)", "prterun"},
		argv: func(program string, np, cores int) []string {
			if np > cores {
				return []string{program, "-np", "{np}", "--oversubscribe", "--bind-to", "none"}
			}
			return []string{program, "-np", "{np}", "--bind-to", "core"}
		},
		refuses: func() error {
			if os.Geteuid() != 0 || (os.Getenv("OMPI_ALLOW_RUN_AS_ROOT") == "1" && os.Getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1") {
				return nil
			}
			return errors.New("as root, Open MPI starts nothing unless told to: run pgmpi as another user, or, where nothing can be harmed (a container), set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		},
	})
}
