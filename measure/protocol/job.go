package protocol

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"pgmpi/nrep"
)

type Mode string

const (
	ModeNREP    Mode = "nrep"    // stage 1: predict how many repetitions a case needs
	ModeMeasure Mode = "run"     // stage 2: measure
	ModeSplit   Mode = "split"   // follow up violations of split-robustness that stage 2 suspects
	ModeConfirm Mode = "confirm" // measure again what would make a night red
	// ModeAlternate measures what is violated again, both sides alternating call by call.
	ModeAlternate Mode = "alternate"
	// ModeMalloc measures what is violated with page faults again, in the other state of malloc.
	ModeMalloc   Mode = "malloc"
	ModeTextbook Mode = "textbook" // test the textbook algorithms that seem to be faster
	ModeFewer    Mode = "fewer"    // likewise the calls on fewer processes
	ModeExplore  Mode = "explore"  // test what the library's own algorithms gain
	// ModeMessages counts what the library sends inside of its calls; nothing is timed.
	ModeMessages Mode = "messages"
)

// modes are the modes of the core. Any other has the name of its Work.
var modes = []Mode{ModeNREP, ModeMeasure, ModeSplit, ModeConfirm, ModeAlternate, ModeMalloc, ModeTextbook, ModeFewer, ModeExplore, ModeMessages}

// FollowUps are the modes whose mpiruns measure again what stage 2 has found.
var FollowUps = []Mode{ModeSplit, ModeTextbook, ModeFewer, ModeAlternate, ModeMalloc, ModeConfirm, ModeExplore}

func (m Mode) FollowsUp() bool { return slices.Contains(FollowUps, m) }

// OfWork tells whether raw files of a mode have answers of a Work.
func (m Mode) OfWork() bool { return !slices.Contains(modes, m) }

// Job asks one mpirun for one kind of work. Without any, the ranks only say where they run. It travels
// to rank 0 as JSON over the line protocol (docs/dev/protocol.md).
type Job struct {
	NP      int    `json:"np"`               // processes that must take part
	Place   string `json:"place,omitempty"`  // where they must be, as host.Place writes it, or "" for anywhere
	Nodes   int    `json:"nodes,omitempty"`  // of the shape, as the library must see them too, or 0 for any number
	StallNS int64  `json:"stall_ns"`         // a rank that finishes nothing for this long ends the mpirun
	Layout  bool   `json:"layout,omitempty"` // say first where the ranks run, and at the end the library's settings
	// Asked are variables of the environment that the launcher has not set for its own use; for Layout.
	Asked []string `json:"asked,omitempty"`

	*CallsJob `json:"calls,omitempty"`
	// Riders are measured after CallsJob, one after the other in the same processes. Each has an output of
	// its own, with its end record.
	Riders []*CallsJob `json:"riders,omitempty"`
	Clocks *ClocksJob  `json:"clocks,omitempty"`
	// Work says what to do with each case of CallsJob, or what to do without cases.
	Work *Asked `json:"work,omitempty"`
}

