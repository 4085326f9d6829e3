package protocol

import "fmt"

// ClockInfo describes a clock as rank 0 found it.
type ClockInfo struct {
	Name    string  `json:"name"`              // one of Clocks
	Refused string  `json:"refused,omitempty"` // why it cannot be used here; the rest is then empty
	TickNS  int64   `json:"tick_ns,omitempty"` // smallest step between readings
	CostNS  float64 `json:"cost_ns,omitempty"` // of one reading
	HZ      int64   `json:"hz,omitempty"`      // of the counter, for rdtscp
	HZFrom  string  `json:"hz_from,omitempty"` // the source of HZ
}

type ClocksJob struct {
	Clock   string    `json:"clock"`   // of Clocks
	Methods []string  `json:"methods"` // of ClockSyncs, in this order
	Seconds []float64 `json:"seconds"` // when the global clock is compared, after the end of a synchronisation
	// Compute calculates the error after these seconds without waiting for them. It is for the test
	// build whose clocks are known.
	Compute bool `json:"compute,omitempty"`
	// Barriers is how many exits of MPI_Barrier every rank stamps, instead of the
	// examination; Methods then has at most one, and none is "shared" where all ranks
	// read one clock, else "hca3+shared". 0: none.
	Barriers int `json:"barriers,omitempty"`
}

type ClockSync struct {
	Method     string       `json:"method"`
	Failed     string       `json:"failed,omitempty"` // why it could not be done here
	DurationNS int64        `json:"duration_ns"`
	Rounds     int          `json:"rounds"`   // pairs of processes that had to come one after the other
	Messages   int          `json:"messages"` // of all ranks
	Checks     []ClockCheck `json:"checks,omitempty"`
}

// ClockCheck compares the global clocks of all ranks with rank 0's, once.
type ClockCheck struct {
	Seconds float64 `json:"seconds"` // as asked for
	// ErrorNS holds by rank how far its global clock is ahead, measured by exchanges with rank 0.
	// BoundNS is the largest possible error of that: half of the shortest round trip.
	ErrorNS []int64 `json:"error_ns,omitempty"`
	BoundNS []int64 `json:"bound_ns,omitempty"`
	// TrueNS holds the same as calculated, and comes only from the test build.
	TrueNS []int64 `json:"true_ns,omitempty"`
}

// check refuses a synchronisation that neither failed nor compared its clocks.
func (s *ClockSync) check() error {
	if s.Failed == "" && len(s.Checks) == 0 {
		return fmt.Errorf("method %q has not failed, and its clocks were never compared", s.Method)
	}
	return nil
}

// Worst returns the largest of the values without their signs.
func Worst(ns []int64) int64 {
	var worst int64
	for _, v := range ns {
		worst = max(worst, v, -v)
	}
	return worst
}
