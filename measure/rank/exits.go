//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

const (
	exitWarmup = 100              // untimed barriers
	exitTime   = 20 * time.Second // that all barriers may take: ranks that share cores are mostly late
)

// barrierExits has all ranks enter MPI_Barrier at a start stamp on the global clock, many
// times, and compares when they leave it (S-REVISITED §4.6, Fig. 10 and Appendix C.10).
// The clocks are compared before and after. Rank 0 gets the exits.
func (s *session) barrierExits(j *protocol.ClocksJob, alive func()) ([]protocol.Exit, *protocol.Barriers, error) {
	method, err := s.methodFor(j.Methods)
	if err != nil {
		return nil, nil, err
	}
	sync, err := s.synchronise(method)
	if err != nil {
		return nil, nil, fmt.Errorf("clock synchronisation %q: %w", method, err)
	}
	alive()
	var checks [2]protocol.ClockCheck
	if checks[0], err = s.compare(sync.model, 0); err != nil {
		return nil, nil, err
	}
	alive()
	e := &exits{session: s, wanted: j.Barriers}
	if err := e.measure(alive); err != nil {
		return nil, nil, err
	}
	if checks[1], err = s.compare(sync.model, 0); err != nil || s.rank != 0 {
		return nil, nil, err
	}
	perRank, all, err := e.summary()
	for r := range perRank {
		for i, c := range checks {
			perRank[r].ErrorNS[i], perRank[r].BoundNS[i] = c.ErrorNS[r], c.BoundNS[r]
		}
	}
	all.ClockSync = method
	return perRank, all, err
}

// methodFor is the synchronisation that is asked for, or what suits where the ranks are.
func (s *session) methodFor(methods []string) (string, error) {
	if len(methods) > 0 {
		return methods[0], nil
	}
	hosts, _, err := s.hosts()
	if len(hosts) == 1 {
		return protocol.ClockSyncShared, err
	}
	return "hca3" + sharedSuffix, err
}

// exits are the barriers so far.
type exits struct {
	*session
	wanted, done, late int
	apart, took        []float64   // at rank 0, by barrier that counts, ns
	after              [][]float64 // at rank 0, by rank and barrier that counts: after the first exit, ns
}

// measure makes barriers until as many as wanted count, or twice as many were made, or
// the time is over.
func (e *exits) measure(alive func()) error {
	if err := e.setLoop(protocol.SyncRoundTime, protocol.SampleGlobal, protocol.CacheWarm); err != nil {
		return err
	}
	if err := e.loop.allocate(clockBatch); err != nil {
		return err
	}
	e.rotate(0, 0) // there are no buffers
	row := e.rows["MPI_Barrier"]
	if err := e.call(row, exitWarmup); err != nil {
		return err
	}
	e.after = make([][]float64, e.size)
	start := time.Now()
	for {
		left := exitTime - time.Since(start)
		more, err := e.decided(left > 0 && len(e.apart) < e.wanted && e.done < 2*e.wanted)
		if err != nil || !more {
			return err
		}
		if err := e.batch(row, left); err != nil {
			return err
		}
		alive()
	}
}

// batch makes some barriers.
func (e *exits) batch(row *function, left time.Duration) error {
	e.loop.set(0, max(1, left), max(1, e.wanted-len(e.apart)))
	samples, n, err := e.world.batch(row, e.loop.sync, min(clockBatch, 2*e.wanted-e.done))
	if err != nil || n == 0 {
		return err
	}
	e.done += n
	mine := unsafe.Slice((*int64)(unsafe.Pointer(e.loop.c.end)), n) // on the global clock by now
	all := make([]int64, 1)
	if e.rank == 0 {
		all = make([]int64, n*e.size)
	}
	rc := C.pg_gather_durations(e.x, (*C.int64_t)(unsafe.Pointer(&mine[0])), C.int(n), (*C.int64_t)(unsafe.Pointer(&all[0])))
	if err := mpiError("MPI_Gather of exits", rc); err != nil || e.rank != 0 {
		return err
	}
	for i, sample := range samples {
		if sample.Flags != 0 {
			e.late++
			continue
		}
		first, last := int64(math.MaxInt64), int64(math.MinInt64)
		for r := range e.size {
			first, last = min(first, all[r*n+i]), max(last, all[r*n+i])
		}
		for r := range e.size {
			e.after[r] = append(e.after[r], float64(all[r*n+i]-first))
		}
		e.apart, e.took = append(e.apart, float64(last-first)), append(e.took, float64(sample.NS))
	}
	return nil
}

// summary describes the exits of every rank.
func (e *exits) summary() (perRank []protocol.Exit, all *protocol.Barriers, err error) {
	n := len(e.apart)
	if n == 0 {
		return nil, &protocol.Barriers{}, fmt.Errorf("in none of %d barriers all ranks came in time: they share cores (use fewer of them), or their clocks are too far apart (`pgmpi clocks` shows it; --clock-sync)", e.done)
	}
	all = &protocol.Barriers{Calls: n, Late: e.late}
	for _, q := range []struct {
		to *float64
		of []float64
		p  float64
	}{{&all.ApartNS, e.apart, .5}, {&all.ApartP95NS, e.apart, .95}, {&all.TimeNS, e.took, .5}} {
		if *q.to, err = stats.Quantile(q.of, q.p); err != nil {
			return nil, all, err
		}
	}
	for r, after := range e.after {
		first, last := 0, 0
		for i, ns := range after {
			if ns == 0 {
				first++
			}
			if ns == e.apart[i] {
				last++
			}
		}
		x := protocol.Exit{Rank: r, First: float64(first) / float64(n), Last: float64(last) / float64(n)}
		if err := describeExit(&x, slices.Sorted(slices.Values(after))); err != nil {
			return nil, all, err
		}
		perRank = append(perRank, x)
	}
	return perRank, all, nil
}

// describeExit sets what is known of ascending times, ns.
func describeExit(x *protocol.Exit, after []float64) error {
	mean, sd, err := stats.MeanSD(after)
	x.MeanNS = mean
	if n := float64(len(after)); n > 1 {
		x.CINS = 1.96 * sd / math.Sqrt(n)
	}
	for _, q := range []struct {
		to *float64
		p  float64
	}{{&x.MinNS, 0}, {&x.P5NS, .05}, {&x.Q1NS, .25}, {&x.MedianNS, .5}, {&x.Q3NS, .75}, {&x.P95NS, .95}, {&x.MaxNS, 1}} {
		var e error
		*q.to, e = stats.Quantile(after, q.p)
		err = cmp.Or(err, e)
	}
	return err
}
