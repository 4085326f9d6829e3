package protocol

import "encoding/json"

// Mode says which stage an mpirun belongs to.
type Mode string

// An mpirun predicts nrep (stage 1), measures (stage 2), or follows up what the
// medians of stage 2 suggest of split-robustness.
const (
	ModeNREP    Mode = "nrep"
	ModeMeasure Mode = "run"
	ModeSplit   Mode = "split"
	ModeClocks  Mode = "clocks" // examines clocks; no case is measured
	ModeEnv     Mode = "env"    // only says where the ranks run
)

// Job is what one mpirun is asked to do. It travels to rank 0 as JSON over the
// line protocol (docs/protocol.md).
type Job struct {
	Mode      Mode      `json:"mode"`
	NP        int       `json:"np"`  // processes that must take part
	PPN       int       `json:"ppn"` // most processes on one node, for the memory cap
	Cases     []JobCase `json:"cases"`
	Order     []int     `json:"order"` // indices into Cases, as they are to be measured
	Datatype  string    `json:"datatype"`
	Op        string    `json:"op"`
	Root      int       `json:"root"`
	Verify    bool      `json:"verify"` // verify every case before it is timed
	Sync      string    `json:"sync"`
	Sample    string    `json:"sample"` // what a sample is: of Samples, or Auto
	Clock     string    `json:"clock"`
	ClockSync string    `json:"clock_sync"` // how the ranks' clocks become a global one
	// FirstCalls and Warmup count untimed calls: of a function before its
	// first case, and before each case.
	FirstCalls int `json:"first_calls"`
	Warmup     int `json:"warmup"`
	// WarmupNS is how long the calls of Warmup may take together, but for two of
	// them, in nanoseconds; 0: as long as they want.
	WarmupNS int64 `json:"warmup_ns,omitempty"`
	// WindowNS is the length of a window (sync "window"), SliceNS the time that
	// a case may take (sync "round_time"), MaxDriftNS the error of the global
	// clocks before which they are synchronised again.
	WindowNS   int64  `json:"window_ns"`
	SliceNS    int64  `json:"slice_ns"`
	MaxDriftNS int64  `json:"max_drift_ns"`
	Cache      string `json:"cache"`
	Provable   bool   `json:"provable"` // bound every case as Bound says
	// MemoryCap is the most a rank's buffers and temporaries may take, in
	// bytes. 0: this mpirun decides it from TempMemory and the free memory.
	MemoryCap  int64           `json:"memory_cap"`
	TempMemory int64           `json:"temp_memory"`      // bytes
	StallNS    int64           `json:"stall_ns"`         // a rank that finishes no case for this long ends the mpirun
	NREP       json.RawMessage `json:"nrep,omitempty"`   // an nrep.Config; only with ModeNREP
	Layout     bool            `json:"layout,omitempty"` // say where the ranks run, before the first case
	Clocks     *ClocksJob      `json:"clocks,omitempty"` // only with ModeClocks
}

// JobCase is one case of a job.
type JobCase struct {
	Function string `json:"function"`
	Msize    int64  `json:"msize"`          // bytes
	NRep     int    `json:"nrep,omitempty"` // timed repetitions; with ModeNREP the predictor decides
	// Calls is how many calls in a row one repetition is; 0 and 1: one.
	Calls int `json:"calls,omitempty"`
	// Skip is why the case is not measured: StatusWrong or StatusNotMeasured
	// from an earlier mpirun; empty: it is.
	Skip Status `json:"skip,omitempty"`
}

// Status is what became of a case in an mpirun.
type Status string

// The statuses.
const (
	StatusOK          Status = "ok"
	StatusWrong       Status = "wrong"        // verification failed; Message says how
	StatusNotMeasured Status = "not_measured" // over the memory cap, p·count above an int, or more temporaries than its row has
)

// CaseResult is what became of one case in one mpirun.
type CaseResult struct {
	Case      int    `json:"case"` // index into Job.Cases; in a Raw header, into its Cases
	Status    Status `json:"status"`
	Message   string `json:"message,omitempty"`
	NRep      int    `json:"nrep"`
	Converged bool   `json:"converged,omitempty"` // ModeNREP: the predictor stopped before max and max_time
	Reason    string `json:"reason,omitempty"`    // ModeNREP: why it did not converge
	// Invalid of the NRep samples have a flag; Late and Long count by flag. The
	// driver fills them in.
	Invalid  int    `json:"invalid,omitempty"`
	Late     int    `json:"late,omitempty"`
	Long     int    `json:"long,omitempty"`
	WindowNS int64  `json:"window_ns,omitempty"` // the last window; only with windows
	Provable *Bound `json:"provable,omitempty"`
}

// Count sets Invalid, Late and Long by the flags of the case's samples.
func (c *CaseResult) Count(samples []Sample) {
	c.Invalid, c.Late, c.Long = 0, 0, 0
	for _, s := range samples {
		if s.Flags != 0 {
			c.Invalid++
		}
		if s.Flags&FlagLate != 0 {
			c.Late++
		}
		if s.Flags&FlagLong != 0 {
			c.Long++
		}
	}
}

// Bound holds upper bounds of a case's run-time that need no common clock
// (S-MCCALPIN): each is the least over the ranks of the time from before a
// barrier to after another, with the call in between. They were measured after
// the samples and include both barriers.
type Bound struct {
	N        int   `json:"n"`
	MedianNS int64 `json:"median_ns"` // the lower one of two
	MinNS    int64 `json:"min_ns"`
}
