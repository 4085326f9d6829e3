package protocol

// Auto leaves a choice open. The rank program chooses a synchronisation by the ranks' placement; the
// synchronisation decides what a sample is.
const Auto = "auto"

// The names that Go code tells apart.
const (
	SyncBarrier       = "barrier"
	SyncDissemination = "dissemination"
	SyncRoundTime     = "round_time"
	CacheWarm         = "warm"
	MallocFresh       = "fresh"
	MallocSettled     = "settled"
	MallocDefault     = "default"
	MallocByEnv       = "environment" // its variables set malloc
	SampleLocal       = "local"
	SampleGlobal      = "global"
	ClockMonotonic    = "monotonic"
	ClockRDTSCP       = "rdtscp"
	ClockSyncShared   = "shared"
	ThreadSingle      = "single"
)

// PrefixMPIT stands before the name of a performance variable of MPI_T among counters. PrefixRaw stands
// before the number of an event of this processor, in hexadecimal.
const (
	PrefixMPIT = "mpi_t:"
	PrefixRaw  = "raw:"
)

// CounterMessages and CounterBytes count what the library sends; not every library tells.
const (
	CounterMessages = "messages"
	CounterBytes    = "sent-bytes"
)

const MaxCounters = 16

// These tables name parts of the rank program in C, as gl.toml spells them. A new one is one file in
// measure/rank/native and one line here; a test of measure/rank names what is on one side only.
var (
	// ThreadLevels has MPI's levels, from the least on; ThreadSingle is MPI_Init.
	ThreadLevels = []string{ThreadSingle, "funneled", "serialized", "multiple"}
	// Syncs synchronise the ranks before a repetition.
	Syncs = []string{
		SyncBarrier,       // MPI_Barrier
		"double_barrier",  // two in a row
		SyncDissemination, // our own barrier, the same with every library
		"window",          // fixed windows on the global clock
		"window_auto",     // windows that adjust themselves
		SyncRoundTime,     // a start stamp for every repetition, within a time slice
	}
	// Counters count events of the thread that calls MPI, and what the library sends. The kernel and
	// the processor count the events.
	Counters = []string{
		"page-faults", "context-switches", "cpu-migrations",
		"cycles", "instructions", "cache-references", "cache-misses", "branch-misses", "dTLB-load-misses",
		"L1-dcache-load-misses", "L1-icache-load-misses", CounterMessages, CounterBytes,
	}
	// Caches are the ways to treat the caches before a repetition.
	Caches = []string{
		CacheWarm, // nothing
		"cold",    // as much memory as the cache holds is overwritten
		"rotate",  // the buffers are elsewhere in every repetition
	}
	// Mallocs are the states of the C library's malloc.
	Mallocs = []string{
		MallocFresh,   // with the limits of a new process, whatever was freed
		MallocSettled, // it keeps memory that is freed, as glibc does after large blocks
		MallocDefault, // glibc moves its limits by what the calls free, as in programs
	}
	// Samples are the definitions of a repetition's run-time.
	Samples = []string{
		SampleLocal,  // the longest duration of any rank by its own clock
		SampleGlobal, // from the earliest start to the latest end, by the global clock
	}
	// Clocks time a repetition.
	Clocks = []string{
		ClockMonotonic,  // clock_gettime(CLOCK_MONOTONIC)
		"monotonic_raw", // clock_gettime(CLOCK_MONOTONIC_RAW)
		"wtime",         // MPI_Wtime
		ClockRDTSCP,     // the time-stamp counter, where it is invariant
	}
	// ClockSyncs make a global clock of the ranks' own.
	ClockSyncs = []string{
		ClockSyncShared, // all ranks read the same clock: verified, then nothing to do
		"skampi",        // offsets, one rank after the other
		"netgauge",      // offsets, in a tree
		"jk",            // linear models, one rank after the other
		"hca",           // linear models in a tree, offsets one rank after the other
		"hca2",          // linear models and offsets in a tree
		"hca3",          // the same from the root down, against clocks that are global already
		// Between hosts as above, among the ranks of a host "shared".
		"skampi+shared", "netgauge+shared", "jk+shared", "hca+shared", "hca2+shared", "hca3+shared",
	}
)
