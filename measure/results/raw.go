package results

import "pgmpi/guidelines"

// RawSchema names the format of a raw file.
const RawSchema = "pgmpi-raw/1"

// Header is the first line of a raw file.
type Header struct {
	Schema string           `json:"schema"`
	Mode   Mode             `json:"mode"`
	Shape  guidelines.Shape `json:"shape"`
	Run    int              `json:"run"`   // 1-based
	Seed   uint64           `json:"seed"`  // of the order in this mpirun
	Order  []int            `json:"order"` // indices into Cases, as measured
	Cases  []CaseInfo       `json:"cases"` // in Plan order
	Rank   RankInfo         `json:"rank"`  // what the rank program said of itself
	// Clock is the one that timed; nil in files of older versions, which knew
	// only monotonic. Clocks are all, in the first mpirun of a shape.
	Clock      *ClockInfo  `json:"clock,omitempty"`
	Clocks     []ClockInfo `json:"clocks,omitempty"`
	MemoryCap  int64       `json:"memory_cap"` // bytes
	WallNS     int64       `json:"wall_ns"`    // from exec of mpirun to its end record
	LaunchNS   int64       `json:"launch_ns"`  // of that, before rank 0 got the job
	MeasureNS  int64       `json:"measure_ns"` // inside rank 0, from the first case to the last
	TimedNS    int64       `json:"timed_ns"`   // of that, in untimed calls and in the timing loop
	FinishedAt string      `json:"finished_at"`
	Load       Load        `json:"load"`
	Timing     Timing      `json:"timing"`
}

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

// CaseInfo is a case of a raw file with what became of it.
type CaseInfo struct {
	Plan     int    `json:"plan"` // index into Plan.Cases
	Function string `json:"function"`
	Msize    int64  `json:"msize"`           // bytes
	Calls    int    `json:"calls,omitempty"` // calls in a row that one sample is; absent: one
	CaseResult
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

// Run is a whole raw file: samples[i] are those of Header.Cases[i], in the
// order of their repetitions.
type Run struct {
	Header
	Samples [][]Sample
}
