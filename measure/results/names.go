package results

// The names of what the rank program has in C, as gl.toml spells them. A new
// one is one file in measure/rank and one line here.
var (
	// Syncs synchronise the ranks before a repetition.
	Syncs = []string{
		"barrier", // MPI_Barrier
	}
	// Clocks time a repetition.
	Clocks = []string{
		"monotonic", // clock_gettime(CLOCK_MONOTONIC)
	}
	// ClockSyncs make a global clock of the ranks' own.
	ClockSyncs = []string{
		"shared", // all ranks read the same clock: nothing to do
	}
)
