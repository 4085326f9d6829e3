package launch

import "regexp"

func init() {
	launchers = append(launchers, launcher{
		families: []string{"mpich"},
		programs: []string{"mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"},
		says:     hydra,
		argv: func(program string, np, cores int) []string {
			if np > cores {
				return []string{program, "-np", "{np}"}
			}
			return []string{program, "-np", "{np}", "-bind-to", "core"}
		},
	})
}

// hydra is MPICH's process manager, which libraries made from MPICH keep.
var hydra = regexp.MustCompile(`(?m)^HYDRA build details:`)
