// Package remark holds what limits a result: values that travel with it to whoever reads it, each with what to do
// about it. It imports nothing of pgmpi.
package remark

import (
	"fmt"
	"slices"
)

// ID names a kind of remark; it never changes, so that programs can look for it.
type ID string

// Remark tells the reader of a result what limits it.
type Remark struct {
	ID     ID     `json:"id"`
	Place  string `json:"place,omitempty"` // a shape, a case, a factor; empty for the whole result
	Text   string `json:"text"`            // what was found
	Remedy string `json:"remedy"`          // what to do about it
	Docs   string `json:"docs"`            // where it is explained, from the root of the repository
}

func New(id ID, place, format string, args ...any) Remark {
	k := kinds[id]
	return Remark{ID: id, Place: place, Text: fmt.Sprintf(format, args...), Remedy: k.remedy, Docs: k.docs}
}

// Doubts about a check's data. Each id is a heading in docs/statistics.md.
const (
	PaperMethod         ID = "paper-method"
	NormalApproximation ID = "normal-approximation"
	SettingIgnored      ID = "setting-ignored"
	Repeated            ID = "repeated"
	Joined              ID = "joined"
	ZeroIQR             ID = "iqr-zero"
	OutOfSync           ID = "out-of-sync"
	PageFaults          ID = "page-faults"
	MachineStates       ID = "machine-states"
	SlowMpirun          ID = "slow-mpirun"
	NeighboursAlike     ID = "neighbours-alike"
	NotPaired           ID = "not-paired"
	SpreadsDiffer       ID = "spreads-differ"
	Drift               ID = "drift"
	DependentSamples    ID = "dependent-samples"
	NotConverged        ID = "nrep-not-converged"
	BlindLook           ID = "blind-look"
	Incomplete          ID = "incomplete"
	SeenOnce            ID = "seen-once"
	OtherJob            ID = "other-job"
)

// Doubts about where the ranks ran (docs/cluster.md).
const (
	Governor         ID = "governor"
	Turbo            ID = "turbo"
	SMTSiblings      ID = "smt-siblings"
	SharedCore       ID = "shared-core"
	Unpinned         ID = "unpinned"
	Oversubscribed   ID = "oversubscribed"
	TSCNotInvariant  ID = "tsc-not-invariant"
	Clocksource      ID = "clocksource"
	OthersBusy       ID = "others-busy"
	NodesDiffer      ID = "nodes-differ"
	EnvDiffers       ID = "env-differs"
	CPULimit         ID = "cpu-limit"
	MemoryLow        ID = "memory-low"
	LibrarySettings  ID = "library-settings"
	PlacementChanged ID = "placement-changed"
	Misplaced        ID = "misplaced"
	NodesUnused      ID = "nodes-unused"
	UnseenNodes      ID = "unseen-nodes"
)

// Doubts about a comparison of results folders (docs/how-to-compare.md). Differs is followed by the name of a
// factor.
const (
	Differs           = "differs-"
	DiffersCases   ID = "differs-cases"
	LibraryBarrier ID = "library-barrier"
	Undecided      ID = "guidelines-undecided"
	NewlyShown     ID = "newly-shown"
	NoLongerShown  ID = "no-longer-shown"
	MachineShift   ID = "machine-shift"
)

const (
	inStatistics = "docs/statistics.md#"
	onRanks      = "docs/cluster.md#what-the-ranks-run-on"
	// Comparing points to where the remarks on comparisons are explained.
	Comparing = inStatistics + "comparing-two-folders"
	pinning   = "one core for each rank: mpirun --bind-to core (Open MPI), -bind-to core (MPICH), srun --cpu-bind=cores"
)

// AboutMpiruns tells whether a remark is about the mpiruns rather than about how they were judged.
func (id ID) AboutMpiruns() bool {
	return slices.Contains([]ID{Repeated, Joined, OutOfSync, MachineStates, SlowMpirun, NeighboursAlike, Drift}, id)
}

type kind struct{ remedy, docs string }

