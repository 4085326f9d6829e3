package measure

func init() {
	launchers = append(launchers, launcher{
		families: []string{"mpich"},
		programs: []string{"mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"},
		says:     []string{"HYDRA"},
		argv: func(program string, np, cores int) []string {
			if np > cores {
				return []string{program, "-np", "{np}"}
			}
			return []string{program, "-np", "{np}", "-bind-to", "core"}
		},
	})
}
