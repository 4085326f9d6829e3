package protocol

// Timing is how the repetitions of an mpirun were timed.
type Timing struct {
	Sync       string `json:"sync"`                  // of Syncs
	Why        string `json:"why,omitempty"`         // only where the rank program chose it (Auto)
	Sample     string `json:"sample"`                // of Samples
	Cache      string `json:"cache"`                 // of Caches
	CacheBytes int64  `json:"cache_bytes,omitempty"` // what "cold" overwrites, and half of what "rotate" rotates through
	// ClockSyncs counts how often the clocks were synchronised; 0: nothing
	// needed a global clock.
	ClockSyncs int `json:"clock_syncs"`
	// DriftNS is the most by which a global clock was off when it was
	// synchronised again, MaxDriftNS (measure.max_drift) what it was to stay below.
	DriftNS    int64 `json:"drift_ns,omitempty"`
	MaxDriftNS int64 `json:"max_drift_ns,omitempty"`
}

// Load is the one-minute load average, the highest of all nodes, when the
// ranks of an mpirun have started and after its last case. -1: not known.
type Load struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// RankInfo is what a rank program knows of itself and its clock.
type RankInfo struct {
	Program    string `json:"program"` // "pgmpi-rank"
	Version    string `json:"version"`
	Library    string `json:"library"` // family: "openmpi", "mpich", "intel", "mvapich"
	LibVersion string `json:"lib_version"`
	BuiltFor   string `json:"built_for"` // what the headers said at compile time
	MPICC      string `json:"mpicc"`     // the compiler wrapper it was built with
	Hash       string `json:"hash"`      // of the executable, first 16 hex digits of SHA-256
	Compiler   string `json:"compiler"`  // behind the wrapper, with its version; empty: not known
	Flags      string `json:"c_flags"`   // of the C parts, beyond those of the wrapper
	// ClockTickNS is the resolution of the clock that times, as measured in the mpirun.
	ClockTickNS int64  `json:"clock_tick_ns"`
	Host        string `json:"host"`
	MemAvail    int64  `json:"mem_available"` // bytes, on Host
}

// Flags of a sample.
const (
	FlagLate = 1 << iota // started late
	FlagLong             // took longer than the window
)

// Sample is one timed repetition.
type Sample struct {
	NS    int64 // run-time in nanoseconds
	Flags int
}

// ValidSeconds are the run-times of the samples without a flag, in seconds.
func ValidSeconds(samples []Sample) []float64 {
	var seconds []float64
	for _, s := range samples {
		if s.Flags == 0 {
			seconds = append(seconds, float64(s.NS)*1e-9)
		}
	}
	return seconds
}

// MaxRawInt is the largest number that a raw file holds: 31 years in
// nanoseconds.
const MaxRawInt = 1e18 - 1
