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
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/nrep"
)

// A case is measured in batches. Between them, outside of the timed region,
// rank 0 gets the samples, clocks are synchronised again when that is due, and
// windows grow. Where nothing needs a global clock a batch is as long as it is
// wanted.
const (
	windowBatch = 25  // one call that was held up spoils the windows behind it, up to the end of its batch
	clockBatch  = 200 // with round_time, or barriers and the global clock
	pilotBatch  = 20  // of window_auto before the samples
	badBatches  = 3
	mostPilots  = 20 * badBatches // from 1 µs to 1 s
	mostBounds  = 1000            // calls that bound a run-time
)

// measured is what was measured of a case. All ranks agree on everything but the
// samples, which rank 0 has, and the times.
type measured struct {
	samples       []protocol.Sample
	done, invalid int
	window        time.Duration
	bad           int           // batches in a row with too many invalid repetitions
	start         time.Time     // as if it had been measured without a break
	took          time.Duration // in the visits before this one
	limit         time.Duration // from start; round_time makes no repetition later
	over          bool          // the limit is reached
	turn          C.int64_t     // of the caches
	usage         C.pg_usage    // of this rank, in all its batches
	local         []int64       // durations of this rank, ns, where they are kept
	counts        [][]int64     // at rank 0, by counter that is open
	plain         []float64     // at rank 0, of repetitions without counters beside the samples, ns
	plainFirst    bool          // the next of these come before the next samples
}

// setTiming chooses the synchronisation, and synchronises the clocks where
// anything needs them.
func (b *bench) setTiming() error {
	j, t := b.job, &b.out.end.Timing
	t.Sync, t.ThreadLevel = j.Sync, protocol.ThreadLevels[b.level]
	var err error
	if j.Sync == protocol.Auto {
		if t.Sync, t.Why, err = b.chooseSync(j.ClockSync); err != nil {
			return err
		}
	}
	if err := b.setLoop(t.Sync, j.Sample, j.Cache); err != nil {
		return err
	}
	t.Sample, t.Cache, t.CacheBytes = b.loop.sample, C.GoString(b.loop.cache.name), b.loop.bytes
	if !b.loop.needsClock() {
		return nil
	}
	t.MaxDriftNS = j.MaxDriftNS
	return b.clocksAgain()
}

// clocksAgain synchronises the clocks, sees how far they were off, and decides
// how long they may be used.
func (b *bench) clocksAgain() error {
	old, start := b.model(), time.Now()
	if _, err := b.synchronise(b.job.ClockSync); err != nil {
		return fmt.Errorf("clock synchronisation %q: %w", b.job.ClockSync, err)
	}
	end, now := time.Now(), reading(b.time.now)
	off := old.Global(now) - b.model().Global(now)
	type found struct {
		off   int64
		slope float64
	}
	perRank, err := allGather(b.world, found{max(off, -off), b.model().Slope})
	if err != nil {
		return err
	}
	most, lines := int64(0), false
	for _, r := range perRank {
		most, lines = max(most, r.off), lines || r.slope != 0
	}
	t := &b.out.end.Timing
	if t.ClockSyncs++; t.ClockSyncs > 1 {
		b.drift.Renewed(most, end.Sub(b.synced))
	}
	b.synced = end
	b.due = end.Add(b.drift.Lasts(time.Duration(b.job.MaxDriftNS), end.Sub(start), lines))
	t.DriftNS = b.drift.Worst
	return nil
}

// sample times a visit of case i: its part of the repetitions that the job asks
// for, or until the predictor stops. After the last, if wanted, it bounds the
// run-time. In the mode that counts messages it does that instead.
func (b *bench) sample(i int, row *function) error {
	c, r, s := b.job.Cases[i], &b.out.cases[i], &b.state[i]
	if b.job.Messages != nil {
		return b.countMessages(r, row)
	}
	start := time.Now()
	var err error
	if s.measured == nil {
		s.measured = &measured{window: time.Duration(b.job.WindowNS), limit: time.Duration(b.job.SliceNS)}
		if b.loop.sync.grows != 0 {
			if s.measured.window, err = b.findWindow(row); err != nil {
				return err
			}
		}
	}
	if b.job.Predict != nil {
		return b.prediction(i, row)
	}
	m := s.measured
	m.start = start.Add(-m.took)
	b.loop.c.turn = m.turn
	if !m.over {
		err = b.part(m, row, c.NRep*s.begun/s.visits)
	}
	if err != nil {
		return err
	}
	m.took, m.turn = time.Since(m.start), b.loop.c.turn
	if s.begun < s.visits {
		return nil
	}
	b.out.samples[i], r.NRep = m.samples, m.done
	if r.Usage, err = b.mostUsage(m.usage); err != nil {
		return err
	}
	if err := b.sendRanks(i, m.local); err != nil {
		return err
	}
	b.sendCounts(i, m, r)
	if b.loop.sync.windows != 0 {
		r.WindowNS = int64(m.window)
	}
	if m := b.job.Measure; m != nil && m.Provable {
		r.Provable, err = b.provable(row, min(c.NRep, b.loop.room, mostBounds))
	}
	return err
}

