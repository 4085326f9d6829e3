package launch

// MVAPICH comes with MPICH's hydra; mpirun_rsh, its own launcher, wants the hosts
// named. Its library binds processes itself unless told not to (MV2_ in
// MVAPICH2, MVP_ in MVAPICH 3), also where they share cores: hydra does it here.
var mvapich = library{
	family: "mvapich", says: "MVAPICH", pmi: "pmi2",
	launchers: []launcher{{
		programs: []string{"mpiexec.hydra", "mpirun", "mpiexec"},
		says:     hydra,
		words:    []string{"-np", "{np}", "-genv", "MV2_ENABLE_AFFINITY", "0", "-genv", "MVP_ENABLE_AFFINITY", "0", "-bind-to", "core"},
		shared:   []string{"-np", "{np}", "-genv", "MV2_ENABLE_AFFINITY", "0", "-genv", "MVP_ENABLE_AFFINITY", "0"},
	}},
}