// CallsJob calls cases. Exactly one of its last three fields, or Work of its Job, says why.
type CallsJob struct {
	Mode  Mode      `json:"mode"` // names the mpirun; ranks do not look at it
	Cases []JobCase `json:"cases"`
	// Order has indices into Cases, as they are to be visited. A case that is there
	// several times makes its repetitions in as many parts, as equal as can be.
	Order []int `json:"order"`
	// Rounds are the indices into Order at which a round begins, but for the first. Results of finished
	// rounds may be sent before the end.
	Rounds []int `json:"rounds,omitempty"`
	// SendNS is the least time between sending finished results before the end, in nanoseconds. It is 0
	// to send none.
	SendNS  int64     `json:"send_ns,omitempty"`
	Mockups []Mockups `json:"mockups,omitempty"` // shared libraries with mock-ups of the user's own that the ranks load
	// Announce has rank 0 name each first call that may end the mpirun. AnnounceAll has it name every
	// visit of such a case.
	Announce    bool   `json:"announce,omitempty"`
	AnnounceAll bool   `json:"announce_all,omitempty"`
	Datatype    string `json:"datatype"`
	Op          string `json:"op"`
	Root        int    `json:"root"`
	Seed        uint64 `json:"seed,omitempty"` // of counts that are drawn
	Verify      bool   `json:"verify"`         // verify every case before it is timed
	Sync        string `json:"sync"`
	Sample      string `json:"sample"` // what a sample is: of Samples, or Auto
	Clock       string `json:"clock"`
	ClockSync   string `json:"clock_sync"` // how the ranks' clocks become a global one
	// FirstCalls and Warmup count untimed calls: of a function before its
	// first case, and before each case.
	FirstCalls int `json:"first_calls"`
	Warmup     int `json:"warmup"`
	// Fresh times the first calls of a function that the mpirun makes: it is neither called nor
	// verified before them, only after them.
	Fresh bool `json:"fresh,omitempty"`
	// WarmupNS limits the time of all calls of Warmup together, in nanoseconds; 0 means no limit. Two
	// of them are always made.
	WarmupNS int64 `json:"warmup_ns,omitempty"`
	// WindowNS is the length of a window (sync "window"). SliceNS limits the time of a case (sync
	// "round_time"), and MaxDriftNS the error of the global clocks before they are synchronised again.
	WindowNS   int64  `json:"window_ns"`
	SliceNS    int64  `json:"slice_ns"`
	MaxDriftNS int64  `json:"max_drift_ns"`
	Cache      string `json:"cache"`
	Malloc     string `json:"malloc,omitempty"` // of Mallocs
	// MemoryCap limits a rank's buffers and temporaries, in bytes. If it is 0, this mpirun decides it
	// from TempMemory and the free memory.
	MemoryCap  int64 `json:"memory_cap"`
	TempMemory int64 `json:"temp_memory"` // bytes

	Measure  *MeasureJob  `json:"measure,omitempty"`
	Predict  *PredictJob  `json:"predict,omitempty"`
	Messages *MessagesJob `json:"messages,omitempty"`
}

type MeasureJob struct {
	PerRank  bool     `json:"per_rank,omitempty"` // send the local durations of every rank
	Counters []string `json:"counters,omitempty"` // read around each repetition, of Counters or with PrefixMPIT
	Provable bool     `json:"provable,omitempty"` // bound every case as Bound says
	// PairNS is the time after which a pair of cases that take turns makes no more repetitions, in nanoseconds. Some are
	// made in any case.
	PairNS int64 `json:"pair_ns,omitempty"`
}

// PairBatch counts the calls of each side of a pair after which the ranks look at the time.
const PairBatch = 10

type PredictJob struct {
	NREP nrep.Config `json:"nrep"`
	// Times counts the visits of Order to a case, or is 0 for one. Each visit makes a prediction of its
	// own; the largest counts.
	Times int `json:"times,omitempty"`
}

type MessagesJob struct {
	Calls int `json:"calls,omitempty"` // of a case; 10 if 0: a library may do more in one of them
}

func (j *Job) check() error {
	kinds := present(j.CallsJob != nil, j.CallsJob == nil && j.Work != nil, j.Clocks != nil)
	if c := j.CallsJob; c != nil && present(c.Measure != nil, c.Predict != nil, c.Messages != nil, j.Work != nil) != 1 || kinds > 1 {
		return errors.New("it must ask for one kind of work")
	}
	for _, c := range j.Riders {
		if j.CallsJob == nil || c == nil || c.Measure == nil || c.Predict != nil || c.Messages != nil {
			return errors.New("riders must come after calls, and be measured")
		}
	}
	return nil
}

// Each returns the job without its riders, and each rider as a job.
func (j *Job) Each() []*Job {
	first := *j
	first.Riders = nil
	out := []*Job{&first}
	for _, c := range j.Riders {
		out = append(out, &Job{NP: j.NP, Place: j.Place, Nodes: j.Nodes, StallNS: j.StallNS, CallsJob: c})
	}
	return out
}

