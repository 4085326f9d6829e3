package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Status string

const (
	StatusOK          Status = "ok"
	StatusWrong       Status = "wrong"        // verification failed; Message says how
	StatusNotMeasured Status = "not_measured" // over the memory cap, p·count above an int, or too many temporaries
)

// Only some cases end like this: of the library's own algorithms, of mock-ups of the user's own, and of
// other ways to call a collective.
const (
	StatusUnavailable Status = "unavailable" // the library does not have it, or it gave an MPI error
	StatusHangs       Status = "hangs"       // it did not return; the driver says so
	StatusCrashes     Status = "crashes"     // it ended the mpirun; the driver says so
)

// NotTimed are the statuses of a case without samples, from the least on.
var NotTimed = []Status{StatusNotMeasured, StatusUnavailable, StatusHangs, StatusCrashes, StatusWrong}

type CaseResult struct {
	Case      int    `json:"case"` // index into Job.Cases; in a Raw header, into its Cases
	Status    Status `json:"status"`
	Message   string `json:"message,omitempty"`
	NRep      int    `json:"nrep"`
	Converged bool   `json:"converged,omitempty"` // of a prediction: it stopped before max and max_time
	Reason    string `json:"reason,omitempty"`    // of a prediction: why it did not converge
	// Invalid of the NRep samples have a flag; Late and Long count by flag. The
	// driver fills them in.
	Invalid  int       `json:"invalid,omitempty"`
	Late     int       `json:"late,omitempty"`
	Long     int       `json:"long,omitempty"`
	WindowNS int64     `json:"window_ns,omitempty"` // the last window; only with windows
	Provable *Bound    `json:"provable,omitempty"`
	Usage    *Usage    `json:"usage,omitempty"`    // of the NRep repetitions, or nil where older versions did not count
	Counting *Counting `json:"counting,omitempty"` // only where counters were read
	Messages *Messages `json:"messages,omitempty"` // only there where the job asks for them and the library counts them
	Answer   *Answer   `json:"answer,omitempty"`   // of the Work of the job; raw files have it under its name
}

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

// Messages counts what all ranks together sent in calls of a case, as the library counts it: the
// messages of its algorithm.
type Messages struct {
	Calls   int    `json:"calls"`
	Count   int64  `json:"count"`
	Bytes   int64  `json:"bytes"`
	Most    int64  `json:"most"`              // messages of the rank that sends the most
	Pattern string `json:"pattern,omitempty"` // the same for the same set of (from, to, bytes), in any order
}

func (m *Messages) Check() error {
	if m != nil && (m.Calls < 1 || min(m.Count, m.Bytes, m.Most) < 0) {
		return fmt.Errorf("%d messages of %d bytes in %d calls", m.Count, m.Bytes, m.Calls)
	}
	return nil
}

type Counter struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // how it is read
	Why  string `json:"why,omitempty"`  // why it is not read at some rank
}

// Counting tells what reading counters costs, ns. It has the median of the samples of a case, whose
// counters were read, and of N repetitions among them without.
type Counting struct {
	N         int     `json:"n"`
	WithNS    float64 `json:"with_ns"`
	WithoutNS float64 `json:"without_ns"`
}

func (c *Counting) Check() error {
	if c != nil && (c.N < 1 || !(c.WithNS > 0 && c.WithoutNS > 0)) {
		return fmt.Errorf("counters were read in %v ns, and not in %v", c.WithNS, c.WithoutNS)
	}
	return nil
}

// Usage holds the kernel's counts over the repetitions of a case, with their synchronisation. They are
// from the rank where it counted most (the lowest of them).
type Usage struct {
	Faults       int64 `json:"faults"` // page faults
	FaultsRank   int   `json:"faults_rank"`
	Switches     int64 `json:"switches"` // involuntary context switches
	SwitchesRank int   `json:"switches_rank"`
}

func (u *Usage) Check(np int) error {
	if u == nil {
		return nil
	}
	if min(u.Faults, u.Switches) < 0 || min(u.FaultsRank, u.SwitchesRank) < 0 || max(u.FaultsRank, u.SwitchesRank) >= np {
		return fmt.Errorf("%d ranks cannot have its page faults or switches: %+v", np, *u)
	}
	return nil
}

