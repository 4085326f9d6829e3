//go:build cgo

package rank

import (
	"cmp"
	"fmt"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/call"
	"pgmpi/measure/rank/mpit"
	"pgmpi/measure/rank/native"
	"pgmpi/measure/rank/verify"
	"pgmpi/mockups"
)

type visit struct {
	*bench
	i        int
	c        protocol.JobCase
	f        mockups.Function
	call     *native.Function // its row, of one call
	row      *native.Function // of a sample: the call, or several in a row
	count    int64
	extent   int64
	verifier verify.Verifier
	need     mockups.Need
	r        *protocol.CaseResult
	s        *state
}

// againCalls are the untimed calls before each visit but the first: they meet what other cases
// have left in the caches.
const againCalls = 1

// fillerCalls are as many as a case always has before its first sample.
const fillerCalls = 2

// firstTime limits the first calls of a function together: a call of thousands of ranks can take a
// second.
const firstTime = time.Second

// visit does the next part of a case: all of it, where it is visited once.
// Between the visits it stays prepared, so that its temporaries are as its last
// call has left them, and nothing but other cases comes in between.
func (b *bench) visit(i int) error {
	if b.out.end.Timing.Malloc == protocol.MallocFresh {
		call.HoldFreeBlocks()
	}
	if i+1 < len(b.job.Cases) && b.job.Cases[i+1].Turns {
		return b.pair(i)
	}
	defer b.ways.Leave()
	v := b.visitOf(i)
	if v.r.Status != protocol.StatusOK {
		return nil
	}
	return v.withName(v.do())
}

// visitOf makes the case's function the one in hand, where it is to be measured.
func (b *bench) visitOf(i int) *visit {
	v := &visit{bench: b, i: i, c: b.job.Cases[i], r: &b.out.cases[i], s: &b.state[i]}
	b.setName(v.title())
	b.alive()
	if v.r.Status != protocol.StatusOK {
		return v
	}
	v.f, _ = b.Function(v.c.Function)
	v.Half = v.f.Half
	sized := b.sized(v.f, v.c)
	v.count, v.extent, v.verifier = sized.Count, sized.Extent, b.Use(v.f, v.c.Elements)
	v.need = v.f.Memory(v.count, v.extent, b.Size)
	v.call = b.Row(v.f.ID)
	if way := b.ways.Go(v.f); way != nil {
		v.call = cmp.Or(way.Row, b.Row(v.f.Of))
	}
	return v
}

func (v *visit) withName(err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", v.name, err)
	}
	return err
}

func (v *visit) title() string {
	return fmt.Sprintf("%s at %s", v.c.Function, conf.HumanSize(v.c.Msize))
}

func (v *visit) do() error {
	if v.job.AnnounceAll && v.f.MayEnd() {
		defer v.announce(v.name)()
	}
	// Each visit of stage 1 is a prediction of its own.
	if v.s.begun++; v.s.begun > 1 && v.job.Predict == nil {
		v.TakeUp(v.s.prepared)
		if v.f.Consumes { // numbers that neither overflow nor vanish
			v.fill()
		}
		v.row = v.InARow(v.call, v.c.Calls)
		v.Rotate(v.need.Send, v.need.Recv)
		if err := v.Call(v.row, againCalls); err != nil {
			return err
		}
	} else if ok, err := v.begin(); !ok || err != nil {
		return err
	}
	if v.c.Filler {
		defer v.Release(v.row)
		defer v.Home()
		return v.Call(v.row, fillerCalls)
	}
	fault, err := v.work()
	if err != nil {
		return err
	}
	v.Home()
	if fault != "" {
		v.wrong(fault)
	} else if v.s.begun < v.s.visits && v.job.Predict == nil {
		v.s.prepared = v.PutAway()
		return nil
	}
	v.Release(v.row)
	return nil
}

func (v *visit) wrong(fault string) {
	*v.r, v.out.samples[v.i] = protocol.CaseResult{Case: v.i, Status: protocol.StatusWrong, Message: fault}, nil
	v.fill() // others may send it
}