func present(of ...bool) (n int) {
	for _, is := range of {
		if is {
			n++
		}
	}
	return n
}

// Mockups is a shared library with mock-ups of the user's own.
type Mockups struct {
	File string   `json:"file"`          // absolute, at every rank
	IDs  []string `json:"ids,omitempty"` // of the rows that are wanted
	// Hash is the first 16 hex digits of the file's SHA-256. In a job: the hash that it
	// must have, or empty for any.
	Hash string `json:"hash,omitempty"`
}

// MockupFault begins a rank's error about a Mockups.
const MockupFault = "[[mockup]]"

type JobCase struct {
	Function string `json:"function"`
	Msize    int64  `json:"msize"`              // bytes
	NRep     int    `json:"nrep,omitempty"`     // timed repetitions; where the job predicts, the predictor decides
	Calls    int    `json:"calls,omitempty"`    // calls in a row that make one repetition; 0 counts as 1
	Elements string `json:"elements,omitempty"` // datatype, operator and root, "int/max:root=1", where not the job's
	// Turns has a case take turns, call by call, with the one before it in the list, whose visit does both. Both make
	// as many repetitions.
	Turns bool `json:"turns,omitempty"`
	// Filler marks a case after all others. It is called in its place of the order, is not timed, and
	// has no result.
	Filler bool   `json:"filler,omitempty"`
	Skip   Status `json:"skip,omitempty"` // its status in an earlier mpirun, for which it is not measured; or ""
}

// JobChunk limits the job text on one line, in bytes: hydra dies when more than a pipe's 64 KiB waits
// on a rank's standard input.
const JobChunk = 24 << 10

// EncodeJob splits a job into protocol lines without their newlines.
func EncodeJob(j *Job) ([]string, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	n := (len(text) + JobChunk - 1) / JobChunk
	lines := make([]string, 0, n)
	for i := range n {
		chunk := text[i*JobChunk : min(len(text), (i+1)*JobChunk)]
		lines = append(lines, fmt.Sprintf("%s %d/%d %08x %s", LineJob, i+1, n, crc32.ChecksumIEEE(chunk), chunk))
	}
	return lines, nil
}

// ReadJob reads the lines that EncodeJob made. ack is called with the number of
// every line that arrived whole.
func ReadJob(r *bufio.Reader, ack func(i int)) (*Job, error) {
	var text []byte
	for i, n := 1, 1; i <= n; i++ {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("job line %d: %w", i, err)
		}
		at, of, chunk, err := parseJobLine(strings.TrimSuffix(line, "\n"))
		switch {
		case err != nil:
			return nil, fmt.Errorf("job line %d: %w", i, err)
		case at != i || (i > 1 && of != n):
			return nil, fmt.Errorf("job line %d: got line %d of %d; standard input lost or repeated a line", i, at, of)
		}
		n = of
		text = append(text, chunk...)
		ack(i)
	}
	var j Job
	if err := cmp.Or(json.Unmarshal(text, &j), j.check()); err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return &j, nil
}

func parseJobLine(line string) (at, of int, chunk string, err error) {
	f := strings.SplitN(line, " ", 4)
	if len(f) != 4 || f[0] != LineJob {
		return 0, 0, "", fmt.Errorf("expected %q, got %.60q", LineJob+" I/N CRC32 TEXT", line)
	}
	if _, err := fmt.Sscanf(f[1], "%d/%d", &at, &of); err != nil {
		return 0, 0, "", fmt.Errorf("bad line number %q", f[1])
	}
	if at < 1 || at > of {
		return 0, 0, "", fmt.Errorf("line number %q is not one of 1 to %d", f[1], of)
	}
	if got := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(f[3]))); got != f[2] {
		return 0, 0, "", fmt.Errorf("checksum %s, expected %s: standard input is damaged on its way to rank 0", got, f[2])
	}
	return at, of, f[3], nil
}
