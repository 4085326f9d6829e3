//go:build cgo

package rank

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/call"
	"pgmpi/measure/rank/loop"
	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/native"
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
	turn          int64         // of the caches
	usage         loop.Usage    // of this rank, in all its batches
	local         []int64       // durations of this rank, ns, where they are kept
	counted       loop.Counted
}

// setTiming chooses the synchronisation, and synchronises the clocks where
// anything needs them.
func (b *bench) setTiming(caller *call.Caller) (err error) {
	j, t := b.job, &b.out.end.Timing
	t.Sync, t.ThreadLevel = j.Sync, protocol.ThreadLevels[caller.Level]
	if j.Sync == protocol.Auto {
		if t.Sync, t.Why, err = chooseSync(caller.World, j.ClockSync); err != nil {
			return err
		}
	}
	if b.Loop, err = loop.New(caller, b.clock, t.Sync, j.Sample, j.Cache); err != nil {
		return err
	}
	t.Sample, t.Cache, t.CacheBytes = b.Sample, b.Cache, b.CacheBytes
	if !b.NeedsClock() {
		return nil
	}
	t.MaxDriftNS = j.MaxDriftNS
	return b.clocksAgain()
}

func chooseSync(w *mpi.World, clockSync string) (name, why string, err error) {
	nodes, crowded, err := w.Topology()
	switch {
	case err != nil:
		return "", "", err
	case crowded > 0:
		return protocol.SyncBarrier, fmt.Sprintf("%d processes share cores: waiting for a start time would hold up those that are late", crowded), nil
	case nodes == 1:
		return protocol.SyncRoundTime, "all processes are on one node, so one clock tells each of them when to start", nil
	case clockSync == protocol.ClockSyncShared:
		return protocol.SyncDissemination, fmt.Sprintf("the clocks of the %d nodes are not synchronised (clock_sync = \"shared\"); this barrier is the same with every library", nodes), nil
	}
	return protocol.SyncRoundTime, fmt.Sprintf("the clocks of the %d nodes are synchronised by %s", nodes, clockSync), nil
}

