//go:build cgo

package rank

import (
	"fmt"
	"math"
	"time"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/call"
	"pgmpi/measure/rank/clock"
	"pgmpi/measure/rank/loop"
	"pgmpi/measure/rank/native"
)

// clocks finds out what the clocks are, and for every method what it costs and how far the
// global clocks are from rank 0's; or when ranks leave MPI_Barrier.
func (s *session) clocks(j *protocol.ClocksJob, caller *call.Caller) (*outcome, error) {
	s.setName("the list of clocks")
	o := &outcome{}
	var err error
	if o.end.Clocks, err = s.clock.List(); err != nil {
		return nil, err
	}
	if err := s.clock.Set(j.Clock); err != nil {
		return nil, err
	}
	o.end.Clock = &s.clock.Info
	// The first messages between two ranks make their connection; in turn and in a
	// tree these are all that are needed, so that no method pays for it.
	for _, method := range []string{"skampi", "netgauge"} {
		if err := s.clock.Synchronise(method); err != nil {
			return nil, err
		}
	}
	if j.Barriers > 0 {
		s.setName("MPI_Barrier")
		o.exits, o.end.Barriers, err = s.barrierExits(j, caller)
		return o, err
	}
	for i, method := range j.Methods {
		s.setName(method)
		if s.Rank == 0 {
			s.say("%s %d %d %s", protocol.LineProgress, i, len(j.Methods), method)
		}
		sync, err := s.clock.Examine(method, j, s.alive)
		if err != nil {
			return nil, err
		}
		o.syncs = append(o.syncs, sync)
	}
	return o, nil
}

const (
	exitWarmup = 100              // untimed barriers
	exitTime   = 20 * time.Second // that all barriers may take: ranks that share cores are mostly late
)

// barrierExits has all ranks enter MPI_Barrier at a start stamp on the global clock, many
// times, and compares when they leave it (S-REVISITED §4.6, Fig. 10 and Appendix C.10).
// The clocks are compared before and after. Rank 0 gets the exits.
func (s *session) barrierExits(j *protocol.ClocksJob, caller *call.Caller) ([]protocol.Exit, *protocol.Barriers, error) {
	method, err := s.methodFor(j.Methods)
	if err != nil {
		return nil, nil, err
	}
	if err := s.clock.Synchronise(method); err != nil {
		return nil, nil, fmt.Errorf("clock synchronisation %q: %w", method, err)
	}
	s.alive()
	var checks [2]protocol.ClockCheck
	if checks[0], err = s.clock.Compare(); err != nil {
		return nil, nil, err
	}
	s.alive()
	e := &exits{session: s, wanted: j.Barriers}
	if err := e.measure(caller); err != nil {
		return nil, nil, err
	}
	if checks[1], err = s.clock.Compare(); err != nil || s.Rank != 0 {
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
	if one, err := s.clock.OneHost(); one || err != nil {
		return protocol.ClockSyncShared, err
	}
	return "hca3" + clock.SharedSuffix, nil
}

// exits are the barriers so far.
type exits struct {
	*session
	*loop.Loop
	wanted, done, late int
	apart, took        []float64   // at rank 0, by barrier that counts, ns
	after              [][]float64 // at rank 0, by rank and barrier that counts: after the first exit, ns
}

// measure makes barriers until as many as wanted count, or twice as many were made, or
// the time is over.
func (e *exits) measure(caller *call.Caller) (err error) {
	if e.Loop, err = loop.New(caller, e.clock, protocol.SyncRoundTime, protocol.SampleGlobal, protocol.CacheWarm); err != nil {
		return err
	}
	if err := e.Allocate(clockBatch); err != nil {
		return err
	}
	e.Rotate(0, 0) // there are no buffers
	row := caller.Row("MPI_Barrier")
	if err := caller.Call(row, exitWarmup); err != nil {
		return err
	}
	e.after = make([][]float64, e.Size)
	start := time.Now()
	for {
		left := exitTime - time.Since(start)
		more, err := e.Decided(left > 0 && len(e.apart) < e.wanted && e.done < 2*e.wanted)
		if err != nil || !more {
			return err
		}
		if err := e.batch(row, left); err != nil {
			return err
		}
		e.alive()
	}
}

func (e *exits) batch(row *native.Function, left time.Duration) error {
	e.Set(0, max(1, left), max(1, e.wanted-len(e.apart)))
	b, err := e.Plain(row, min(clockBatch, 2*e.wanted-e.done))
	if err != nil || b.N == 0 {
		return err
	}
	e.done += b.N
	all, err := e.GatherNumbers(e.Ends(b.N))
	if err != nil || e.Rank != 0 {
		return err
	}
	for i, sample := range b.Samples {
		if sample.Flags != 0 {
			e.late++
			continue
		}
		first, last := int64(math.MaxInt64), int64(math.MinInt64)
		for r := range e.Size {
			first, last = min(first, all[r*b.N+i]), max(last, all[r*b.N+i])
		}
		for r := range e.Size {
			e.after[r] = append(e.after[r], float64(all[r*b.N+i]-first))
		}
		e.apart, e.took = append(e.apart, float64(last-first)), append(e.took, float64(sample.NS))
	}
	return nil
}

func (e *exits) summary() (perRank []protocol.Exit, all *protocol.Barriers, err error) {
	n := len(e.apart)
	if n == 0 {
		return nil, &protocol.Barriers{}, fmt.Errorf("in none of %d barriers all ranks came in time: they share cores (use fewer of them), or their clocks are too far apart (`pgmpi clocks` shows it; --clock-sync)", e.done)
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
		x := exitOf(after)
		x.Rank, x.First, x.Last = r, float64(first)/float64(n), float64(last)/float64(n)
		perRank = append(perRank, x)
	}
	return perRank, &protocol.Barriers{Calls: n, Late: e.late,
		ApartNS: quantile(e.apart, .5), ApartP95NS: quantile(e.apart, .95), TimeNS: quantile(e.took, .5)}, nil
}

// exitOf describes the times after the first exits, ns, of which there is one at least.
func exitOf(after []float64) protocol.Exit {
	x := protocol.Exit{MinNS: quantile(after, 0), P5NS: quantile(after, .05), Q1NS: quantile(after, .25), MedianNS: quantile(after, .5),
		Q3NS: quantile(after, .75), P95NS: quantile(after, .95), MaxNS: quantile(after, 1)}
	mean, sd, _ := stats.MeanSD(after) // all are finite
	x.MeanNS = mean
	if n := float64(len(after)); n > 1 {
		x.CINS = 1.96 * sd / math.Sqrt(n)
	}
	return x
}

func quantile(of []float64, p float64) float64 {
	q, _ := stats.Quantile(of, p)
	return q
}
