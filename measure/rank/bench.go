//go:build cgo

package rank

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"pgmpi/internal/lists"
	"pgmpi/measure/clocks"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/call"
	"pgmpi/measure/rank/loop"
	"pgmpi/measure/rank/mpit"
	"pgmpi/measure/rank/native"
	"pgmpi/measure/rank/probe"
	"pgmpi/mockups"
	"pgmpi/nrep"
)

type outcome struct {
	cases   []protocol.CaseResult
	samples [][]protocol.Sample // by case
	sent    []sent              // by case
	syncs   []protocol.ClockSync
	exits   []protocol.Exit
	end     protocol.End
}

func (o *outcome) write(w *protocol.OutputWriter) error {
	for i, c := range o.cases {
		if s := o.sent[i]; !s.whole {
			w.Case(c, o.samples[i], s.samples)
		}
	}
	for _, c := range o.syncs {
		w.JSON(protocol.LineSync, c)
	}
	for _, x := range o.exits {
		w.JSON(protocol.LineExit, x)
	}
	return w.End(o.end)
}

type sent struct {
	samples int
	whole   bool
}

type state struct {
	visits, begun int   // in all, and so far
	temps         int64 // where its temporaries are in the arena, in bytes
	prepared      call.Prepared
	measured      *measured
}

type bench struct {
	*session
	*loop.Loop
	job         *protocol.CallsJob
	asked       *protocol.Asked // of that
	then        *Work           // goes on with each case, or nil
	state       []state         // by case
	poisoned    int             // cases, so far
	timed       time.Duration   // in untimed calls
	synced, due time.Time       // when the clocks were synchronised last, and when they are to be again
	drift       clocks.Drift
	batchTook   time.Duration // the last one
	rounds      rounds
	probes      *probe.Reader // nil if this job reads none
	out         outcome
	w           *protocol.OutputWriter // at rank 0
	counts      bool                   // the library counts its messages
}

// calls visits every case of the job in its order. Rank 0 writes to w what may not
// wait for the end.
func (s *session) calls(j *protocol.Job, w *protocol.OutputWriter) (*outcome, error) {
	b, err := s.newBench(j, w)
	if err != nil {
		return nil, err
	}
	if b.job.Predict == nil && b.job.Messages == nil { // nothing is timed, or it is stage 1
		if b.probes, err = s.probesFor(len(b.job.Order)); err != nil {
			return nil, err
		}
	}
	start, said := time.Now(), time.Now()
	b.rounds.sent = start
	for done, i := range b.job.Order {
		if err := b.look(done); err != nil {
			return nil, err
		}
		if err := b.early(done); err != nil {
			return nil, err
		}
		if err := b.visit(i); err != nil {
			return nil, err
		}
		if s.Rank == 0 && time.Since(said) > 500*time.Millisecond {
			s.say("%s %d %d %s", protocol.LineProgress, done+1, len(b.job.Order), s.name)
			said = time.Now()
		}
	}
	if err := b.look(len(b.job.Order)); err != nil {
		return nil, err
	}
	if err := b.synchronised(); err != nil {
		return nil, err
	}
	s.watchdog.Stop()
	n := slices.IndexFunc(b.job.Cases, func(c protocol.JobCase) bool { return c.Filler }) // they are the last ones
	if n >= 0 {
		b.out.cases, b.out.samples = b.out.cases[:n], b.out.samples[:n]
	}
	end := &b.out.end
	end.Clock, end.Counters = &s.clock.Info, b.Counters()
	end.MeasureNS, end.TimedNS = time.Since(start).Nanoseconds(), (b.timed + b.Took).Nanoseconds()
	return &b.out, nil
}

// synchronised refuses what was timed where the ranks did not wait for each other.
func (b *bench) synchronised() error {
	if b.job.Messages != nil {
		return nil
	}
	b.setName("the synchronisation")
	fault, err := b.Unsynchronised(b.job.Measure != nil && b.job.Measure.Provable)
	if err == nil && fault != "" {
		err = fmt.Errorf("the barrier of measure.sync = %q does not hold: %s", b.out.end.Timing.Sync, fault)
	}
	return err
}

func (b *bench) look(done int) error {
	if b.probes == nil || !b.probes.Due(done) {
		return nil
	}
	b.setName("the reference probes")
	err := b.probes.Read()
	b.out.end.Probes = b.probes.All
	return err
}

