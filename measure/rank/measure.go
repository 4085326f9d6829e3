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

	"pgmpi/internal/conf"
	"pgmpi/measure/clocks"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/nrep"
)

// outcome is what rank 0 sends after the last case.
type outcome struct {
	cases   []protocol.CaseResult
	samples [][]protocol.Sample // by case
	sent    []sent              // by case
	syncs   []protocol.ClockSync
	exits   []protocol.Exit
	end     protocol.End
}

// sent is what the driver has of a case.
type sent struct {
	samples int
	whole   bool
}

// bench is a job being done.
type bench struct {
	*session
	job      *protocol.CallsJob
	state    []state // by case
	extent   int64
	verifier verifier
	nrep     nrep.Config
	called   map[string]bool
	ways     map[string]*way // to own algorithms, by function
	poisoned int             // cases, so far
	timed    time.Duration   // in untimed calls
	// When the clocks were synchronised last, and when they are to be again.
	synced, due time.Time
	drift       clocks.Drift
	batchTook   time.Duration // the last one
	rounds      rounds
	out         outcome
	w           *protocol.OutputWriter // at rank 0
	counts      bool                   // the library counts its messages
	counters    *C.pg_counters         // nil: none are wanted
	counted     []int                  // those that are open, as indices into Job.Counters
	stall       time.Duration
	watchdog    *time.Timer
}

// do measures every case of the job in its order. Rank 0 writes to w what may not
// wait for the end.
func (s *session) do(j *protocol.Job, w *protocol.OutputWriter) (*outcome, error) {
	b, err := s.newBench(j)
	if err != nil {
		return nil, err
	}
	b.keepRanks(w)
	look, err := b.yardsticks()
	if err != nil {
		return nil, err
	}
	start, said := time.Now(), time.Now()
	b.rounds.sent = start
	for done, i := range j.Order {
		if err := look(done); err != nil {
			return nil, err
		}
		if err := b.early(done, w); err != nil {
			return nil, err
		}
		if err := b.visit(i); err != nil {
			return nil, err
		}
		if s.rank == 0 && time.Since(said) > 500*time.Millisecond {
			s.say("%s %d %d %s", protocol.LineProgress, done+1, len(j.Order), s.name)
			said = time.Now()
		}
	}
	if err := look(len(j.Order)); err != nil {
		return nil, err
	}
	b.watchdog.Stop()
	b.leaveCompany()
	b.out.end.Clock = &s.clock
	b.out.end.MeasureNS, b.out.end.TimedNS = time.Since(start).Nanoseconds(), (b.timed + b.loop.took).Nanoseconds()
	return &b.out, nil
}

// leaveCompany drops the results of cases that are not measured, the last ones.
func (b *bench) leaveCompany() {
	n := len(b.job.Cases)
	for n > 0 && b.job.Cases[n-1].Company {
		n--
	}
	b.out.cases, b.out.samples = b.out.cases[:n], b.out.samples[:n]
}

func (s *session) newBench(j *protocol.Job) (*bench, error) {
	t, ok := mockups.GetDatatype(j.Datatype)
	if !ok {
		return nil, fmt.Errorf("unknown datatype %q", j.Datatype)
	}
	if j.NP != s.size {
		return nil, fmt.Errorf("the job is for %d processes, MPI_COMM_WORLD has %d", j.NP, s.size)
	}
	b := &bench{session: s, job: j.CallsJob, extent: t.Bytes, called: map[string]bool{}, ways: map[string]*way{}}
	b.out.end.CallsEnd = &protocol.CallsEnd{Mockups: j.Mockups}
	if err := s.choose(j.Datatype, j.Op, j.Root); err != nil {
		return nil, err
	}
	s.seed = j.Seed
	if j.Verify {
		if err := s.listClocks(&b.out.end.Clocks); err != nil {
			return nil, err
		}
	}
	if err := s.setClock(j.Clock, tscMeasure); err != nil {
		return nil, err
	}
	if err := b.setTiming(); err != nil {
		return nil, err
	}
	var err error
	if b.verifier, err = newVerifier(j.Datatype, j.Op); err != nil {
		return nil, err
	}
	if j.Predict != nil {
		b.nrep = j.Predict.NREP
	}
	if err := b.plan(); err != nil {
		return nil, err
	}
	if j.Messages != nil {
		if b.counts, err = b.openMessages(); err != nil {
			return nil, err
		}
	}
	if err := b.openCounters(); err != nil {
		return nil, err
	}
	b.stall = time.Duration(j.StallNS)
	if s.rank != 0 {
		b.stall += 2 * time.Second // rank 0 has the word
	}
	b.watchdog = s.watch(b.stall, fmt.Sprintf("no case finished for %v (measure.stall)", b.stall))
	return b, nil
}