// prediction makes a prediction for case i. Of several the one with the most valid
// samples is kept; it has converged if all have.
func (b *bench) prediction(i int, row *function) error {
	s, r := &b.state[i], &b.out.cases[i]
	m, now := &measured{window: s.measured.window, limit: time.Duration(b.nrep.MaxTime), start: time.Now()}, *r
	now.Converged, now.Reason = false, ""
	b.loop.c.turn = s.measured.turn
	if err := b.predict(m, row, &now); err != nil {
		return err
	}
	m.turn = b.loop.c.turn
	if s.begun > 1 {
		now.Converged = now.Converged && r.Converged
		now.Reason = cmp.Or(r.Reason, now.Reason)
	}
	if s.begun > 1 && m.done-m.invalid <= s.measured.done-s.measured.invalid {
		m = s.measured
	}
	s.measured, *r = m, now
	b.out.samples[i], r.NRep = m.samples, m.done
	if b.loop.sync.windows != 0 {
		r.WindowNS = int64(m.window)
	}
	return nil
}

// part makes repetitions until there are n in all; with round_time n valid ones,
// but no more than 2n.
func (b *bench) part(m *measured, row *function, n int) error {
	if b.loop.sync.slices != 0 {
		return b.fetch(m, row, n-(m.done-m.invalid), 2*n-m.done)
	}
	return b.fetch(m, row, n-m.done, n)
}

// fetch makes n more repetitions; with round_time as many as it takes for n
// valid ones, but no more than `most`, and none after the limit.
func (b *bench) fetch(m *measured, row *function, n, most int) error {
	slices := b.loop.sync.slices != 0
	for left := n; left > 0 && most > 0; {
		size := min(left, b.batchSize())
		if slices {
			size = min(most, b.batchSize())
		}
		done, invalid, err := b.next(m, row, size, left)
		if err != nil {
			return err
		}
		most -= done
		left -= done
		if slices {
			left += invalid
			// Each rank has its own time; rank 0's decides.
			if m.over, err = b.decided(time.Since(m.start) >= m.limit); err != nil {
				return err
			}
			if m.over {
				left = 0
			}
		}
		if b.loop.sync.grows != 0 {
			m.adjust(done, invalid)
		}
	}
	return nil
}

func (b *bench) batchSize() int {
	switch {
	case b.counters != nil:
		return mostCounted
	case b.loop.sync.windows != 0:
		return windowBatch
	case b.loop.needsClock():
		return clockBatch
	}
	return b.loop.room
}

// next makes one batch of at most n repetitions, which ends when `want` are
// valid if the synchronisation looks at that.
func (b *bench) next(m *measured, row *function, n, want int) (done, invalid int, err error) {
	if err := b.resync(); err != nil {
		return 0, 0, err
	}
	start := time.Now()
	slice := min(m.limit-start.Sub(m.start), b.due.Sub(start))
	b.loop.set(m.window, max(1, slice), want)
	samples, done, err := b.batchOf(m, row, n)
	if err != nil {
		return 0, 0, err
	}
	b.batchTook = time.Since(start)
	m.samples = append(m.samples, samples...)
	if b.loop.sync.global != 0 {
		var c protocol.CaseResult
		c.Count(samples)
		flagged, err := b.fromRoot(int64(c.Invalid))
		if err != nil {
			return 0, 0, err
		}
		invalid = int(flagged)
	}
	m.done += done
	m.invalid += invalid
	m.local = append(m.local, b.loop.local...)
	m.usage.faults += b.loop.c.usage.faults
	m.usage.switches += b.loop.c.usage.switches
	return done, invalid, nil
}

// resync synchronises the clocks again when they might drift beyond the bound
// in a batch that takes as long as the one before.
func (b *bench) resync() error {
	if !b.loop.needsClock() {
		return nil
	}
	due, err := b.decided(time.Until(b.due) <= b.batchTook)
	if err != nil || !due {
		return err
	}
	return b.clocksAgain()
}

// findWindow is the pilot of window_auto: the quickest of three batches after our
// own barrier gives one and a half of its time per repetition as the first
// window, which is doubled as often as adjust says.
func (b *bench) findWindow(row *function) (time.Duration, error) {
	b.loop.set(1, 1, pilotBatch)
	least := time.Duration(math.MaxInt64)
	for range badBatches {
		before := time.Now()
		if _, _, err := b.batch(row, syncs[protocol.SyncDissemination], pilotBatch); err != nil {
			return 0, err
		}
		least = min(least, time.Since(before))
	}
	first, err := b.fromRoot(int64(least) * 3 / 2 / pilotBatch)
	m := &measured{window: max(1, time.Duration(first))}
	for range mostPilots {
		if err != nil {
			return 0, err
		}
		_, invalid, err := b.next(m, row, pilotBatch, pilotBatch)
		if err != nil || 4*invalid < pilotBatch {
			return m.window, err
		}
		m.adjust(pilotBatch, invalid)
	}
	return m.window, err
}

// adjust doubles the window after three batches in a row with a quarter of
// their repetitions invalid. S-REVISITED, Algorithm 10 (line 24) does so after
// one; but a process that loses its core for some milliseconds spoils a whole
// batch of short windows, and says nothing about their length.
func (m *measured) adjust(done, invalid int) {
	if 4*invalid < done {
		m.bad = 0
		return
	}
	if m.bad++; m.bad == badBatches {
		m.window, m.bad = 2*m.window, 0
	}
}

// predict runs batches until the predictor is satisfied or gives up. Rank 0
// decides. Only valid samples count.
func (b *bench) predict(m *measured, row *function, r *protocol.CaseResult) error {
	p := nrep.NewPredictor(b.nrep)
	for {
		next, err := b.fromRoot(int64(p.Next()))
		if err != nil {
			return err
		}
		n := int(next) - (m.done - m.invalid)
		if err := b.fetch(m, row, n, 2*n); err != nil {
			return err
		}
		stop, err := b.decided(b.rank == 0 && b.enough(p, m.samples, time.Since(m.start), r))
		if err != nil || stop {
			return err
		}
	}
}