// begin tries, prepares and verifies a case, and makes its untimed calls; ok is false where
// it is not to be measured.
func (v *visit) begin() (ok bool, err error) {
	if v.s.begun == 1 && v.job.Announce && !v.job.AnnounceAll && v.f.MayEnd() {
		defer v.announce(v.name)()
	}
	if refused, err := v.tryOnce(); err != nil || refused != "" {
		v.r.Status, v.r.Message = protocol.StatusUnavailable, refused
		return false, err
	}
	if err := v.firstCalls(); err != nil {
		return false, err
	}
	v.row = v.InARow(v.call, v.c.Calls)
	if refused, err := v.Prepare(v.f, v.row, v.count, v.s.temps); err != nil || refused != "" {
		v.r.Status, v.r.Message = protocol.StatusNotMeasured, refused
		return false, err
	}
	if v.job.Verify && v.s.begun == 1 && !v.job.Fresh {
		fault, err := v.Verify(v.verifier, v.f, v.single(), v.count)
		if err == nil && fault == "" && v.f.Call == mockups.PersistentTimes {
			fault, err = v.verifyStarts()
		}
		if err != nil {
			return false, err
		}
		if fault != "" {
			v.r.Status, v.r.Message = protocol.StatusWrong, fault
			v.Release(v.row)
			return false, nil
		}
	}
	v.fill() // valid numbers, no denormals
	v.Rotate(v.need.Send, v.need.Recv)
	v.Spread(v.need.Send, v.need.Recv)
	if v.c.Filler || v.job.Fresh {
		return true, nil
	}
	return true, v.callFor(v.row, v.job.Warmup, time.Duration(v.job.WarmupNS))
}

// tryOnce calls an own algorithm, or a mock-up of the user's own, once. It says which error any rank
// got: not every one is for every number of processes.
func (v *visit) tryOnce() (refused string, err error) {
	j := v.job
	counted := j.Messages != nil && !j.Verify && j.FirstCalls+j.Warmup == 0 // and says it
	if !v.f.MayEnd() || counted || j.Fresh {
		return "", nil
	}
	if refused, err := v.Prepare(v.f, v.call, v.count, v.s.temps); err != nil || refused != "" {
		return "", err // begin says so
	}
	defer v.Release(v.call)
	said := ""
	if err := v.Call(v.call, 1); err != nil {
		said = err.Error()
	}
	return v.FirstOf(said)
}

// firstCalls makes the untimed calls before a function's first case, at its smallest size: the case
// that happens to be first is not favoured.
func (v *visit) firstCalls() error {
	j := v.job
	if v.called[v.f.ID] || j.FirstCalls == 0 || j.Fresh {
		return nil
	}
	v.called[v.f.ID] = true
	first, err := v.smallest()
	if err == nil {
		err = first.callFirst()
	}
	if err == nil {
		v.setName(v.title())
	}
	return err
}

// smallest returns the visit at the smallest size of the function. Where a call may be refused it is
// tried there, and this mpirun leaves out a case that is refused.
func (v *visit) smallest() (*visit, error) {
	for {
		least := v.i
		for i, c := range v.job.Cases {
			if c.Function == v.f.ID && c.Elements == v.c.Elements && v.out.cases[i].Status == protocol.StatusOK && c.Msize < v.job.Cases[least].Msize {
				least = i
			}
		}
		first := *v
		if least == v.i { // begin has tried it
			return &first, nil
		}
		first.i, first.c, first.r = least, v.job.Cases[least], &v.out.cases[least]
		first.count = first.c.Msize / v.extent
		v.setName(first.title())
		refused, err := first.tryOnce()
		if err != nil || refused == "" {
			return &first, err
		}
		first.r.Status, first.r.Message = protocol.StatusUnavailable, refused
	}
}

func (v *visit) callFirst() error {
	if v.job.Verify && (v.f.Call == mockups.Persistent || v.f.Call == mockups.PersistentTimes) {
		if fault, err := v.verifyStarts(); err != nil || fault != "" {
			return err // the case of this size says so, and no call that gives an error ends the mpirun
		}
	}
	if refused, err := v.Prepare(v.f, v.call, v.count, v.s.temps); err != nil || refused != "" {
		return err // the case of this size is refused too
	}
	defer v.Release(v.call)
	v.fill()
	return v.callFor(v.call, v.job.FirstCalls, firstTime)
}

