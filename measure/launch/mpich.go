package launch

import "regexp"

var mpich = library{
	family: "mpich", says: "MPICH", pmi: "pmi2",
	launchers: []launcher{{
		programs: []string{"mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"},
		says:     hydra,
		words:    []string{"-np", "{np}", "-bind-to", "core"},
		shared:   []string{"-np", "{np}"},
	}},
	startUp: StartUp{PerRank: 0.045, SharedStep: spinningStep},
}

// hydra is MPICH's process manager, which libraries made from MPICH keep.
var hydra = regexp.MustCompile(`(?m)^HYDRA build details:`)
