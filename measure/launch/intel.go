package launch

import "regexp"

// Intel MPI pins by itself, a process to the cores that fall to it; with a
// domain of one core each it is like the other launchers' binding to cores
// (Developer Reference for Linux, "Interoperability with OpenMP API",
// I_MPI_PIN_DOMAIN). It starts more processes than cores without a word, and as
// root.
func init() {
	launchers = append(launchers, launcher{
		families: []string{"intel"},
		programs: []string{"mpiexec.hydra", "mpirun", "mpiexec"},
		says:     regexp.MustCompile(`Intel\(R\) MPI Library`),
		argv: func(program string, np, cores int) []string {
			if np > cores {
				return []string{program, "-np", "{np}", "-genv", "I_MPI_PIN", "off"}
			}
			return []string{program, "-np", "{np}", "-genv", "I_MPI_PIN_DOMAIN", "core"}
		},
	})
}
