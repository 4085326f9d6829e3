//go:build cgo

package clock

/*
#include "rank.h"
*/
import "C"

import (
	"time"

	"pgmpi/measure/clocks"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/mpi"
)

// Examine synchronises once by a method and compares the clocks after it, at once and some
// seconds later (S-REVISITED, Algorithms 20 and 22). alive is called whenever something has
// been finished.
func (c *Clock) Examine(method string, j *protocol.ClocksJob, alive func()) (protocol.ClockSync, error) {
	out := protocol.ClockSync{Method: method}
	if err := c.Barrier(); err != nil {
		return out, err
	}
	start := time.Now()
	sync, err := c.synchronise(method)
	if err != nil {
		out.Failed = err.Error()
		return out, nil
	}
	if err := c.Barrier(); err != nil {
		return out, err
	}
	end := time.Now()
	out.DurationNS = end.Sub(start).Nanoseconds()
	perRank, err := mpi.AllGather(c.World, [2]int{sync.rounds, sync.messages})
	if err != nil {
		return out, err
	}
	for _, r := range perRank { // the rounds of the busiest rank, the messages of all
		out.Rounds, out.Messages = max(out.Rounds, r[0]), out.Messages+r[1]
	}
	for _, seconds := range append([]float64{0}, j.Seconds...) {
		alive()
		later := time.Duration(seconds * 1e9)
		check := protocol.ClockCheck{Seconds: seconds}
		if j.Compute {
			check.TrueNS, err = c.trueErrors(sync.model, later)
		} else {
			time.Sleep(time.Until(end.Add(later)))
			check, err = c.compare(sync.model, seconds)
		}
		if err != nil {
			return out, err
		}
		out.Checks = append(out.Checks, check)
	}
	return out, nil
}

// Compare compares the global clocks at once.
func (c *Clock) Compare() (protocol.ClockCheck, error) { return c.compare(c.Model(), 0) }

// compare has every rank exchange messages with rank 0, in turn, and gives the
// error of its global clock as SKaMPI would measure the offset.
func (c *Clock) compare(m clocks.Model, seconds float64) (protocol.ClockCheck, error) {
	out := protocol.ClockCheck{Seconds: seconds}
	var mine clocks.Estimate
	var wrong int64
	s := &clockSync{Clock: c}
	err := s.among(c.everyone(), func(s *clockSync) error {
		return s.eachInTurn(s.answerOwn, func(ref int) (err error) {
			mine, err = s.askOffset(ref)
			wrong = m.Global(mine.At) - (mine.At - mine.Ahead)
			return err
		})
	})
	if err != nil {
		return out, err
	}
	perRank, err := mpi.AllGather(c.World, [2]int64{wrong, mine.Bound})
	if err != nil {
		return out, err
	}
	for _, r := range perRank {
		out.ErrorNS = append(out.ErrorNS, r[0])
		out.BoundNS = append(out.BoundNS, r[1])
	}
	out.TrueNS, err = c.trueErrors(m, 0)
	return out, err
}

// trueErrors gives by rank how far the global clock is ahead of rank 0's at an
// instant, in the test build whose clocks are known; nil in every other.
func (c *Clock) trueErrors(m clocks.Model, later time.Duration) ([]int64, error) {
	var mine, reference C.int64_t
	if C.pg_injected(C.int64_t(later), &mine, &reference) == 0 {
		return nil, nil
	}
	return mpi.AllGather(c.World, m.Global(int64(mine))-int64(reference))
}
