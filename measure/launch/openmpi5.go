package launch

import "regexp"

// Open MPI 5 starts processes with PRRTE: its mpirun calls prterun. Binding is
// as before; --oversubscribe has become a word of --map-by (Open MPI 5
// documentation, "Scheduling processes across hosts", Oversubscribing nodes).
func init() {
	launchers = append(launchers, launcher{
		families: []string{"openmpi"},
		programs: []string{"mpirun.openmpi", "mpirun", "mpiexec", "prterun"},
		says:     regexp.MustCompile(`\(Open MPI\) ([5-9]|[1-9]\d)\.|\(PRRTE\)`),
		argv: func(program string, np, cores int) []string {
			if np > cores {
				return []string{program, "-np", "{np}", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"}
			}
			return []string{program, "-np", "{np}", "--bind-to", "core"}
		},
		refuses: refusesRoot,
	})
}