// plan decides the memory cap, marks what cannot be measured and allocates.
func (b *bench) plan() error {
	room := b.job.MemoryCap
	if room == 0 {
		least, err := b.allMin(memAvailable() / int64(max(1, b.beside)))
		if err != nil {
			return err
		}
		room = b.job.TempMemory
		if least > 0 {
			room = min(room, least/2)
		}
	}
	b.out.end.MemoryCap = room
	b.out.cases = make([]protocol.CaseResult, len(b.job.Cases))
	b.out.sent = make([]sent, len(b.job.Cases))
	b.out.samples = make([][]protocol.Sample, len(b.job.Cases))
	b.state = make([]state, len(b.job.Cases))
	for _, i := range b.job.Order {
		b.state[i].visits++
	}
	turns := len(b.job.Order) > len(b.job.Cases) && b.job.Predict == nil
	sized := make([]mockups.Sized, len(b.job.Cases)) // a skipped one needs nothing
	longest := 1
	for i, c := range b.job.Cases {
		f, ok := b.function(c.Function)
		if !ok || b.rows[f.Row()] == nil {
			return fmt.Errorf("unknown function %q", c.Function)
		}
		r := &b.out.cases[i]
		*r = protocol.CaseResult{Case: i, Status: cmp.Or(c.Skip, protocol.StatusOK)}
		if c.Skip == "" {
			way, err := b.wayTo(f)
			if err != nil {
				return err
			}
			if way.why != "" {
				r.Status, r.Message = protocol.StatusUnavailable, way.why
				continue
			}
			if r.Message, err = b.cannot(f); err != nil {
				return err
			}
			if r.Message != "" {
				r.Status = protocol.StatusNotMeasured
				continue
			}
			sized[i] = mockups.Sized{Function: f, Count: c.Msize / b.extent}
			longest = max(longest, c.NRep)
		}
	}
	why, shared := mockups.Fit(sized, b.extent, b.size, mockups.Room{Cap: room, Extra: b.loop.extra(), Span: b.loop.span, OwnTemps: turns})
	temps := int64(0)
	for i := range b.job.Cases {
		used := b.out.cases[i].Status == protocol.StatusOK
		switch {
		case used && why[i] != "":
			b.out.cases[i].Status, b.out.cases[i].Message = protocol.StatusNotMeasured, why[i]
		case used && turns:
			b.state[i].temps = temps
			temps += sized[i].Function.Memory(sized[i].Count, b.extent, b.size).Temp
		}
	}
	if b.job.Predict != nil {
		longest = max(longest, b.nrep.Max)
	}
	if b.loop.needsClock() {
		longest = clockBatch
	}
	return b.allocate(shared, longest)
}

// cannot says why a function is not measured in this mpirun; "": it is.
func (b *bench) cannot(f mockups.Function) (why string, err error) {
	switch {
	case f.Call == mockups.Persistent && b.loop.cache.rotates != 0:
		return "a persistent request keeps its buffers: measure.cache = \"rotate\" cannot move them", nil
	case f.Over != "":
		return b.lanes()
	}
	return "", nil
}