type Timing struct {
	// ThreadLevel is the level that the library provides, of ThreadLevels. It is empty in older
	// versions, which asked for "funneled".
	ThreadLevel string `json:"thread_level,omitempty"`
	Sync        string `json:"sync"`                  // of Syncs
	Why         string `json:"why,omitempty"`         // only where the rank program chose it (Auto)
	Sample      string `json:"sample"`                // of Samples
	Cache       string `json:"cache"`                 // of Caches
	CacheBytes  int64  `json:"cache_bytes,omitempty"` // what "cold" overwrites, and half of what "rotate" rotates through
	// Malloc is the state that held, of Mallocs, or MallocByEnv. It is empty where the C library has none that can be
	// set, and in older versions, in which a case had what the cases before it had left.
	Malloc string `json:"malloc,omitempty"`
	// ClockSyncs counts how often the clocks were synchronised, and is 0 where nothing needed a global
	// clock.
	ClockSyncs int `json:"clock_syncs"`
	// DriftNS is the most by which a global clock was off when it was synchronised again. MaxDriftNS is
	// its limit (measure.max_drift).
	DriftNS    int64 `json:"drift_ns,omitempty"`
	MaxDriftNS int64 `json:"max_drift_ns,omitempty"`
}

// Probes tells how fast the machine was at one moment, outside of every timed region. Each value is the
// slowest of all ranks' or pairs', or 0 if it was not read.
type Probes struct {
	AtS           float64 `json:"at_s"`                      // seconds since the mpirun began to measure
	LineNS        float64 `json:"line_ns,omitempty"`         // round trip of a cache line between two ranks of a node, ns
	MemcpyNS      float64 `json:"memcpy_ns,omitempty"`       // memcpy of 256 KiB, ns
	ReduceLocalNS float64 `json:"reduce_local_ns,omitempty"` // MPI_Reduce_local of 16 KiB of MPI_INT with MPI_SUM, ns
	PingPong8NS   float64 `json:"pingpong_8_ns,omitempty"`   // round trip of 8 B by MPI_Send and MPI_Recv, ns
	PingPong64KNS float64 `json:"pingpong_64k_ns,omitempty"` // the same of 64 KiB
}

// Load holds the one-minute load average, the highest of all nodes. It is read when the ranks of an
// mpirun have started and after its last case, and is -1 where it is not known.
type Load struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

const (
	FlagLate = 1 << iota // started late
	FlagLong             // took longer than the window
)

type Sample struct {
	NS    int64 // run-time in nanoseconds
	Flags int
}

// Valid returns the run-times of the samples without a flag, in nanoseconds.
func Valid(samples []Sample) []float64 {
	var ns []float64
	for _, s := range samples {
		if s.Flags == 0 {
			ns = append(ns, float64(s.NS))
		}
	}
	return ns
}

// ValidSeconds returns the same in seconds.
func ValidSeconds(samples []Sample) []float64 {
	seconds := Valid(samples)
	for i := range seconds {
		seconds[i] *= 1e-9
	}
	return seconds
}

// MaxSamples limits the samples of an mpirun: 4 GiB of memory.
const MaxSamples = 1 << 28

// MaxRawInt is the largest number that a raw file holds: 18 digits, in nanoseconds
// 31 years.
const MaxRawInt = 1e18 - 1

// ErrNoTime refuses a sample of 0 ns that is not late.
var ErrNoTime = errors.New("a call took 0 ns: the clock is too coarse for it")

// ParseSample reads "NS" or "NS:FLAGS". What a raw file cannot hold is an error:
// negative numbers, and more than 18 digits.
func ParseSample(t string) (Sample, error) {
	d, flags, flagged := strings.Cut(t, ":")
	ns, err := strconv.ParseInt(d, 10, 64)
	s := Sample{NS: ns}
	if err == nil && flagged {
		s.Flags, err = strconv.Atoi(flags)
	}
	if err != nil {
		return s, fmt.Errorf("bad sample %q", t)
	}
	if min(s.NS, int64(s.Flags)) < 0 || max(s.NS, int64(s.Flags)) > MaxRawInt {
		return s, fmt.Errorf("sample %q is no run-time: the clock has stepped, or standard output is damaged", t)
	}
	return s, nil
}
