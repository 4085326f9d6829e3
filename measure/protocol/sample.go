package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	FlagLate = 1 << iota // started late
	FlagLong             // took longer than the window
)

type Sample struct {
	NS    int64 // run-time in nanoseconds
	Flags int
}

// Valid are the run-times of the samples without a flag, in nanoseconds.
func Valid(samples []Sample) []float64 {
	var ns []float64
	for _, s := range samples {
		if s.Flags == 0 {
			ns = append(ns, float64(s.NS))
		}
	}
	return ns
}

// ValidSeconds are the same in seconds.
func ValidSeconds(samples []Sample) []float64 {
	seconds := Valid(samples)
	for i := range seconds {
		seconds[i] *= 1e-9
	}
	return seconds
}

// MaxSamples is the most that an mpirun may bring: 4 GiB of memory.
const MaxSamples = 1 << 28

// MaxRawInt is the largest number that a raw file holds: 18 digits, in nanoseconds
// 31 years.
const MaxRawInt = 1e18 - 1

// ErrNoTime is what is wrong with a sample of 0 ns that is not late.
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