// companyCalls are as many as a case always has before its first sample.
const companyCalls = 2

// state is what is kept of a case from one visit to the next.
type state struct {
	visits, begun int   // in all, and so far
	temps         int64 // where its temporaries are in the arena, in bytes
	prepared      prepared
	measured      *measured
}

// visit measures the next part of a case: all of it, where it is visited once.
// Between the visits it stays prepared, so that its temporaries are as its last
// call has left them, and nothing but other cases comes in between.
func (b *bench) visit(i int) error {
	c, r, s := b.job.Cases[i], &b.out.cases[i], &b.state[i]
	b.setName(fmt.Sprintf("%s at %s", c.Function, conf.HumanSize(c.Msize)))
	b.watchdog.Reset(b.stall)
	if r.Status != protocol.StatusOK {
		return nil
	}
	f, _ := b.function(c.Function)
	row, count := b.goBy(f), c.Msize/b.extent
	defer b.goByDefault()
	need := f.Memory(count, b.extent, b.size)
	// Each visit of stage 1 is a prediction of its own.
	alone := b.job.Predict != nil
	if s.begun++; s.begun > 1 && !alone {
		b.takeUp(s.prepared)
		if f.Consumes { // numbers that neither overflow nor vanish
			b.verifier.fill(b.caseFor(f, count, b.extent))
		}
		row = b.inARow(row, c.Calls)
		b.rotate(need.Send, need.Recv)
	} else {
		if s.begun == 1 {
			defer b.announce(f)()
		}
		if refused, err := b.tryOnce(f, row, count, s.temps); err != nil || refused != "" {
			r.Status, r.Message = protocol.StatusUnavailable, refused
			return err
		}
		if err := b.firstCalls(f, row, s.temps); err != nil {
			return err
		}
		row = b.inARow(row, c.Calls)
		if ok, err := b.begin(i, f, row, count); !ok || err != nil {
			return err
		}
		b.rotate(need.Send, need.Recv)
		b.spread(need.Send, need.Recv)
		start := time.Now()
		if c.Company {
			defer b.release(row)
			defer b.home()
			return b.call(row, companyCalls)
		}
		if err := b.warmUp(row); err != nil {
			return err
		}
		b.timed += time.Since(start)
	}
	last := alone || s.begun == s.visits || b.rounds.closing // of those that are sent together
	if last {
		b.beforeLast(f, count, s.visits > 1 && !alone)
	}
	if err := b.sample(i, row); err != nil {
		return fmt.Errorf("%s: %w", b.name, err)
	}
	fault := ""
	if last {
		var err error
		if fault, err = b.afterLast(f, row, count); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	if fault == "" && b.job.Overlap != nil {
		var err error
		if fault, err = b.overlapOf(i, f, row, count); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	b.home()
	if fault != "" {
		*r, b.out.samples[i] = protocol.CaseResult{Case: i, Status: protocol.StatusWrong, Message: fault}, nil
		b.verifier.fill(b.caseFor(f, count, b.extent)) // others may send it
	} else if s.begun < s.visits && !alone {
		s.prepared = b.putAway()
		return nil
	}
	b.release(row)
	return nil
}

// begin prepares and verifies a case, and gives it its data; ok is false where it
// is not to be measured.
func (b *bench) begin(i int, f mockups.Function, row *function, count int64) (ok bool, err error) {
	r := &b.out.cases[i]
	refused, err := b.prepare(f, row, count, b.state[i].temps)
	if err != nil {
		return false, fmt.Errorf("%s: %w", b.name, err)
	}
	if refused != "" {
		r.Status, r.Message = protocol.StatusNotMeasured, refused
		return false, nil
	}
	if b.job.Verify && b.state[i].begun == 1 {
		fault, err := b.verify(b.verifier, f, b.single(f, row), count, b.extent)
		if err == nil && fault == "" && f.Call == mockups.PersistentTimes {
			fault, err = b.verifyStarts(f, count)
		}
		if err != nil {
			return false, err
		}
		if fault != "" {
			r.Status, r.Message = protocol.StatusWrong, fault
			b.release(row)
			return false, nil
		}
	}
	b.verifier.fill(b.caseFor(f, count, b.extent)) // valid numbers, no denormals
	return true, nil
}

// verifyStarts verifies the request that a case makes, starts ten times and frees, one start
// after the other: between these nothing can be looked at.
func (b *bench) verifyStarts(f mockups.Function, count int64) (string, error) {
	persistent, _ := mockups.Get(mockups.CallOf(f.Of, mockups.Persistent))
	row := b.rows[persistent.ID]
	if refused, err := b.prepare(persistent, row, count, 0); err != nil || refused != "" {
		return refused, err
	}
	defer b.release(row)
	return b.verify(b.verifier, persistent, row, count, b.extent)
}

// firstCalls makes the untimed calls before a function's first case, at the
// smallest size that it has: the case that happens to be first is not favoured.
func (b *bench) firstCalls(f mockups.Function, row *function, temps int64) error {
	if b.called[f.ID] || b.job.FirstCalls == 0 {
		return nil
	}
	b.called[f.ID] = true
	least := int64(math.MaxInt64)
	for i, c := range b.job.Cases {
		if c.Function == f.ID && b.out.cases[i].Status == protocol.StatusOK {
			least = min(least, c.Msize)
		}
	}
	count := least / b.extent
	if b.job.Verify && (f.Call == mockups.Persistent || f.Call == mockups.PersistentTimes) {
		if fault, err := b.verifyStarts(f, count); err != nil || fault != "" {
			return err // the case of this size says so, and no call that gives an error ends the mpirun
		}
	}
	if refused, err := b.prepare(f, row, count, temps); err != nil || refused != "" {
		return err // the case of this size is refused too
	}
	defer b.release(row)
	b.verifier.fill(b.caseFor(f, count, b.extent))
	start := time.Now()
	defer func() { b.timed += time.Since(start) }()
	return b.callFor(row, b.job.FirstCalls, firstTime)
}

// firstTime is how long the first calls of a function may take together: a call of
// thousands of ranks can take a second.
const firstTime = time.Second

// warmUp makes the untimed calls before a case: as many as the time allows.
func (b *bench) warmUp(row *function) error {
	if b.job.WarmupNS == 0 {
		return b.call(row, b.job.Warmup)
	}
	return b.callFor(row, b.job.Warmup, time.Duration(b.job.WarmupNS))
}

// callFor makes n calls, or as many as the limit allows, in which rank 0 has the
// word; two of them in any case.
func (b *bench) callFor(row *function, n int, limit time.Duration) error {
	always := min(2, n)
	start := time.Now()
	if err := b.call(row, always); err != nil || always == n {
		return err
	}
	took := time.Since(start).Nanoseconds()
	more, err := b.fromRoot((limit.Nanoseconds() - took) * int64(always) / max(1, took))
	if err != nil {
		return err
	}
	return b.call(row, min(max(0, int(more)), n-always))
}

// enough asks the predictor about the valid samples, and ends a case that takes
// too long or has too few of them.
func (b *bench) enough(p *nrep.Predictor, samples []protocol.Sample, took time.Duration, r *protocol.CaseResult) bool {
	seconds := protocol.ValidSeconds(samples)
	stop, ok := p.Done(seconds)
	limit := time.Duration(b.nrep.MaxTime)
	switch {
	case ok:
		r.Converged = true
	case stop:
		r.Reason = fmt.Sprintf("reached nrep.max = %d", b.nrep.Max)
	case took > limit:
		r.Reason = fmt.Sprintf("reached nrep.max_time = %v", limit)
	case len(samples) >= 2*b.nrep.Max:
		r.Reason = fmt.Sprintf("%d of %d repetitions were out of sync", len(samples)-len(seconds), len(samples))
	default:
		return false
	}
	return true
}