// work does the job's work on a case. After the last timed call of a case, and after those
// that are sent together, it says what is wrong with their data at any rank, or returns "".
func (v *visit) work() (fault string, err error) {
	j := v.job
	last := j.Predict != nil || v.s.begun == v.s.visits || v.rounds.closing
	if last {
		v.beforeLast(v.s.visits > 1 && j.Predict == nil)
	}
	switch {
	case j.Predict != nil:
		err = v.prediction()
	case j.Messages != nil:
		if refused, err := v.counted(); err != nil || refused != "" {
			v.r.Status, v.r.Message = protocol.StatusUnavailable, refused
			return "", err
		}
	default:
		err = v.sample()
	}
	if err != nil || !last || j.Messages != nil && !j.Verify {
		return "", err
	}
	if fault, err = v.afterLast(); err != nil || fault != "" || v.then == nil {
		return fault, err
	}
	v.r.Answer, fault, err = v.then.onCase(&Visit{v.Loop, v}, v.asked)
	return fault, err
}

// counted counts the messages inside the calls. Where an own algorithm may refuse them, refused is the error
// that any rank got.
func (v *visit) counted() (refused string, err error) {
	if !v.counts {
		return "", nil
	}
	v.r.Messages, err = mpit.CountMessages(v.World, cmp.Or(v.job.Messages.Calls, 10), func(n int) error {
		err := v.Call(v.row, n)
		if err == nil || !v.f.MayEnd() {
			return err
		}
		refused = err.Error()
		return nil
	})
	if err != nil || !v.f.MayEnd() {
		return "", err
	}
	if refused, err = v.FirstOf(refused); refused != "" {
		v.r.Messages = nil
	}
	return refused, err
}

func (v *visit) of() verify.Case { return v.Case(v.f, v.count) }

func (v *visit) fill() { v.verifier.Fill(v.of()) }

// verifyStarts verifies, start by start, the request that a case makes, starts ten times and frees.
// Between the case's own starts nothing can be looked at.
func (v *visit) verifyStarts() (string, error) {
	persistent, _ := mockups.Get(mockups.CallOf(v.f.Of, mockups.Persistent))
	row := v.Row(persistent.ID)
	if refused, err := v.Prepare(persistent, row, v.count, 0); err != nil || refused != "" {
		return refused, err
	}
	defer v.Release(row)
	return v.Verify(v.verifier, persistent, row, v.count)
}

// single is the row of one call, where several in a row would consume their input.
func (v *visit) single() *native.Function {
	if v.f.Consumes {
		return v.Row(v.f.ID)
	}
	return v.row
}

// beforeLast makes the buffers of a case ready for its last visit: until a call
// has made it right, the receive buffer is wrong, apart from input. Other cases
// that have taken turns may have left their data there.
func (v *visit) beforeLast(turns bool) {
	v.poisoned++ // which poison a case meets differs between mpiruns, as their order does
	if !v.f.HasData() {
		return
	}
	c, need := v.of(), v.need
	isInput := c.Input() != nil
	if turns && (isInput || v.Rotates()) {
		v.verifier.Fill(c)
	}
	if !isInput {
		verify.Fill(c.Recv, v.poison())
	}
	verify.Fill(c.Recv[len(c.Recv):cap(c.Recv)], verify.Guard)
	if !turns {
		need.Send = 0 // is where it is to be
	}
	v.Spread(need.Send, need.Recv)
	v.Called = false
}

func (v *visit) poison() byte { return call.Poisons[v.poisoned%len(call.Poisons)] }

// afterLast says what is wrong at any rank with the result of the last timed call. All calls on the
// same data give that result. It does the same with one more call on data that no call has had, and
// returns "" when nothing is wrong.
func (v *visit) afterLast() (string, error) {
	if v.Called && v.f.HasData() && !v.f.Consumes {
		c := v.of()
		c.Gap = v.poison()
		found := cmp.Or(v.verifier.Check(c), verify.Overrun("receive", c.Recv), v.TempFault())
		if found != "" {
			found = "after the timed calls " + found
		}
		if found, err := v.FirstOf(found); err != nil || found != "" {
			return found, err
		}
	}
	v.Home()
	return v.VerifyAgain(v.verifier, v.f, v.single(), v.count, v.poisoned)
}
