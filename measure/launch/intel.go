package launch

import "regexp"

// Intel MPI pins by itself, a process to the cores that fall to it; with a
// domain of one core each it is like the other launchers' binding to cores
// (Developer Reference for Linux, "Interoperability with OpenMP API",
// I_MPI_PIN_DOMAIN). It starts more processes than cores without a word, and as
// root.
var intel = library{
	family: "intel", says: "Intel(R) MPI", pmi: "pmi2",
	launchers: []launcher{{
		programs: []string{"mpiexec.hydra", "mpirun", "mpiexec"},
		says:     regexp.MustCompile(`Intel\(R\) MPI Library`),
		words:    []string{"-np", "{np}", "-genv", "I_MPI_PIN_DOMAIN", "core"},
		shared:   []string{"-np", "{np}", "-genv", "I_MPI_PIN", "off"},
	}},
}