// probesFor returns the probes, to be read among a number of cases. An mpirun opens them once.
func (s *session) probesFor(cases int) (*probe.Reader, error) {
	if s.probes != nil {
		s.probes.Again(cases)
		return s.probes, nil
	}
	s.setName("the reference probes")
	var err error
	s.probes, err = probe.New(s.clock, cases)
	return s.probes, err
}

func (s *session) newBench(job *protocol.Job, w *protocol.OutputWriter) (*bench, error) {
	j := job.CallsJob
	then, err := s.workOf(job.Work, true)
	if err != nil {
		return nil, err
	}
	b := &bench{session: s, job: j, asked: job.Work, then: then, w: w}
	b.out.end.CallsEnd = &protocol.CallsEnd{Mockups: j.Mockups}
	if err := s.caller.Choose(j.Datatype, j.Op, j.Root, j.Seed); err != nil {
		return nil, err
	}
	for _, c := range j.Cases {
		if err := s.caller.ChooseKind(c.Elements); err != nil {
			return nil, err
		}
	}
	if j.Verify {
		if b.out.end.Clocks, err = s.clock.List(); err != nil {
			return nil, err
		}
	}
	if err := s.clock.Set(j.Clock); err != nil {
		return nil, err
	}
	b.setMalloc()
	if err := b.setTiming(s.caller); err != nil {
		return nil, err
	}
	if err := b.plan(); err != nil {
		return nil, err
	}
	if j.Messages != nil {
		if b.counts, err = mpit.CountsMessages(s.World); err != nil {
			return nil, err
		}
	}
	if j.Measure != nil {
		b.Keep, b.Alone = j.Measure.PerRank, j.Fresh
		if err := b.OpenCounters(j.Measure.Counters); err != nil {
			return nil, err
		}
	}
	s.watch(time.Duration(job.StallNS), "no case finished for %v (measure.stall)")
	return b, nil
}

// setMalloc brings malloc into the state of the job, unless the environment has chosen another.
func (b *bench) setMalloc() {
	switch state := &b.out.end.Timing.Malloc; {
	case host.SetsMalloc(os.Environ()):
		*state = protocol.MallocByEnv
	case b.job.Malloc == protocol.MallocDefault:
		*state = protocol.MallocDefault
	case call.SetMalloc(b.job.Malloc == protocol.MallocSettled):
		*state = cmp.Or(b.job.Malloc, protocol.MallocFresh)
	}
}

func (b *bench) room() (int64, error) {
	if b.job.MemoryCap > 0 {
		return b.job.MemoryCap, nil
	}
	_, available := host.Memory(hostFiles)
	least, err := b.AllMin(available / int64(max(1, b.beside)))
	if err != nil || least <= 0 {
		return b.job.TempMemory, err
	}
	return min(b.job.TempMemory, least/2), nil
}

// plan decides the memory cap, marks what cannot be measured and allocates.
func (b *bench) plan() (err error) {
	if b.out.end.MemoryCap, err = b.room(); err != nil {
		return err
	}
	n := len(b.job.Cases)
	b.out.cases, b.out.sent, b.out.samples, b.state = make([]protocol.CaseResult, n), make([]sent, n), make([][]protocol.Sample, n), make([]state, n)
	for _, i := range b.job.Order {
		b.state[i].visits++
	}
	sized := make([]mockups.Sized, n) // a skipped one needs nothing
	longest := 1
	for i, c := range b.job.Cases {
		f, ok := b.Function(c.Function)
		if !ok || b.Row(f.Row()) == nil {
			return fmt.Errorf("unknown function %q", c.Function)
		}
		r := &b.out.cases[i]
		*r = protocol.CaseResult{Case: i, Status: cmp.Or(c.Skip, protocol.StatusOK)}
		if c.Skip != "" {
			continue
		}
		if r.Status, r.Message, err = b.cannot(f); err != nil {
			return err
		}
		if r.Status == protocol.StatusOK {
			sized[i] = b.sized(f, c)
			longest = max(longest, c.NRep)
			if c.Turns && i > 0 {
				longest = max(longest, 2*c.NRep)
				sized[i].After = b.temps(sized[i-1])
				b.state[i].temps = sized[i].After
			}
		}
	}
	if p := b.job.Predict; p != nil {
		longest = max(longest, p.NREP.Max)
	}
	if b.NeedsClock() {
		longest = clockBatch
	}
	bytes := b.fit(sized)
	if err := b.Caller.Allocate(bytes); err != nil {
		return err
	}
	return b.Loop.Allocate(longest)
}

