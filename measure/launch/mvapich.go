package launch

// MVAPICH comes with MPICH's hydra; mpirun_rsh, its own launcher, wants the hosts
// named. Its library binds processes itself unless told not to (MV2_ in
// MVAPICH2, MVP_ in MVAPICH 3), also where they share cores: hydra does it here.
func init() {
	own := []string{"-genv", "MV2_ENABLE_AFFINITY", "0", "-genv", "MVP_ENABLE_AFFINITY", "0"}
	launchers = append(launchers, launcher{
		families: []string{"mvapich"},
		programs: []string{"mpiexec.hydra", "mpirun", "mpiexec"},
		says:     hydra,
		argv: func(program string, np, cores int) []string {
			argv := append([]string{program, "-np", "{np}"}, own...)
			if np > cores {
				return argv
			}
			return append(argv, "-bind-to", "core")
		},
	})
}