// kinds is the one table of remedies, and of the places that explain each remark.
var kinds = map[ID]kind{
	PaperMethod:         {"use method default, which avoids them", inStatistics + "paper-method"},
	NormalApproximation: {"none needed: the approximation is good at this R", inStatistics + "normal-approximation"},
	SettingIgnored:      {"mend it where it is set, or leave it out: what was measured is the library without it", inStatistics + "setting-ignored"},
	Repeated:            {"if it happens again, look at the rank program's last words in manifest.json", inStatistics + "repeated"},
	Joined:              {"nothing if they are few; else a longer time limit of the batch job, or fewer sizes (--msizes)", inStatistics + "joined"},
	ZeroIQR:             {"trust no difference below two clock steps; message sizes that take longer do not have this", inStatistics + "iqr-zero"},
	OutOfSync: {"where they took too long, a longer measure.window or sync = \"round_time\"; where they started late, cores of their own, or a barrier (measure.sync)",
		inStatistics + "out-of-sync"},
	PageFaults: {"if a violation is among them, let the C library keep the memory that is freed: MALLOC_TRIM_THRESHOLD_=1000000000 and MALLOC_MMAP_THRESHOLD_=33554432 in the environment of the ranks; `pgmpi ab` tells whether it helps, with these in [mpi.env] of one side",
		inStatistics + "page-faults"},
	MachineStates: {"keep the machine in one state (whole nodes, a core of its own for each rank, no other virtual machine), or more mpiruns (--mpiruns), so that every state has enough of them",
		inStatistics + "machine-states"},
	NeighboursAlike: {"more mpiruns, over a longer time (--mpiruns)", inStatistics + "neighbours-alike"},
	NotPaired:       {"that many mpiruns (--mpiruns), or what pgmpi chooses by itself (without --mpiruns)", inStatistics + "not-paired"},
	SpreadsDiffer:   {"more mpiruns (--mpiruns), with test = \"auto\"", inStatistics + "spreads-differ"},
	SlowMpirun:      {"more mpiruns (--mpiruns), or measure again when nothing else uses the machine", inStatistics + "slow-mpirun"},
	Drift: {"measure.clock_sync = \"hca3+shared\", which follows drift; a core for each process; or a larger measure.max_drift where the calls take long",
		inStatistics + "drift"},
	DependentSamples: {"more mpiruns (--mpiruns) make a verdict surer; more repetitions of the same mpirun hardly do", inStatistics + "dependent-samples"},
	NotConverged:     {"raise nrep.max or nrep.max_time", inStatistics + "nrep-not-converged"},
	BlindLook:        {"a later look, or a larger weight for it", inStatistics + "blind-look"},
	Incomplete: {"`pgmpi check --resume` measures the mpiruns that are missing; samples out of sync need what out-of-sync says",
		inStatistics + "incomplete"},

	SeenOnce: {"eight mpiruns or more, with their samples or medians", inStatistics + "seen-once"},
	OtherJob: {"compare ratios within a job; run-times of two jobs only where several jobs of each show how they differ", inStatistics + "other-job"},

	Governor: {"as root: cpupower frequency-set -g performance; in a batch system: srun --cpu-freq=performance", onRanks},
	Turbo:    {"as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost", onRanks},
	SMTSiblings: {"one rank for each core: mpirun --bind-to core --map-by core (Open MPI), -bind-to core (MPICH), srun --hint=nomultithread",
		onRanks},
	SharedCore:      {pinning, onRanks},
	Unpinned:        {pinning, onRanks},
	Oversubscribed:  {"fewer processes (--np), or more nodes; that it shares cores is in the nature of such a measurement", onRanks},
	TSCNotInvariant: {"do not use it as clock: measure.clock = \"monotonic\"", onRanks},
	Clocksource:     {"dmesg says why the TSC is not used; short calls cannot be told apart on such a host", onRanks},
	OthersBusy:      {"end them, or take the node for yourself (srun --exclusive)", onRanks},
	NodesDiffer:     {"take nodes of one kind (srun --constraint), with the same installation", onRanks},
	EnvDiffers:      {"start all ranks in the same way", onRanks},
	CPULimit:        {"a container or job with a higher limit (docker --cpus), or fewer processes (--np)", onRanks},
	MemoryLow:       {"end what takes it; the largest sizes may not be measured, or may be slowed by paging", onRanks},
	LibrarySettings: {"nothing, if that is what you want to measure; else unset them, or see [mpi] env", onRanks},
	DiffersCases:    {"measure them with the same gl.toml", Comparing},
	LibraryBarrier:  {"measure both with sync = \"dissemination\", or \"round_time\"", Comparing},
	Undecided:       {"more mpiruns in both (--mpiruns)", Comparing},
	NewlyShown:      {"whether anything has changed needs more mpiruns", Comparing},
	NoLongerShown:   {"whether they are kept now needs more mpiruns", Comparing},
	MachineShift: {"measure both alternately, with `pgmpi ab`; --fail-on times has the run-times count all the same",
		Comparing},

	Misplaced:   {"--launch with words that place them; none of --launch for the library's own", onRanks},
	UnseenNodes: {"another build of the library, or a launcher that tells it the nodes: times are as of ranks on several hosts", onRanks},
	NodesUnused: {"nothing, if that is what you want to measure; else more processes (--np), or their shape (--shape)", onRanks},

	PlacementChanged: {"measure again into a new folder (--out); factors.layouts of manifest.json has both", onRanks},
}