// sized returns a case's function with its size in elements.
func (b *bench) sized(f mockups.Function, c protocol.JobCase) mockups.Sized {
	datatype, _ := mockups.Kind(c.Elements, b.job.Datatype, b.job.Op)
	return mockups.Size(f, c.Msize, datatype)
}

// fit marks the cases for which there is no room, and returns what the others need together.
// Where cases take turns each has temporaries of its own.
func (b *bench) fit(sized []mockups.Sized) mockups.Need {
	turns := len(b.job.Order) > len(b.job.Cases) && b.job.Predict == nil
	kinds := lists.Map(b.job.Cases, func(c protocol.JobCase) string { return c.Elements })
	why, shared := mockups.Fit(sized, b.Size, mockups.Room{Cap: b.out.end.MemoryCap, Extra: b.Extra(), Span: b.Span, OwnTemps: turns, Apart: mockups.Apart(b.job.Datatype, kinds)})
	temps := int64(0)
	for i := range sized {
		switch r := &b.out.cases[i]; {
		case r.Status != protocol.StatusOK:
		case why[i] != "":
			r.Status, r.Message = protocol.StatusNotMeasured, why[i]
		case turns:
			b.state[i].temps = temps
			temps += b.temps(sized[i])
		}
	}
	return shared
}

// temps returns the bytes of a case's temporaries.
func (b *bench) temps(s mockups.Sized) int64 {
	return s.Function.Memory(s.Count, s.Extent, b.Size).Temp
}

func (b *bench) cannot(f mockups.Function) (status protocol.Status, why string, err error) {
	way, err := b.ways.To(f)
	if err != nil {
		return "", "", err
	}
	switch {
	case way.Why != "":
		return protocol.StatusUnavailable, way.Why, nil
	case (f.Call == mockups.Persistent || f.Call == mockups.Started) && b.Rotates():
		return protocol.StatusNotMeasured, "a persistent request keeps its buffers: measure.cache = \"rotate\" cannot move them", nil
	case f.Over != "":
		if why, err = b.Lanes(); why != "" {
			return protocol.StatusNotMeasured, why, err
		}
	}
	return protocol.StatusOK, "", err
}

// callFor makes n calls, or as many as the limit allows. Rank 0 decides, and two are made in any case;
// a limit of 0 means none.
func (b *bench) callFor(row *native.Function, n int, limit time.Duration) error {
	start := time.Now()
	defer func() { b.timed += time.Since(start) }()
	if limit == 0 {
		return b.Call(row, n)
	}
	always := min(2, n)
	if err := b.Call(row, always); err != nil || always == n {
		return err
	}
	took := time.Since(start).Nanoseconds()
	more, err := b.FromRoot((limit.Nanoseconds() - took) * int64(always) / max(1, took))
	if err != nil {
		return err
	}
	return b.Call(row, min(max(0, int(more)), n-always))
}

// enough asks the predictor about the valid samples. It also ends a case that takes too long or has too
// few of them.
func (b *bench) enough(p *nrep.Predictor, samples []protocol.Sample, took time.Duration, r *protocol.CaseResult) bool {
	seconds, c := protocol.ValidSeconds(samples), &b.job.Predict.NREP
	stop, ok := p.Done(seconds)
	limit, budget := time.Duration(c.MaxTime), time.Duration(c.Budget)
	switch {
	case ok:
		r.Converged = true
	case budget > 0 && took > budget && len(seconds) >= c.Min:
		r.Converged, r.Reason = true, fmt.Sprintf("spent nrep.budget = %v", budget)
	case stop:
		r.Reason = fmt.Sprintf("reached nrep.max = %d", c.Max)
	case took > limit:
		r.Reason = fmt.Sprintf("reached nrep.max_time = %v", limit)
	case len(samples) >= 2*c.Max:
		r.Reason = fmt.Sprintf("%d of %d repetitions were out of sync", len(samples)-len(seconds), len(samples))
	default:
		return false
	}
	return true
}