// clocksAgain synchronises the clocks, sees how far they were off, and decides
// how long they may be used.
func (b *bench) clocksAgain() error {
	old, start := b.clock.Model(), time.Now()
	if err := b.clock.Synchronise(b.job.ClockSync); err != nil {
		return fmt.Errorf("clock synchronisation %q: %w", b.job.ClockSync, err)
	}
	end, now, model := time.Now(), b.clock.Now(), b.clock.Model()
	off := old.Global(now) - model.Global(now)
	type found struct {
		off   int64
		slope float64
	}
	perRank, err := mpi.AllGather(b.World, found{max(off, -off), model.Slope})
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

func (v *visit) first() (err error) {
	v.s.measured = &measured{window: time.Duration(v.job.WindowNS), limit: time.Duration(v.job.SliceNS)}
	if v.Grows {
		v.s.measured.window, err = v.findWindow(v.row)
	}
	return err
}

// sample times a visit: its part of the repetitions that the job asks for. After the last,
// if wanted, it bounds the run-time.
func (v *visit) sample() (err error) {
	start, s, r := time.Now(), v.s, v.r
	if s.measured == nil {
		if err := v.first(); err != nil {
			return err
		}
	}
	m := s.measured
	m.start = start.Add(-m.took)
	v.SetTurn(m.turn)
	if !m.over {
		if err := v.part(m, v.row, v.c.NRep*s.begun/s.visits); err != nil {
			return err
		}
	}
	m.took, m.turn = time.Since(m.start), v.Turn()
	if s.begun < s.visits {
		return nil
	}
	v.keep(m)
	if r.Usage, err = v.MostUsage(m.usage); err != nil {
		return err
	}
	if err := v.sendRanks(m.local); err != nil {
		return err
	}
	if v.Rank == 0 {
		v.mu.Lock()
		r.Counting = v.Send(&m.counted, m.samples, func(counter int, counts []int64) { v.w.Count(v.i, counter, counts) })
		v.mu.Unlock()
	}
	if j := v.job.Measure; j != nil && j.Provable {
		r.Provable, err = v.Provable(v.row, min(v.c.NRep, v.Room, mostBounds))
	}
	return err
}

func (v *visit) keep(m *measured) {
	v.out.samples[v.i], v.r.NRep = m.samples, m.done
	if v.Windows {
		v.r.WindowNS = int64(m.window)
	}
}

// gathered is how many durations of all ranks together rank 0 holds at a time: what it
// gathers is sent at once, so that its memory does not grow with their number.
const gathered = 1 << 16

func (v *visit) sendRanks(local []int64) error {
	chunk := max(1, gathered/v.Size)
	for first := 0; first < len(local); first += chunk {
		part := local[first:min(len(local), first+chunk)]
		all, err := v.GatherNumbers(part)
		if err != nil {
			return err
		}
		if v.Rank != 0 {
			continue
		}
		v.mu.Lock()
		for rank := range v.Size {
			v.w.Rank(v.i, rank, first, all[rank*len(part):(rank+1)*len(part)])
		}
		v.mu.Unlock()
	}
	return nil
}

// prediction makes a prediction. Of several the one with the most valid
// samples is kept; it has converged if all have.
func (v *visit) prediction() error {
	s, r := v.s, v.r
	if s.measured == nil {
		if err := v.first(); err != nil {
			return err
		}
	}
	m, now := &measured{window: s.measured.window, limit: time.Duration(v.job.Predict.NREP.MaxTime), start: time.Now()}, *r
	now.Converged, now.Reason = false, ""
	v.SetTurn(s.measured.turn)
	if err := v.predict(m, v.row, &now); err != nil {
		return err
	}
	m.turn = v.Turn()
	if s.begun > 1 {
		now.Converged = now.Converged && r.Converged
		now.Reason = cmp.Or(r.Reason, now.Reason)
	}
	if s.begun > 1 && m.done-m.invalid <= s.measured.done-s.measured.invalid {
		m = s.measured
	}
	s.measured, *r = m, now
	v.keep(m)
	return nil
}

// part makes repetitions until there are n in all; with round_time n valid ones,
// but no more than 2n.
func (b *bench) part(m *measured, row *native.Function, n int) error {
	if b.Slices {
		return b.fetch(m, row, n-(m.done-m.invalid), 2*n-m.done)
	}
	return b.fetch(m, row, n-m.done, n)
}

// fetch makes n more repetitions, but no more than `most`; with round_time as
// many as it takes for n valid ones, and none after the limit.
func (b *bench) fetch(m *measured, row *native.Function, n, most int) error {
	for left := n; left > 0 && most > 0; {
		size := min(most, b.batchSize())
		if !b.Slices {
			size = min(size, left)
		}
		done, invalid, err := b.next(m, row, size, left)
		if err != nil {
			return err
		}
		most -= done
		left -= done
		if b.Slices {
			left += invalid
			// Each rank has its own time; rank 0's decides.
			if m.over, err = b.Decided(time.Since(m.start) >= m.limit); err != nil {
				return err
			}
			if m.over {
				left = 0
			}
		}
		if b.Grows {
			m.adjust(done, invalid)
		}
	}
	return nil
}

func (b *bench) batchSize() int {
	switch {
	case b.Windows:
		return min(windowBatch, b.Most())
	case b.NeedsClock():
		return min(clockBatch, b.Most())
	}
	return b.Most()
}

// next makes one batch of at most n repetitions, which ends when `want` are
// valid if the synchronisation looks at that.
func (b *bench) next(m *measured, row *native.Function, n, want int) (done, invalid int, err error) {
	if err := b.resync(); err != nil {
		return 0, 0, err
	}
	start := time.Now()
	slice := min(m.limit-start.Sub(m.start), b.due.Sub(start))
	b.Set(m.window, max(1, slice), want)
	batch, err := b.Batch(row, n, &m.counted)
	if err != nil {
		return 0, 0, err
	}
	b.batchTook = time.Since(start)
	m.samples = append(m.samples, batch.Samples...)
	if b.Global {
		var c protocol.CaseResult
		c.Count(batch.Samples)
		flagged, err := b.FromRoot(int64(c.Invalid))
		if err != nil {
			return 0, 0, err
		}
		invalid = int(flagged)
	}
	m.done += batch.N
	m.invalid += invalid
	m.local = append(m.local, batch.Local...)
	m.usage.Add(batch.Usage)
	return batch.N, invalid, nil
}

// resync synchronises the clocks again when they might drift beyond the bound
// in a batch that takes as long as the one before.
func (b *bench) resync() error {
	if !b.NeedsClock() {
		return nil
	}
	due, err := b.Decided(time.Until(b.due) <= b.batchTook)
	if err != nil || !due {
		return err
	}
	return b.clocksAgain()
}

// findWindow is the pilot of window_auto: the quickest of three batches after our
// own barrier gives one and a half of its time per repetition as the first
// window, which is doubled as often as adjust says.
func (b *bench) findWindow(row *native.Function) (time.Duration, error) {
	b.Set(1, 1, pilotBatch)
	least := time.Duration(math.MaxInt64)
	for range badBatches {
		before := time.Now()
		if _, err := b.Pilot(row, protocol.SyncDissemination, pilotBatch); err != nil {
			return 0, err
		}
		least = min(least, time.Since(before))
	}
	first, err := b.FromRoot(int64(least) * 3 / 2 / pilotBatch)
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
// decides. Only valid samples count, and twice nrep.max in all are the most.
func (b *bench) predict(m *measured, row *native.Function, r *protocol.CaseResult) error {
	p := nrep.NewPredictor(b.job.Predict.NREP)
	for {
		next, err := b.FromRoot(int64(p.Next()))
		if err != nil {
			return err
		}
		n := int(next) - (m.done - m.invalid)
		if err := b.fetch(m, row, n, min(2*n, 2*b.job.Predict.NREP.Max-m.done)); err != nil {
			return err
		}
		stop, err := b.Decided(b.Rank == 0 && b.enough(p, m.samples, time.Since(m.start), r))
		if err != nil || stop {
			return err
		}
	}
}
