//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import (
	"fmt"
	"time"

	"pgmpi/measure/clocks"
	"pgmpi/measure/protocol"
)

// examineClocks is a ClocksJob: what the clocks are, and for every
// method what it costs and how far the global clocks are from rank 0's at once
// and some seconds later (S-REVISITED, Algorithms 20 and 22).
func (s *session) examineClocks(j *protocol.Job) (*outcome, error) {
	if j.NP != s.size {
		return nil, fmt.Errorf("the job is for %d processes, MPI_COMM_WORLD has %d", j.NP, s.size)
	}
	stall := time.Duration(j.StallNS)
	s.setName("the list of clocks")
	watchdog := s.watch(stall, fmt.Sprintf("no clock synchronisation finished for %v", stall))
	defer watchdog.Stop()
	var o outcome
	if err := s.listClocks(&o.end.Clocks); err != nil {
		return nil, err
	}
	if err := s.setClock(j.Clocks.Clock, tscMeasure); err != nil {
		return nil, err
	}
	// The first messages between two ranks make their connection; in turn and in a
	// tree these are all that are needed, so that no method pays for it.
	for _, method := range []string{"skampi", "netgauge"} {
		if _, err := s.synchronise(method); err != nil {
			return nil, err
		}
	}
	if j.Clocks.Barriers > 0 {
		o.end.Clock = &s.clock
		s.setName("MPI_Barrier")
		var err error
		o.exits, o.end.Barriers, err = s.barrierExits(j.Clocks, func() { watchdog.Reset(stall) })
		return &o, err
	}
	for i, method := range j.Clocks.Methods {
		s.setName(method)
		if s.rank == 0 {
			s.say("%s %d %d %s", protocol.LineProgress, i, len(j.Clocks.Methods), method)
		}
		sync, err := s.examineSync(method, j.Clocks, func() { watchdog.Reset(stall) })
		if err != nil {
			return nil, err
		}
		o.syncs = append(o.syncs, sync)
	}
	o.end.Clock = &s.clock
	return &o, nil
}

// examineSync synchronises once by a method and compares the clocks after it.
// alive is called whenever something has been finished.
func (s *session) examineSync(method string, j *protocol.ClocksJob, alive func()) (protocol.ClockSync, error) {
	out := protocol.ClockSync{Method: method}
	if err := s.barrier(); err != nil {
		return out, err
	}
	start := time.Now()
	sync, err := s.synchronise(method)
	if err != nil {
		out.Failed = err.Error()
		return out, nil
	}
	if err := s.barrier(); err != nil {
		return out, err
	}
	end := time.Now()
	out.DurationNS = end.Sub(start).Nanoseconds()
	perRank, err := allGather(s.world, [2]int{sync.rounds, sync.messages})
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
			check.TrueNS, err = s.trueErrors(sync.model, later)
		} else {
			time.Sleep(time.Until(end.Add(later)))
			check, err = s.compare(sync.model, seconds)
		}
		if err != nil {
			return out, err
		}
		out.Checks = append(out.Checks, check)
	}
	return out, nil
}

// compare has every rank exchange messages with rank 0, in turn, and gives the
// error of its global clock as SKaMPI would measure the offset.
func (s *session) compare(m clocks.Model, seconds float64) (protocol.ClockCheck, error) {
	out := protocol.ClockCheck{Seconds: seconds}
	var mine clocks.Estimate
	var wrong int64
	c := &clockSync{world: s.world}
	err := c.among(s.everyone(), func(c *clockSync) error {
		return c.eachInTurn(c.answerOwn, func(ref int) (err error) {
			mine, err = c.askOffset(ref)
			wrong = m.Global(mine.At) - (mine.At - mine.Ahead)
			return err
		})
	})
	if err != nil {
		return out, err
	}
	perRank, err := allGather(s.world, [2]int64{wrong, mine.Bound})
	if err != nil {
		return out, err
	}
	for _, r := range perRank {
		out.ErrorNS = append(out.ErrorNS, r[0])
		out.BoundNS = append(out.BoundNS, r[1])
	}
	out.TrueNS, err = s.trueErrors(m, 0)
	return out, err
}

// trueErrors gives by rank how far the global clock is ahead of rank 0's at an
// instant, in the test build whose clocks are known; nil in every other.
func (s *session) trueErrors(m clocks.Model, later time.Duration) ([]int64, error) {
	var mine, reference C.int64_t
	if C.pg_injected(C.int64_t(later), &mine, &reference) == 0 {
		return nil, nil
	}
	return allGather(s.world, m.Global(int64(mine))-int64(reference))
}
