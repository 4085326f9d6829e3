package protocol

type Hello struct {
	Protocol int      `json:"protocol"`
	NP       int      `json:"np"` // size of MPI_COMM_WORLD
	Rank     RankInfo `json:"rank"`
	Shared   []string `json:"shared,omitempty"` // files in /dev/shm that rank 0 has
	PML      string   `json:"pml,omitempty"`    // Open MPI's point-to-point messaging layer
}

const ProtocolVersion = 8

// RankInfo describes a rank program and its clock.
type RankInfo struct {
	Program     string `json:"program"` // "pgmpi-rank"
	Version     string `json:"version"`
	Library     string `json:"library"` // family: "openmpi", "mpich"; of others it is only a name
	LibVersion  string `json:"lib_version"`
	BuiltFor    string `json:"built_for"`     // what the headers said at compile time
	MPICC       string `json:"mpicc"`         // the compiler wrapper it was built with
	Hash        string `json:"hash"`          // of the executable, first 16 hex digits of SHA-256
	Compiler    string `json:"compiler"`      // that the wrapper calls, with its version, or empty if not known
	Flags       string `json:"c_flags"`       // of the C parts, beyond what the wrapper adds
	ClockTickNS int64  `json:"clock_tick_ns"` // the resolution of the clock that times, as measured in the mpirun
	Host        string `json:"host"`
}
